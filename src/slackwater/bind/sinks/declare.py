"""CREATE SINK and INSERT INTO: the clauses checked, the query bound as the mode needs it."""

from __future__ import annotations

import posixpath
from dataclasses import replace

from sqlglot import exp

from slackwater.algebra import Kind, Operator
from slackwater.algebra.types import common
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.problem import Problem
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.catalog import Catalog
from slackwater.bind.catalogs.removal import make_room
from slackwater.bind.columns import declared_columns, key_columns
from slackwater.bind.set_operations import cast_columns
from slackwater.bind.sinks import problems
from slackwater.bind.sinks.declared import Sink
from slackwater.language.cql import nodes
from slackwater.language.options import repeated_option
from slackwater.language.problems import BAD_OPTION
from slackwater.language.sinks import (
    KEYED_MODE,
    MODES,
    OUTPUT_FORMATS,
    RELATION_MODES,
    SINK_OPTIONS,
    modes_of,
)


def declare_sink(node: nodes.CreateSink, binding: Binding) -> Sink:
    """The sink of a declaration; it enters the catalog."""
    name, span = node.this.name, binding.span(node.this)
    make_room(node, "sink", binding)
    path = node.args["location"].name
    format = _word(problems.UNKNOWN_OUTPUT, node.args.get("format"), OUTPUT_FORMATS, binding) or "csv"
    mode = _word(problems.UNKNOWN_MODE, node.args.get("mode"), MODES, binding)
    if node.args.get("key"):
        if mode not in (None, KEYED_MODE):
            where = binding.span(node.args["key"][0])
            binding.report(problems.KEY_WITHOUT_EFFECT.at(where, mode=mode))
        mode = mode or KEYED_MODE
    sink = Sink(name, path, format, mode, options=_options(node, binding), origin=span)
    if node.columns:
        schema = declared_columns(node.columns, binding)
        sink = replace(sink, schema=schema, key=key_columns(node, schema, binding))
    _refuse_shared(sink, binding, node)
    if name.lower() not in binding.catalog.sinks:
        binding.catalog.sinks[name.lower()] = sink
    return sink


def sink_named(node: nodes.InsertInto, binding: Binding) -> Sink | None:
    """The sink that a query is inserted into."""
    name, span = node.this.name, binding.span(node.this)
    sink = binding.catalog.sinks.get(name.lower())
    if sink is None:
        known = [other.name for other in binding.catalog.sinks.values()]
        detail = None if known else "No sink has been declared yet."
        hint = did_you_mean(name, known)
        unknown = problems.UNKNOWN_SINK.at(span, name=name, declared=quoted(known), detail=detail, hint=hint)
        binding.report(unknown)
    elif sink.is_written:
        binding.report(problems.WRITTEN_SINK.at(span, name=sink.name))
    return sink


def kind_for(sink: Sink) -> Kind | None:
    """The kind of answer that the mode of a sink needs; None where it has no mode, or that of a stream."""
    return Kind.RELATION if sink.mode in RELATION_MODES else None


def with_query(
    sink: Sink, plan: Operator, node: nodes.CreateSink | nodes.InsertInto, binding: Binding
) -> tuple[Sink, Operator]:
    """The sink with its query, whose plan gets the columns that the sink declares."""
    span = binding.span(node.args.get("mode") or node.this)
    if sink.mode is not None and sink.mode not in modes_of(plan.kind):
        fitting = " or ".join(modes_of(plan.kind))
        binding.report(problems.WRONG_MODE.at(span, mode=sink.mode, kind=plan.kind, fitting=fitting))
    if sink.schema is not None:
        plan = _as_declared(sink, plan, node, binding)
    else:
        sink = replace(sink, key=key_columns(node, plan.schema, binding))
    sink = replace(sink, is_written=True, uses=frozenset(binding.used))
    binding.catalog.sinks[sink.name.lower()] = sink
    return sink, plan


def idle_sinks(catalog: Catalog) -> list[Diagnostic]:
    """Warnings of sinks that no query writes to."""
    idle = [sink for sink in catalog.sinks.values() if not sink.is_written]
    return [problems.IDLE_SINK.at(sink.origin, name=sink.name) for sink in idle]


def _as_declared(sink: Sink, plan: Operator, node: exp.Expression, binding: Binding) -> Operator:
    """The plan with the names and types of the columns of the sink."""
    assert sink.schema is not None
    span = binding.span(node)
    if len(plan.schema) != len(sink.schema):
        what = f'sink "{sink.name}"'
        binding.report(errors.column_counts(what, len(sink.schema), len(plan.schema), span))
        return plan
    for (column, expected), actual in zip(sink.schema, plan.schema.types, strict=True):
        if common(expected, actual) != expected:
            binding.report(
                problems.WRONG_COLUMN.at(
                    span, column=column, name=sink.name, expected=expected, actual=actual
                )
            )
            return plan
    return cast_columns(plan, sink.schema.names, list(sink.schema.types))


def _word(
    unknown: Problem, identifier: exp.Expression | None, known: tuple[str, ...], binding: Binding
) -> str | None:
    """The word of a clause, one of those that are known."""
    if identifier is None:
        return None
    word = str(identifier.name).lower()
    if word not in known:
        hint, span = did_you_mean(word, known), binding.span(identifier)
        binding.report(unknown.at(span, word=identifier.name, known=", ".join(known), hint=hint))
        return None
    return word


def _options(node: nodes.CreateSink, binding: Binding) -> dict[str, bool]:
    options: dict[str, bool] = {}
    for option in node.args.get("options") or []:
        name, span = option.this.name.lower(), binding.span(option.this)
        if name not in SINK_OPTIONS:
            hint = did_you_mean(name, SINK_OPTIONS)
            known = quoted(SINK_OPTIONS)
            unknown = problems.UNKNOWN_SINK_OPTION.at(span, name=option.this.name, known=known, hint=hint)
            binding.report(unknown)
        elif name in options:
            binding.report(replace(repeated_option(name), span=span))
        elif not isinstance(option.expression, exp.Boolean):
            value = binding.span(option.expression)
            hint = "Write TRUE or FALSE."
            binding.report(BAD_OPTION.at(value, value=value.content, option=name, expected=hint))
        else:
            options[name] = bool(option.expression.this)
    return options


def _refuse_shared(sink: Sink, binding: Binding, node: nodes.CreateSink) -> None:
    place = posixpath.normpath(sink.path)
    for other in binding.catalog.sinks.values():
        if posixpath.normpath(other.path) == place and other.name.lower() != sink.name.lower():
            span = binding.span(node.args["location"])
            binding.report(problems.SHARED_FOLDER.at(span, name=sink.name, other=other.name))
