"""Subscriptions in XQuery: their parts as texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.span import Text
from slackwater.flux import across
from slackwater.globe.model import Properties, Published, StreamId
from slackwater.globe.properties.xml import Need, need_of
from slackwater.globe.split.outline import Outline
from slackwater.globe.split.xquery import filter_query, query_over
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from slackwater.schema import read_schema
from slackwater.schema.records import record_type, steps


def needs(
    text: str, name: str, published: Mapping[StreamId, Published]
) -> tuple[tuple[Properties, ...], tuple[StreamId, ...], Outline]:
    """What an XQuery needs of its stream, the documents it reads, and the shape of its result."""
    try:
        need = _need(text)
    except QueryError:
        # With its own name in the message.
        need = need_of(parse(Text(name, text)))
    return (need.properties,), need.documents, _outline(need)


def filter_text(need: Properties, name: StreamId, stream: Properties, published: Published) -> str:
    """The filter as text."""
    path = steps(published.record) or ()
    return print_query(filter_query(path, name, need, stream))


def rest_text(
    text: str,
    streams: Mapping[StreamId, tuple[StreamId, Properties]],
    published: Mapping[StreamId, Published],
) -> str:
    """The subscription over a stream that contains what it needs."""
    need = _need(text)
    name, properties = streams[need.properties.source]
    return print_query(query_over(need, name, properties))


def names(schema: str, record: str) -> tuple[str, ...]:
    """The parts of a record: attributes and children, in the order of the schema."""
    path = steps(record)
    if not schema or path is None:
        return ()
    type_ = record_type(read_schema(Text("schema", schema)), path)
    if isinstance(type_, Diagnostic):
        return ()
    return (*(f"@{name}" for name in type_.attributes), *type_.names)


def sources(text: str) -> tuple[StreamId, ...]:
    """The stream and the documents that a query names."""
    need = _need(text)
    return (need.properties.source, *need.documents)


@lru_cache(maxsize=4096)
def _need(text: str) -> Need:
    return need_of(parse(Text("subscription", text)))


def _outline(need: Need) -> Outline:
    flwor = across.inner(need.rest.body)
    assert isinstance(flwor, ast.Flwor)
    first, *others = flwor.clauses
    assert isinstance(first, ast.For)
    conditions = sum(isinstance(clause, ast.Where) for clause in others)
    if isinstance(first.window, ast.DiffWindow):
        return Outline("aggregate", conditions, (), 1, float(first.window.slide))
    copied, computed = _copied(flwor.result, first.variable)
    matches = [clause for clause in others if isinstance(clause, ast.BestMatch)]
    joins = matches or any(isinstance(clause, ast.For) for clause in others) or need.documents
    bounds = tuple(
        limit for match in matches for one in match.dimensions if (limit := _bound(one, first.variable))
    )
    return Outline("join" if joins else "transform", conditions, copied, computed, bounds=bounds)


def _copied(result: ast.Expr, variable: str) -> tuple[tuple[str, ...] | None, int]:
    """The children of the record that an element copies, and how many other values it has."""
    if not isinstance(result, ast.Element):
        return None, 0
    copied: list[str] = []
    computed = 0
    for part in result.content:
        match part:
            case ast.Path(ast.Variable(name), (ast.Step("child", ast.NameTest(child), ()),)) if (
                name == variable
            ):
                copied.append(child)
            case ast.Path(ast.Variable(name)) | ast.Variable(name) if name == variable:
                return None, 0
            case _:
                computed += 1
    return tuple(copied), computed


def _bound(dimension: ast.Dimension, variable: str) -> tuple[str, float] | None:
    """By how much a child of the record may differ from its partner's."""
    match dimension.bound:
        case ast.Integer(value) | ast.Fixed(value):
            paths = [
                node for expr in dimension.values for node in ast.walk(expr) if isinstance(node, ast.Path)
            ]
            for path in paths:
                match path:
                    case ast.Path(ast.Variable(name), (ast.Step("child", ast.NameTest(child), ()),)) if (
                        name == variable
                    ):
                        return child, float(value)
    return None
