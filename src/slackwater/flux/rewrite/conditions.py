"""Conditions: truth values, negation and simplification (definitions 3.4.4, 3.6.1, 3.6.2)."""

from __future__ import annotations

from slackwater.language.xquery import syntax as ast

TRUE = ast.Call("true")
FALSE = ast.Call("false")


def truth(expr: ast.Expr) -> ast.Expr:
    """The condition for the effective boolean value of an expression: for a path, that it exists."""
    match expr:
        case ast.Path(_, (*_, ast.Step())):
            return ast.Call("exists", (expr,), span=expr.span)
        case ast.Logical(op, left, right):
            return ast.Logical(op, truth(left), truth(right), span=expr.span)
        case ast.Call("boolean", (inner,)):
            return truth(inner)
        case ast.Call("not", (inner,)):
            return ast.Call("not", (truth(inner),), span=expr.span)
        case _:
            return expr


def both(*conditions: ast.Expr) -> ast.Expr:
    """χ and ψ and …; without conditions, true()."""
    if not conditions:
        return TRUE
    conjunction = conditions[0]
    for condition in conditions[1:]:
        conjunction = ast.Logical("and", conjunction, condition)
    return conjunction


def conjuncts(condition: ast.Expr) -> tuple[ast.Expr, ...]:
    """The conditions that must all hold."""
    match condition:
        case ast.Logical("and", left, right):
            return (*conjuncts(left), *conjuncts(right))
        case _:
            return (condition,)


def negated(condition: ast.Expr) -> ast.Expr:
    match condition:
        case ast.Call("not", (inner,)):
            return inner
        case _:
            return ast.Call("not", (condition,))


def normal(condition: ast.Expr, *, holds: bool = True) -> ast.Expr:
    """The negation normal form: `not` only before what is neither `and`, `or` nor `not`."""
    match condition:
        case ast.Call("not", (inner,)):
            return normal(inner, holds=not holds)
        case ast.Logical(op, left, right):
            new = op if holds else _OTHER[op]
            return ast.Logical(new, normal(left, holds=holds), normal(right, holds=holds))  # type: ignore[arg-type]
        case ast.Call("exists" | "empty" as name, arguments) if not holds:
            return ast.Call("empty" if name == "exists" else "exists", arguments)
        case ast.Call("true" | "false" as name, ()) if not holds:
            return FALSE if name == "true" else TRUE
        case _:
            return condition if holds else ast.Call("not", (condition,))


_OTHER = {"and": "or", "or": "and"}


def simplified(condition: ast.Expr) -> ast.Expr:
    """simpl_basic: the constants true() and false() propagated (definition 3.6.2)."""
    match condition:
        case ast.Logical(op, left, right):
            first, second = simplified(left), simplified(right)
            decides, passes = (FALSE, TRUE) if op == "and" else (TRUE, FALSE)
            if decides in (first, second):
                return decides
            if first == passes:
                return second
            return first if second == passes else ast.Logical(op, first, second)
        case ast.Call("not", (inner,)):
            operand = simplified(inner)
            if operand in (TRUE, FALSE):
                return FALSE if operand == TRUE else TRUE
            return ast.Call("not", (operand,))
        case _:
            return condition
