"""An XQuery in two parts: a filter that keeps the structure of the stream, and the query over its result.

    RXJ-filter    for $p in stream("photons")/photons/photon where … return <photon>{$p/ra} … </photon>
    RXJ-trans     for $p in stream("rxj-filter")/photons/photon return <rxj>{$p/*}</rxj>

Either part checks only what its input does not guarantee already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from slackwater.base.span import Text
from slackwater.flux import across
from slackwater.flux.plan.terms import replaced, substituted
from slackwater.globe.model import Properties
from slackwater.globe.properties import WHOLE, remaining
from slackwater.globe.properties.compare import child, comparisons
from slackwater.globe.properties.xml import RECORD, Need, conjunction
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import read


def filter_query(path: Sequence[str], name: str, need: Properties, stream: Properties) -> ast.Module:
    """The records that are needed, with the needed parts, of the stream of that name."""
    record = ast.Variable(RECORD)
    steps = tuple(map(child, path))
    clauses: list[ast.Clause] = [ast.For(RECORD, ast.Path(ast.Input("stream", name), steps))]
    if (condition := conjunction(conditions(remaining(need, stream)))) is not None:
        clauses.append(ast.Where(condition))
    result: ast.Expr = record
    if {*need.parts} != {*stream.parts}:
        content = tuple(ast.Path(record, (_step(part),)) for part in need.parts)
        result = ast.Element(path[-1], content=content)
    body: ast.Expr = ast.Flwor(tuple(clauses), result)
    for tag in reversed(path[:-1]):
        body = ast.Element(tag, content=(body,))
    return ast.Module(body)


def query_over(need: Need, name: str, stream: Properties) -> ast.Module:
    """The subscription over a stream that contains what it needs."""
    module = replaced(need.rest, lambda expr: _renamed(expr, need.properties.source, name))
    flwor = across.inner(module.body)
    assert isinstance(flwor, ast.Flwor)
    first, *others = flwor.clauses
    assert isinstance(first, ast.For)
    left = conjunction(conditions(remaining(need.properties, stream)))
    changed = _abbreviated(flwor, first.variable, stream.parts)
    if left is not None and first.window is not None:
        changed = replace(changed, clauses=(_with_predicate(first, left), *others))
    elif left is not None:
        where = ast.Where(substituted(left, {RECORD: ast.Variable(first.variable)}))
        changed = replace(changed, clauses=(first, where, *others))
    return replaced(module, lambda expr: changed if expr is flwor else None)


def conditions(need: Properties) -> list[ast.Expr]:
    """The ranges and conditions of a need, on the record `$p`."""
    ranges = [one for path, known in need.ranges for one in comparisons(path, known, RECORD)]
    return [*ranges, *(read(Text("condition", one.text)).body for one in need.conditions)]


def _renamed(expr: ast.Expr, old: str, new: str) -> ast.Expr | None:
    return ast.Input("stream", new) if expr == ast.Input("stream", old) else None


def _step(part: str) -> ast.Step:
    return ast.Step("attribute", ast.NameTest(part[1:])) if part.startswith("@") else child(part)


def _with_predicate(first: ast.For, condition: ast.Expr) -> ast.For:
    """A window takes its records through a predicate: what stands in `where` is about windows."""
    relative = substituted(condition, {RECORD: ast.ContextItem()})
    assert isinstance(first.source, ast.Path)
    *around, last = first.source.steps
    assert isinstance(last, ast.Step)
    last = replace(last, predicates=(*last.predicates, relative))
    return replace(first, source=replace(first.source, steps=(*around, last)))


def _abbreviated(flwor: ast.Flwor, variable: str, parts: Sequence[str]) -> ast.Flwor:
    """<a>{$p/x}{$p/y}</a> = <a>{$p/*}</a> if the records have x and y only, in this order."""
    result = flwor.result
    every = tuple(ast.Path(ast.Variable(variable), (_step(part),)) for part in parts)
    if not isinstance(result, ast.Element) or result.content != every or len(parts) < 2 or WHOLE in parts:
        return flwor
    if any(part.startswith("@") for part in parts):
        return flwor
    star = ast.Path(ast.Variable(variable), (child("*"),))
    return replace(flwor, result=replace(result, content=(star,)))
