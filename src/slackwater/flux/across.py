"""Subscriptions to streams of records: the query over each record, and the query over windows of records.

    <photons>{ for $p in stream("photons")/photons/photon where … return <vela>…</vela> }</photons>

is run on every record by itself; the elements around it would never be closed, and are left out. Documents
that the query names beside the stream are the same for all records. With a window, each record gives the
numbers that it adds to the aggregates, and these are computed over the windows:

    for $w in stream("photons")/photons/photon[…]|det_time diff 60 step 15|
    let $a := avg($w/en) where $a > 1.3 return <avg_energy>{$a}</avg_energy>

    per record    […] passes; string(en)
    per window    avg of these, $1; then: let $a := $1 where $a > 1.3 return …
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
"""The aggregates over windows of records: those of numbers, which the temporal algebra computes."""
SEPARATOR = "|"
"""Precedes each number that a record adds to an aggregate; a record that contains it has one number too
many and is malformed."""

_N = TypeVar("_N", bound=ast.Node)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over the records of a window; without steps, of the records themselves."""

    function: str
    steps: tuple[ast.Step | ast.ExprStep, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Windows of records: their extent, the aggregates, and the query that has these as `$1`, `$2`, …

    These are external variables of the query, so that it is compiled once for all windows.
    """

    extent: ast.DiffWindow
    aggregates: tuple[Aggregate, ...]
    rest: ast.Module


@dataclass(frozen=True, slots=True)
class Subscription:
    """A query in two parts: over each record and, if there is a window, over windows of records.

    `documents` are the names of the documents beside the stream.
    """

    stream: str
    path: tuple[str, ...]
    per_record: ast.Module
    window: Window | None = None
    documents: tuple[str, ...] = ()


def subscription(module: ast.Module) -> Subscription:
    """The two parts of a query over records; raises QueryError where records depend on each other."""
    flwor = inner(module.body)
    first = flwor.clauses[0] if isinstance(flwor, ast.Flwor) else None
    if not isinstance(flwor, ast.Flwor) or not isinstance(first, ast.For):
        raise QueryError(not_a_subscription(module.body.span))
    source = first.source
    if not isinstance(source, ast.Path) or not isinstance(source.source, ast.Input):
        raise QueryError(not_a_subscription(source.span))
    documents = _documents(module, source.source, windowed=first.window is not None)
    names = tuple(_name(step) for step in source.steps)
    others = [clause for clause in flwor.clauses if isinstance(clause, ast.OrderBy)]
    if first.at is not None or others:
        raise QueryError(depends_on_others((others[0] if others else first).span))
    place = ast.best_match_at(flwor.clauses)
    join = None if place is None else flwor.clauses[place]
    if isinstance(join, ast.BestMatch) and [group.name for group in join.groups] != [first.variable]:
        raise QueryError(compares_records(join.span))
    if first.window is None:
        return Subscription(source.source.name, names, replace(module, body=flwor), documents=documents)
    if not isinstance(first.window, ast.DiffWindow):
        raise QueryError(counted_window(first.window.span))
    return _windowed(module, flwor, first, source.source.name, names, first.window)


def _documents(module: ast.Module, stream: ast.Input, *, windowed: bool) -> tuple[str, ...]:
    """The names of the documents beside the stream, which is named once; a window has none."""
    inputs = [node for node in ast.walk(module) if isinstance(node, ast.Input | ast.Root)]
    documents: list[str] = []
    for node in inputs:
        if node is stream:
            continue
        if not isinstance(node, ast.Input) or node.kind != "doc" or node == stream:
            raise QueryError(not_a_subscription(node.span))
        if windowed:
            raise QueryError(beside_a_window(node.span))
        documents.append(node.name)
    return tuple(dict.fromkeys(documents))


def inner(expr: ast.Expr) -> ast.Expr:
    """The expression inside the elements around a subscription."""
    while isinstance(expr, ast.Element):
        inside = [part for part in expr.content if not isinstance(part, ast.Characters)]
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
    aggregates: list[Aggregate] = []

    def parameter_of(node: ast.Node) -> ast.Node | None:
        aggregate = _aggregate(node, first.variable)
        if aggregate is None:
            return None
        if aggregate not in aggregates:
            aggregates.append(aggregate)
        return ast.Variable(str(aggregates.index(aggregate) + 1), span=node.span)

    rest = _replaced(behind(flwor.clauses[1:], flwor.result), parameter_of)
    left = [n for n in ast.walk(rest) if isinstance(n, ast.Variable) and n.name == first.variable]
    if left:
        raise QueryError(not_an_aggregate(first.variable, left[0].span))
    item = ast.Variable(first.variable)
    values = [
        ast.Call("count" if aggregate.function == "count" else "string", (_of(item, aggregate.steps),))
        for aggregate in aggregates
    ]
    parts = [part for value in values for part in (ast.String(SEPARATOR), value)]
    numbers = ast.Call("concat", (ast.String(""), ast.String(""), *parts))
    per_record = ast.Flwor((replace(first, window=None),), numbers)
    parameters = tuple(
        ast.VariableDeclaration(str(place), None, None) for place, _ in enumerate(aggregates, start=1)
    )
    after = replace(module, body=rest, declarations=(*module.declarations, *parameters))
    window = Window(extent, tuple(aggregates), after)
    return Subscription(stream, path, replace(module, body=per_record), window)


def behind(clauses: tuple[ast.Clause, ...], result: ast.Expr) -> ast.Expr:
    """The query after the first for."""
    if not clauses:
        return result
    first, *others = clauses
    if isinstance(first, ast.Where):
        return ast.If(first.condition, behind(tuple(others), result))
    return ast.Flwor(clauses, result)


def _of(item: ast.Expr, steps: tuple[ast.Step | ast.ExprStep, ...]) -> ast.Expr:
    return ast.Path(item, steps) if steps else item


def _aggregate(node: ast.Node, variable: str) -> Aggregate | None:
    """An aggregate of the window's records, or of what is at a path in each."""
    if not isinstance(node, ast.Call) or len(node.arguments) != 1:
        return None
    function, (argument,) = node.name.removeprefix("fn:"), node.arguments
    if function not in AGGREGATES:
        return None
    match argument:
        case ast.Variable(name) if name == variable:
            return Aggregate(function, ())
        case ast.Path(ast.Variable(name), steps) if name == variable:
            return Aggregate(function, steps)
    return None


def _replaced(node: _N, by: Callable[[ast.Node], ast.Node | None]) -> _N:
    """The tree with its outermost nodes for which `by` gives another replaced by that."""

    def change(inner: ast.Node) -> ast.Node:
        other = by(inner)
        return rebuilt(inner, change) if other is None else other

    return change(node)  # type: ignore[return-value]


def not_a_subscription(span: Span | None) -> Diagnostic:
    return problems.NOT_A_SUBSCRIPTION.at(span)


def depends_on_others(span: Span | None) -> Diagnostic:
    return problems.DEPENDS_ON_OTHERS.at(span)


def compares_records(span: Span | None) -> Diagnostic:
    return problems.COMPARES_RECORDS.at(span)


def beside_a_window(span: Span | None) -> Diagnostic:
    return problems.BESIDE_A_WINDOW.at(span)


def counted_window(span: Span | None) -> Diagnostic:
    return problems.COUNTED_WINDOW.at(span)


def not_an_aggregate(variable: str, span: Span | None) -> Diagnostic:
    return problems.WINDOW_CONTENTS.at(span, variable=variable)
