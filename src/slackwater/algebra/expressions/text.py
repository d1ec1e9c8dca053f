"""Expressions as text, in SQL's syntax."""

from __future__ import annotations

from typing import assert_never

from slackwater.algebra.expressions import nodes
from slackwater.algebra.expressions.nodes import Aggregation, Call, Expression

_INFIX = {
    "or": ("OR", 1), "and": ("AND", 2), "is_not_distinct_from": ("IS NOT DISTINCT FROM", 4),
    "eq": ("=", 4), "ne": ("<>", 4), "lt": ("<", 4), "le": ("<=", 4), "gt": (">", 4), "ge": (">=", 4),
    "like": ("LIKE", 4), "ilike": ("ILIKE", 4), "add": ("+", 5), "subtract": ("-", 5),
    "multiply": ("*", 6), "divide": ("/", 6), "modulo": ("%", 6),
}  # fmt: skip
_HIGHEST = 9


def text_of(expr: Expression | Aggregation) -> str:
    """The expression as SQL would write it; a subquery is shown as `…`."""
    return _text(expr, 0)


def labelled(name: str, text: str) -> str:
    """A column and what it is computed from; a column that keeps its name is not written twice."""
    return text if text == name or text.endswith(f".{name}") else f"{name} = {text}"


def operator_sign(function: str) -> str | None:
    """The sign SQL writes between the arguments of a function that has one: `add` is `+`."""
    return _INFIX[function][0] if function in _INFIX else None


def _text(expr: Expression | Aggregation, outside: int) -> str:
    match expr:
        case Aggregation():
            return _aggregation(expr)
        case nodes.Column():
            return expr.name
        case nodes.Outer():
            return f"outer {expr.name}"
        case nodes.Now():
            return "NOW"
        case nodes.Literal():
            return _literal(expr.value)
        case Call():
            return _call(expr, outside)
        case nodes.Cast():
            return f"CAST({text_of(expr.operand)} AS {expr.type})"
        case nodes.Case():
            branches = "".join(f" WHEN {text_of(c)} THEN {text_of(v)}" for c, v in expr.branches)
            return f"CASE{branches} ELSE {text_of(expr.otherwise)} END"
        case nodes.Preferred():
            return f"{expr.order}({', '.join(map(text_of, expr.arguments))})"
        case nodes.UserCall():
            return f"{expr.function.name}({', '.join(map(text_of, expr.arguments))})"
        case nodes.Variable():
            return expr.label or expr.name
        case nodes.HigherCall():
            inside = [*map(text_of, expr.arguments), *map(_lambda, expr.lambdas)]
            return f"{expr.function}({', '.join(inside)})"
        case nodes.Exists():
            return "EXISTS (…)"
        case nodes.Scalar():
            return "(…)"
        case nodes.Quantified():
            operands = ", ".join(map(text_of, expr.operands))
            left = operands if len(expr.operands) == 1 else f"({operands})"
            return f"{left} {_INFIX[expr.comparison][0]} {'ALL' if expr.every else 'ANY'} (…)"
        case Expression():
            raise NotImplementedError(type(expr).__name__)
        case _:
            assert_never(expr)


def _lambda(function: nodes.Lambda) -> str:
    names = ", ".join(one.label or one.name for one in function.parameters)
    return f"{names if len(function.parameters) == 1 else f'({names})'} -> {text_of(function.body)}"


def _aggregation(expr: Aggregation) -> str:
    inside, condition = "*" if expr.argument is None else text_of(expr.argument), ""
    match expr.argument:
        case Call(function="struct", arguments=values) if expr.user is not None:
            inside = ", ".join(map(text_of, values))
        case nodes.Case(branches=((where, Call(arguments=values)),)) if expr.user is not None:
            inside = ", ".join(map(text_of, values))
            condition = f" FILTER (WHERE {text_of(where)})"
    return f"{expr.name}({'DISTINCT ' if expr.distinct else ''}{inside}){condition}"


def _call(expr: Call, outside: int) -> str:
    if expr.function in _INFIX and len(expr.arguments) == 2:
        word, strength = _INFIX[expr.function]
        left, right = _text(expr.arguments[0], strength), _text(expr.arguments[1], strength + 1)
        text = f"{left} {word} {right}"
        return f"({text})" if strength < outside else text
    match expr.function, [_text(argument, _HIGHEST) for argument in expr.arguments]:
        case "not", [operand]:
            return f"NOT {operand}"
        case "negate", [operand]:
            return f"-{operand}"
        case "is_null", [operand]:
            return f"{operand} IS NULL"
        case "field", [operand, _]:
            name = expr.arguments[1]
            return f"{operand}.{name.value if isinstance(name, nodes.Literal) else text_of(name)}"
        case "in_list", [operand, *items]:
            return f"{operand} IN ({', '.join(items)})"
        case name, _:
            return f"{name}({', '.join(map(text_of, expr.arguments))})"


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value)
