"""A whole text: declarations go into the catalog, queries become plans; all errors are reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.monotonic import is_monotonic
from slackwater.base.depth import deep
from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.span import Span, Text
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.catalog import Catalog, View
from slackwater.bind.catalogs.listings import listing
from slackwater.bind.catalogs.removal import drop, is_known, make_room, sources_of
from slackwater.bind.declarations import declare_source, declare_tagged, set_chronon
from slackwater.bind.parameters.parameters import Parameters
from slackwater.bind.query import Queries
from slackwater.bind.sinks.declare import declare_sink, kind_for, sink_named, with_query
from slackwater.bind.sinks.declared import Sink
from slackwater.bind.synchronization import problems
from slackwater.bind.user_functions.declare import declare_function
from slackwater.language.cql import nodes, parse, span_of, to_sql
from slackwater.language.cql.consumed import is_read


@dataclass(frozen=True, slots=True)
class Query:
    """A bound query: its plan, the notes on defaults, and the text with the defaults written out."""

    plan: Operator
    notes: tuple[Diagnostic, ...]
    expanded: str
    origin: Span
    name: str | None = None
    """The view's name, for the query of a CREATE VIEW."""
    output: str | None = None
    """The form of the answer that the query names: streamed or complete."""
    sink: Sink | None = None
    """Where the answer is written, for the query of a CREATE SINK or an INSERT INTO."""
    listing: tuple[tuple[str, ...], ...] | None = None
    """The rows of a SHOW or DESCRIBE, in their order."""


def bind(text: Text, catalog: Catalog, values: Mapping[str, Any] | None = None) -> list[Query]:
    """The queries of a text, views too, in order; its declarations enter the catalog.

    The values are those of its parameters. Raises QueryError with all errors of all statements.
    """
    mistakes: list[Diagnostic] = []
    parameters = Parameters(values or {})
    queries: list[Query] = []
    for statement in parse(text, double_quotes=catalog.prototype):
        binding = Binding(text, catalog, earlier=[sources_of(q.plan) for q in queries if _is_alone(q)])
        query = _statement(parameters.replace_in(statement, binding), binding)
        _check_all_read(statement, binding)
        mistakes += [error for error in binding.errors if error not in mistakes]
        if query is not None and not binding.errors:
            queries.append(query)
    if mistakes:
        raise QueryError(mistakes)
    parameters.refuse_unused()
    return [query for query in queries if _is_declared(query, catalog)]


def _is_alone(query: Query) -> bool:
    """Whether it is a query by itself, and not that of a view or a sink."""
    return query.name is None and query.sink is None


def _is_declared(query: Query, catalog: Catalog) -> bool:
    """Whether the view or sink of a query was not dropped or replaced after it."""
    if query.sink is not None:
        return catalog.sinks.get(query.sink.name.lower()) is query.sink
    entry = None if query.name is None else catalog.get(query.name)
    return query.name is None or (entry is not None and entry.plan is query.plan)


def bind_query(
    text: Text, catalog: Catalog, kind: Kind | None = None, values: Mapping[str, Any] | None = None
) -> Query:
    """The only query of a text; `kind` is the kind of its result, where that is declared elsewhere."""
    statements = parse(text, double_quotes=catalog.prototype)
    if len(statements) != 1 or not isinstance(statements[0], nodes.QUERIES + nodes.LISTINGS):
        raise QueryError(errors.not_one_query(len(statements), text.span()))
    binding = Binding(text, catalog)
    parameters = Parameters(values or {})
    statement = parameters.replace_in(statements[0], binding)
    if isinstance(statement, nodes.Show | nodes.Describe):
        query = _listing(statement, binding)
    else:
        query = _query(statement, binding, kind)
    _check_all_read(statements[0], binding)
    if binding.errors or query is None:
        raise QueryError(binding.errors)
    parameters.refuse_unused()
    return query


def _check_all_read(statement: exp.Expression, binding: Binding) -> None:
    """Report nodes that binding has passed over, if it has reported nothing else."""
    for node in () if binding.errors else statement.walk():
        if not is_read(node):
            span = span_of(node, binding.text)
            binding.report(errors.unsupported_expression(f'"{" ".join(span.content.split())}"', span))


@deep()
def _statement(node: exp.Expression, binding: Binding) -> Query | None:
    if is_known(node, binding.catalog):
        return None
    match node:
        case nodes.CreateSource():
            declare_source(node, binding)
            return None
        case nodes.CreateView():
            return _view(node, binding)
        case nodes.CreateTagged():
            plan, text = declare_tagged(node, binding), to_sql(node, pretty=True)
            if plan is None:
                return None
            return Query(plan, (), text, binding.span(node), node.this.name, "streamed")
        case nodes.CreateSink():
            sink = declare_sink(node, binding)
            return None if node.query is None else _sink_query(sink, node, binding)
        case nodes.CreateFunction():
            declare_function(node, binding)
            return None
        case nodes.InsertInto():
            target = sink_named(node, binding)
            return None if target is None else _sink_query(target, node, binding)
        case nodes.Drop():
            drop(node, binding)
            return None
        case nodes.Show() | nodes.Describe():
            return _listing(node, binding)
        case nodes.SetChronon():
            set_chronon(node, binding)
            return None
        case _:
            return _query(node, binding)


@deep()
def _query(
    node: exp.Expression, binding: Binding, kind: Kind | None = None, output: str | None = None
) -> Query:
    binding.output = nodes.output_of(node)
    plan = Queries(binding).query(node, [])
    span = binding.span(node)
    output = _output(output, plan, binding, span)
    if output is not None:
        kind = Kind.RELATION
    if kind is not Kind.RELATION and plan.kind is Kind.RELATION and is_monotonic(plan) and not binding.errors:
        binding.note(errors.default_istream("the result", span))
        binding.unstreamed.append(node)
        plan = algebra.Istream(plan, origin=span)
    if kind is Kind.STREAM and plan.kind is Kind.RELATION and not binding.errors:
        binding.report(errors.window_on_changing_query(span))
    return Query(plan, tuple(binding.notes), _expanded(node, binding), span, output=output)


def _output(output: str | None, plan: Operator, binding: Binding, span: Span) -> str | None:
    """The form of the answer, by CREATE STREAMED VIEW or SELECT STREAMED."""
    word = binding.output
    of_select = None if word is None else word.name.lower()
    place = span if word is None else binding.span(word)
    if output is not None and of_select is not None and output != of_select:
        why = f"the view is {output.upper()}"
        binding.report(problems.OUTPUT_PLACE.at(place, word=word.name if word else "", why=why))
    form = of_select or output
    if form is not None and plan.kind is Kind.STREAM:
        why = problems.NO_FORM_OF_STREAMS
        binding.report(problems.OUTPUT_PLACE.at(place, word=form.upper(), why=why))
    return form


def _expanded(node: exp.Expression, binding: Binding) -> str:
    """The query with every default written out."""
    if not binding.unwindowed and not binding.unstreamed and not binding.read:
        return to_sql(node, pretty=True)
    whole = nodes.CreateView(this=exp.to_identifier("_"), query=node.copy())
    copies = {id(old): new for old, new in zip(node.walk(), whole.query.walk(), strict=True)}
    for place, literal in binding.read.items():
        if (text := id(binding.unread[place])) in copies:
            copies[text].replace(literal.copy())
    for bare in (copies[id(source)] for source in binding.unwindowed if id(source) in copies):
        bare.replace(_windowed(bare))
    for bare in (copies[id(query)] for query in binding.unstreamed if id(query) in copies):
        bare.replace(_streamed(bare))
    return to_sql(whole.query, pretty=True)


def _streamed(bare: exp.Expression) -> exp.Expression:
    """A query, or a name that WITH defines, inside Istream."""
    if not isinstance(bare, exp.Table):
        return nodes.StreamOf(kind="istream", this=bare.copy())
    everything = exp.Select(expressions=[exp.Star()], from_=exp.From(this=bare.copy()))
    return exp.Subquery(this=nodes.StreamOf(kind="istream", this=everything))


def _windowed(bare: exp.Expression) -> exp.Expression:
    """A stream, or a query that returns one, with an unbounded window; its joins move to the result."""
    window = nodes.StreamWindow(kind="range")
    if isinstance(bare, exp.Table) or (
        isinstance(bare, exp.Subquery) and isinstance(bare.parent, exp.From | exp.Join)
    ):
        inner = bare.copy()
        inner.set("alias", None)
        inner.set("joins", None)
        alias, joins = bare.args.get("alias"), bare.args.get("joins")
        return nodes.Windowed(this=inner, window=window, alias=alias, joins=joins)
    inner = bare.copy() if isinstance(bare, exp.Subquery) else exp.Subquery(this=bare.copy())
    source = nodes.Windowed(this=inner, window=window)
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=source))


def _listing(node: nodes.Show | nodes.Describe, binding: Binding) -> Query | None:
    """SHOW or DESCRIBE as a query."""
    rows, span = listing(node, binding), binding.span(node)
    return None if rows is None else Query(rows.plan(span), (), to_sql(node), span, listing=rows.rows)


def _sink_query(sink: Sink, node: nodes.CreateSink | nodes.InsertInto, binding: Binding) -> Query | None:
    """The query of a sink."""
    query = _query(node.query, binding, kind_for(sink))
    if query.plan is BROKEN:
        return None
    sink, plan = with_query(sink, query.plan, node, binding)
    return replace(query, plan=plan, sink=sink)


def _view(node: nodes.CreateView, binding: Binding) -> Query | None:
    name = node.this.name
    span = binding.span(node.this)
    make_room(node, "view", binding)
    query = _query(node.query, binding, output=node.output)
    plan = query.plan
    if node.columns and plan is not BROKEN and len(node.columns) != len(plan.schema):
        listed, needed = len(node.columns), len(plan.schema)
        binding.report(errors.column_counts("a view's column list", listed, needed, span))
        plan = BROKEN
    plan = Queries(binding).with_columns(plan, [column.name for column in node.columns], node)
    if binding.errors:
        # Declared nevertheless, so that its errors are not reported again where it is used.
        if name not in binding.catalog:
            binding.catalog.declare(View(name, BROKEN))
        return None
    binding.catalog.declare(View(name, plan, frozenset(binding.used)))
    return replace(query, plan=plan, name=name)
