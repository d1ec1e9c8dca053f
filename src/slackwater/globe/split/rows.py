"""Subscriptions in CQL: their parts as texts.

filter    RSTREAM(SELECT ra, en FROM photons [NOW] WHERE ra > 130.5)
rest      SELECT AVG(en) FROM "mean-filter" [RANGE 60 SECONDS] AS photons
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Column
from slackwater.algebra.users.functions import UserFunction
from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.base.tree import walk_once
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.globe.declared import declare_stream
from slackwater.globe.mobile.modules import functions_in
from slackwater.globe.model import Properties, Published, Range, StreamId
from slackwater.globe.properties import WHOLE, remaining
from slackwater.globe.properties.ranges import is_point
from slackwater.globe.properties.rows import is_implied, needs_of
from slackwater.globe.split.outline import Outline
from slackwater.language.cql import StreamOf, StreamWindow, Windowed, parse, to_sql
from slackwater.optimize.phases import optimized

_COMPARED: dict[type[exp.Expression], str] = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}


def needs(
    text: str, name: str, published: Mapping[StreamId, Published]
) -> tuple[tuple[Properties, ...], tuple[StreamId, ...], Outline]:
    """What a CQL query needs of its streams, and the shape of its result."""
    query = bind_query(Text(name, text), _known(Text(name, text), published))
    plan = optimized(query.plan)
    every = {source: _sendable(need) for source, need in needs_of(plan).items()}
    relations = [one.name for one in _operators(plan) if isinstance(one, algebra.Relation)]
    return tuple(every.values()), tuple(dict.fromkeys(relations)), _outline(plan, len(every))


def filter_text(need: Properties, name: StreamId, stream: Properties, published: Published) -> str:
    """The filter as a stream of rows, each at its own instant."""
    left = remaining(need, stream)
    conditions = [one for column, known in left.ranges for one in _comparisons(column, known)]
    conditions += [_condition(one.text) for one in left.conditions]
    chosen = names(published.schema, "") if WHOLE in need.parts else need.parts
    source = Windowed(this=exp.Table(this=_identifier(name)), window=StreamWindow(kind="now"))
    select = exp.Select(
        expressions=[exp.Column(this=_identifier(column)) for column in chosen],
        from_=exp.From(this=source),
    )
    if conditions:
        select.set("where", exp.Where(this=exp.and_(*conditions, copy=False)))
    return to_sql(StreamOf(kind="rstream", this=select))


def rest_text(
    text: str,
    streams: Mapping[StreamId, tuple[StreamId, Properties]],
    published: Mapping[StreamId, Published],
) -> str:
    """The subscription over streams that contain what it needs, with the names that its columns had."""
    whole = Text("subscription", text)
    expanded = bind_query(whole, _known(whole, published)).expanded
    (statement,) = parse(Text("subscription", expanded))
    known = {source.lower(): stream for source, stream in streams.items()}
    for select in statement.find_all(exp.Select):
        _without_implied(select, known)
    for table in [*statement.find_all(exp.Table)]:
        name = known.get(table.name.lower(), (table.name, None))[0]
        if name != table.name:
            _rename(table, name)
    return to_sql(statement)


def names(schema: str, record: str) -> tuple[str, ...]:
    """The columns of a stream, in the order of its declaration."""
    (source,) = _catalog((schema,))
    return tuple(name for name, _ in source.plan.schema)


def sources(text: str) -> tuple[StreamId, ...]:
    """The streams and relations that a query names."""
    return _tables(Text("subscription", text))


def read_by(text: Text, published: Iterable[Published]) -> list[Published]:
    """The streams of rows that a query names: the clocks and mistakes of others do not concern it."""
    tables = {name.lower() for name in _tables(text)}
    return [one for one in published if one.format == "rows" and one.id.lower() in tables]


def _tables(text: Text) -> tuple[str, ...]:
    tables = (table.name for statement in parse(text) for table in statement.find_all(exp.Table))
    return tuple(dict.fromkeys(tables))


def _known(text: Text, published: Mapping[StreamId, Published]) -> Catalog:
    """The streams and functions that a query names."""
    schemas = tuple(one.schema for one in read_by(text, published.values()))
    return _catalog(schemas, tuple(functions_in(text.content, published.values())))


@lru_cache(maxsize=64)
def _catalog(schemas: tuple[str, ...], functions: tuple[UserFunction, ...] = ()) -> Catalog:
    catalog = Catalog()
    catalog.functions.update((function.name.lower(), function) for function in functions)
    for schema in schemas:
        declare_stream("schema", schema, catalog)
    return catalog


def _operators(plan: Operator) -> list[Operator]:
    return [*walk_once(plan, lambda one: one.inputs)]


def _outline(plan: Operator, streams: int) -> Outline:
    operators = _operators(plan)
    computed = len(plan.schema.columns)
    if streams > 1:
        return Outline("join", copied=(), computed=computed)
    if any(isinstance(one, algebra.Aggregate) for one in operators):
        return Outline("aggregate", copied=(), computed=computed)
    if isinstance(plan, algebra.Project):
        copied = tuple(e.name.rpartition(".")[2] for _, e in plan.columns if isinstance(e, Column))
        return Outline("transform", copied=copied, computed=len(plan.columns) - len(copied))
    return Outline("transform")


def _comparisons(column: str, known: Range) -> list[exp.Expression]:
    value = exp.Column(this=_identifier(column))
    if known.low is not None and is_point(known):
        return [exp.EQ(this=value, expression=_number(known.low))]
    ends: list[exp.Expression] = []
    if known.low is not None:
        kind = exp.GTE if known.includes_low else exp.GT
        ends.append(kind(this=value.copy(), expression=_number(known.low)))
    if known.high is not None:
        other = exp.LTE if known.includes_high else exp.LT
        ends.append(other(this=value.copy(), expression=_number(known.high)))
    return ends


def _number(value: float) -> exp.Expression:
    literal = exp.Literal.number(repr(int(abs(value)) if value.is_integer() else abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def _sendable(need: Properties) -> Properties:
    """Without conditions whose text is none: a column may have the name of a keyword."""
    return replace(need, conditions=tuple(one for one in need.conditions if _is_readable(one.text)))


def _is_readable(text: str) -> bool:
    try:
        _condition(text)
    except QueryError:
        return False
    return True


def _condition(text: str) -> exp.Expression:
    """A condition that was printed by the optimizer."""
    (query,) = parse(Text("condition", f"SELECT 1 FROM t [NOW] WHERE {text}"))
    where = query.find(exp.Where)
    assert where is not None
    condition: exp.Expression = where.this
    return exp.Paren(this=condition) if isinstance(condition, exp.Or) else condition


def _without_implied(select: exp.Select, streams: Mapping[str, tuple[StreamId, Properties]]) -> None:
    """Drop conditions on the only stream of a SELECT that every row of it satisfies."""
    tables = [*select.find_all(exp.Table)]
    where = select.args.get("where")
    if len(tables) != 1 or where is None or tables[0].name.lower() not in streams:
        return
    stream = streams[tables[0].name.lower()][1]
    every: list[exp.Expression] = [where.this]
    if isinstance(where.this, exp.And):
        every = [*where.this.flatten()]  # type: ignore[list-item]
    left = [one for one in every if not _is_implied(one, stream)]
    select.set("where", exp.Where(this=exp.and_(*left, copy=False)) if left else None)


def _is_implied(condition: exp.Expression, stream: Properties) -> bool:
    sign = _COMPARED.get(type(condition))
    if sign is None or not isinstance(condition.this, exp.Column):
        return False
    value = _value(condition.expression)
    if value is None:
        return False
    closed = sign.endswith("=")
    known = (
        Range(low=value, includes_low=closed) if sign[0] == ">" else Range(high=value, includes_high=closed)
    )
    return is_implied(condition.this.name, known, stream)


def _value(expr: exp.Expression) -> float | None:
    match expr:
        case exp.Literal() if not expr.is_string:
            return float(expr.name)
        case exp.Neg():
            inner = _value(expr.this)
            return None if inner is None else -inner
    return None


def _rename(table: exp.Table, name: StreamId) -> None:
    """Another table by the name that columns are qualified with."""
    holder = table.parent if isinstance(table.parent, Windowed) else table
    if not holder.args.get("alias"):
        holder.set("alias", exp.TableAlias(this=_identifier(table.name)))
    table.set("this", _identifier(name))


def _identifier(name: str) -> exp.Identifier:
    return exp.to_identifier(name)
