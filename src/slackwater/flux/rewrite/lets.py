"""Lets replaced by their values, where nothing is computed twice by that."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.flux.plan.terms import rebuilt, spliced, substituted, uses_focus
from slackwater.flux.rewrite.shapes import is_obvious
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import ACCUMULATING


def without_lets(expr: ast.Expr) -> ast.Expr:
    """The expression with lets replaced by their values, where that costs nothing."""

    def change(node: ast.Node) -> ast.Node:
        node = spliced(rebuilt(node, change))
        return _flwor_without_lets(node) if isinstance(node, ast.Flwor) else node

    result = change(expr)
    assert isinstance(result, ast.Expr)
    return result


def _flwor_without_lets(flwor: ast.Flwor) -> ast.Expr:
    """let $x := e return β = β[$x → e]  (figure 3.11, Elim-Let)

    Where e is a path or an aggregate of one, or where $x is used once and not in an inner loop: otherwise e
    would be computed repeatedly. An element that is constructed once must remain one element.
    """
    clauses = list(flwor.clauses)
    result = flwor.result
    for index in reversed(range(len(clauses))):
        clause = clauses[index]
        if not isinstance(clause, ast.Let):
            continue
        rest = _Rest(tuple(clauses[index + 1 :]), result)
        if uses_focus(clause.value) or not is_obvious(clause):
            continue
        if is_plain(clause.value) or rest.uses(clause.variable) in ([], [False]):
            values = {clause.variable: clause.value}
            clauses[index:] = [substituted(clause, values) for clause in rest.clauses]
            result = substituted(result, values)
    if not clauses:
        return result
    if isinstance(clauses[0], ast.Where):
        condition = clauses[0].condition
        inner = _flwor(clauses[1:], result)
        return ast.If(condition, inner, span=flwor.span)
    if isinstance(clauses[0], ast.OrderBy):
        return _flwor([clause for clause in clauses if not isinstance(clause, ast.OrderBy)], result)
    return dataclasses.replace(flwor, clauses=tuple(clauses), result=result)


def _flwor(clauses: list[ast.Clause], result: ast.Expr) -> ast.Expr:
    if not clauses:
        return result
    if isinstance(clauses[0], ast.Where):
        return ast.If(clauses[0].condition, _flwor(clauses[1:], result))
    return ast.Flwor(tuple(clauses), result)


@dataclass(frozen=True)
class _Rest:
    """The rest of a FLWOR expression after a let."""

    clauses: tuple[ast.Clause, ...]
    result: ast.Expr

    def uses(self, variable: str) -> list[bool]:
        """For every use of the variable, whether it is in a loop."""
        uses: list[bool] = []
        inside = False
        for clause in self.clauses:
            uses += _uses(clause, variable, inside=inside)
            inside = inside or isinstance(clause, ast.For)
        return uses + _uses(self.result, variable, inside=inside)


def _uses(node: ast.Node, variable: str, *, inside: bool) -> list[bool]:
    if isinstance(node, ast.Variable):
        return [inside] if node.name == variable else []
    uses: list[bool] = []
    for child, repeats in _parts(node):
        uses += _uses(child, variable, inside=inside or repeats)
    return uses


def _parts(node: ast.Node) -> Iterable[tuple[ast.Node, bool]]:
    """The nodes directly below, each with whether it is evaluated repeatedly."""
    match node:
        case ast.Flwor(clauses, result):
            repeats = False
            for clause in clauses:
                yield clause, repeats
                repeats = repeats or isinstance(clause, ast.For)
            yield result, repeats
        case ast.Quantified(_, bindings, condition):
            for place, binding in enumerate(bindings):
                yield binding, place > 0
            yield condition, True
        case ast.Step(_, test, predicates):
            yield test, False
            yield from ((predicate, True) for predicate in predicates)
        case ast.Filter(source, predicates):
            yield source, False
            yield from ((predicate, True) for predicate in predicates)
        case ast.ExprStep(expr):
            yield expr, True
        case _:
            yield from ((child, False) for child in ast.children(node))


def is_plain(expr: ast.Expr) -> bool:
    """A variable, a constant, a path without constructors, or an aggregate of one."""
    match expr:
        case ast.Variable() | ast.String() | ast.Integer() | ast.Fixed() | ast.Double() | ast.ContextItem():
            return True
        case ast.Sequence(items):
            return not items
        case ast.Path(source, steps):
            return is_plain(source) and all(isinstance(step, ast.Step) for step in steps)
        case ast.Filter(source, _):
            return is_plain(source)
        case ast.Call(name, (argument,)) if name in ACCUMULATING:
            return isinstance(argument, ast.Path | ast.Variable) and is_plain(argument)
        case _:
            return False
