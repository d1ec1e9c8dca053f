"""Subscriptions to streams of records: what is asked of each record, and what of windows of them.

    <photons>{ for $p in stream("photons")/photons/photon where … return <vela>…</vela> }</photons>

is asked of every record by itself; the elements around it would never be closed, and are left out. With a
window, what each record adds to the aggregates is taken from it, and the aggregates go over the windows:

    for $w in stream("photons")/photons/photon[…]|det_time diff 60 step 15|
    let $a := avg($w/en) where $a > 1.3 return <avg_energy>{$a}</avg_energy>

    of each record    […] passes; string(en)
    of each window    avg of these, $1; then: let $a := $1 where $a > 1.3 return …
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.span import Span
from slackwater.flux import problems
from slackwater.flux.plan.terms import rebuilt
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import ACCUMULATING, BOOLEAN

AGGREGATES = ACCUMULATING - BOOLEAN
"""Of windows of records, these: numbers, which the engine of CQL computes."""
SEPARATOR = "|"
"""Stands before each number that a record adds to an aggregate; where a record spells it itself, there is one
too many and the record is malformed."""

_N = TypeVar("_N", bound=ast.Node)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over the records of a window; without steps, of the records themselves."""

    function: str
    steps: tuple[ast.Step | ast.ExprStep, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """What goes over windows: their extent, the aggregates, and the query that has them as `$1`, `$2`, …

    These are external variables of the query, so that it is compiled once for all windows.
    """

    extent: ast.DiffWindow
    aggregates: tuple[Aggregate, ...]
    rest: ast.Module


@dataclass(frozen=True, slots=True)
class Subscription:
    """A query in two parts: the first is asked of each record, the second, if any, of windows of records."""

    stream: str
    path: tuple[str, ...]
    each: ast.Module
    window: Window | None = None


def subscription(module: ast.Module) -> Subscription:
    """A query over a stream of records, taken apart; raises QueryError where records depend on each other."""
    flwor = _inner(module.body)
    first = flwor.clauses[0] if isinstance(flwor, ast.Flwor) else None
    if not isinstance(flwor, ast.Flwor) or not isinstance(first, ast.For):
        raise QueryError(not_a_subscription(module.body.span))
    source = first.source
    inputs = [node for node in ast.walk(module) if isinstance(node, ast.Input | ast.Root)]
    if not isinstance(source, ast.Path) or not isinstance(source.source, ast.Input) or len(inputs) != 1:
        raise QueryError(not_a_subscription((source if len(inputs) == 1 else inputs[-1]).span))
    names = tuple(_name(step) for step in source.steps)
    others = [each for each in flwor.clauses if isinstance(each, ast.OrderBy)]
    if first.at is not None or others:
        raise QueryError(depends_on_others((others[0] if others else first).span))
    if first.window is None:
        return Subscription(source.source.name, names, replace(module, body=flwor))
    if not isinstance(first.window, ast.DiffWindow):
        raise QueryError(counted_window(first.window.span))
    return _windowed(module, flwor, first, source.source.name, names, first.window)


def _inner(expr: ast.Expr) -> ast.Expr:
    """What stands in the elements around a subscription."""
    while isinstance(expr, ast.Element):
        inside = [each for each in expr.content if not isinstance(each, ast.Characters)]
        if len(inside) != 1:
            break
        expr = inside[0]
    return expr


def _name(step: ast.Step | ast.ExprStep) -> str:
    if isinstance(step, ast.Step) and step.axis == "child" and isinstance(step.test, ast.NameTest):
        return step.test.name
    raise QueryError(not_a_subscription(step.span))


def _windowed(
    module: ast.Module, flwor: ast.Flwor, first: ast.For, stream: str, path: tuple[str, ...],
    extent: ast.DiffWindow,
) -> Subscription:  # fmt: skip
    found: list[Aggregate] = []

    def taken(node: ast.Node) -> ast.Node | None:
        aggregate = _aggregate(node, first.variable)
        if aggregate is None:
            return None
        if aggregate not in found:
            found.append(aggregate)
        return ast.Variable(str(found.index(aggregate) + 1), span=node.span)

    rest = _replaced(_behind(flwor.clauses[1:], flwor.result), taken)
    left = [n for n in ast.walk(rest) if isinstance(n, ast.Variable) and n.name == first.variable]
    if left:
        raise QueryError(not_an_aggregate(first.variable, left[0].span))
    item = ast.Variable(first.variable)
    values = [
        ast.Call("count" if each.function == "count" else "string", (_of(item, each.steps),))
        for each in found
    ]
    parts = [part for value in values for part in (ast.String(SEPARATOR), value)]
    told = ast.Call("concat", (ast.String(""), ast.String(""), *parts))
    each = ast.Flwor((replace(first, window=None),), told)
    parameters = tuple(
        ast.VariableDeclaration(str(place), None, None) for place, _ in enumerate(found, start=1)
    )
    after = replace(module, body=rest, declarations=(*module.declarations, *parameters))
    window = Window(extent, tuple(found), after)
    return Subscription(stream, path, replace(module, body=each), window)


def _behind(clauses: tuple[ast.Clause, ...], result: ast.Expr) -> ast.Expr:
    """What stands behind the first for: a query of its own."""
    if not clauses:
        return result
    first, *others = clauses
    if isinstance(first, ast.Where):
        return ast.If(first.condition, _behind(tuple(others), result))
    return ast.Flwor(clauses, result)


def _of(item: ast.Expr, steps: tuple[ast.Step | ast.ExprStep, ...]) -> ast.Expr:
    return ast.Path(item, steps) if steps else item


def _aggregate(node: ast.Node, variable: str) -> Aggregate | None:
    """An aggregate of the window's records, or of what stands at a path in each."""
    if not isinstance(node, ast.Call) or len(node.arguments) != 1:
        return None
    name, (argument,) = node.name.removeprefix("fn:"), node.arguments
    if name not in AGGREGATES:
        return None
    match argument:
        case ast.Variable(found) if found == variable:
            return Aggregate(name, ())
        case ast.Path(ast.Variable(found), steps) if found == variable:
            return Aggregate(name, steps)
    return None


def _replaced(node: _N, by: Callable[[ast.Node], ast.Node | None]) -> _N:
    """The node with others in place of it, or of those below it, for which there is one."""

    def change(inner: ast.Node) -> ast.Node:
        other = by(inner)
        return rebuilt(inner, change) if other is None else other

    return change(node)  # type: ignore[return-value]


def not_a_subscription(span: Span | None) -> Diagnostic:
    return problems.NOT_A_SUBSCRIPTION.at(span)


def depends_on_others(span: Span | None) -> Diagnostic:
    return problems.DEPENDS_ON_OTHERS.at(span)


def counted_window(span: Span | None) -> Diagnostic:
    return problems.COUNTED_WINDOW.at(span)


def not_an_aggregate(variable: str, span: Span | None) -> Diagnostic:
    return problems.WINDOW_CONTENTS.at(span, variable=variable)
