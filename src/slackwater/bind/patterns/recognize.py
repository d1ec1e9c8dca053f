"""Binding MATCH_RECOGNIZE to an operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import Expression
from slackwater.algebra.patterns import Pattern, Skip
from slackwater.base.time import INFINITY
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.catalog import Source
from slackwater.bind.patterns import problems
from slackwater.bind.patterns.reads import Reads
from slackwater.bind.patterns.syntax import Misread, read_pattern
from slackwater.bind.scope import Field, Scope, Table
from slackwater.bind.windows import chronons_of
from slackwater.language.cql import nodes

if TYPE_CHECKING:
    from slackwater.bind.query import Queries

_TIMES = ("ts", "time")
"""The names of the time of a stream that has no column for it."""


def recognized(queries: Queries, node: nodes.Recognized, source: Operator) -> Operator:
    """The stream of the matches of a pattern."""
    binding, span = queries.binding, queries.binding.span(node)
    if source is BROKEN:
        return BROKEN
    if source.kind is not Kind.STREAM:
        binding.report(problems.NOT_A_STREAM.at(binding.span(node.this)))
        return BROKEN
    before = len(binding.errors)
    pattern = _pattern(node.args["pattern"], binding)
    partition = _partition(source, node, binding)
    _check_order(node, binding)
    if pattern is None:
        return BROKEN
    variables = {name.lower(): name for name in pattern.variables()}
    fields = tuple(Field(name, name, type_) for name, type_ in source.schema)
    rows = Scope([Table(node.this.name, fields)])
    reads = Reads(binding, queries.expressions(rows, [], "MATCH_RECOGNIZE"), variables)
    conditions = _conditions(node, reads)
    measures = _measures(node, reads, partition)
    target = _target(node, reads)
    within = chronons_of(node.args.get("within"), INFINITY, binding)
    if len(binding.errors) > before:
        return BROKEN
    readings = tuple((name, read) for read, name in reads.names.items())
    skip = Skip(node.args.get("skip") or Skip.PAST_LAST)
    return algebra.Recognize(
        source, partition, pattern, readings, conditions, measures, skip, target, within, origin=span
    )


def _pattern(node: exp.Var, binding: Binding) -> Pattern | None:
    try:
        pattern = read_pattern(node.name)
    except Misread as misread:
        binding.report(problems.PATTERN_SYNTAX.at(binding.span(node), why=str(misread)))
        return None
    if not pattern.shortest:
        binding.report(problems.EMPTY_MATCH.at(binding.span(node)))
        return None
    return pattern


def _partition(source: Operator, node: nodes.Recognized, binding: Binding) -> tuple[str, ...]:
    names = {name.lower(): name for name in source.schema.names}
    chosen: list[str] = []
    for column in node.args.get("partition_by") or []:
        if column.name.lower() not in names:
            tables = [(node.this.name, list(source.schema.names))]
            binding.report(errors.unknown_column(column.name, tables, binding.span(column)))
        else:
            chosen.append(names[column.name.lower()])
    return tuple(dict.fromkeys(chosen))


def _check_order(node: nodes.Recognized, binding: Binding) -> None:
    """ORDER BY is the time of the stream, or is left out."""
    keys = node.args.get("order") or []
    entry = binding.catalog.get(node.this.name) if isinstance(node.this, exp.Table) else None
    time = entry.time if isinstance(entry, Source) else None
    for place, key in enumerate(keys):
        column = key.this if isinstance(key, exp.Ordered) else key
        is_time = isinstance(column, exp.Column) and column.name.lower() in (*_TIMES, (time or "").lower())
        if place or not is_time or (isinstance(key, exp.Ordered) and key.args.get("desc")):
            advice = f"Write ORDER BY {time}." if time else "Remove ORDER BY."
            binding.report(problems.NOT_BY_TIME.at(binding.span(key), advice=advice))


def _conditions(node: nodes.Recognized, reads: Reads) -> tuple[tuple[str, Expression], ...]:
    conditions: dict[str, Expression] = {}
    for definition in node.args.get("define") or []:
        span = reads.binding.span(definition)
        name = reads.variables.get(definition.alias.lower())
        if name is None:
            known = ", ".join(reads.variables.values())
            reads.binding.report(problems.UNKNOWN_VARIABLE.at(span, name=definition.alias, known=known))
        elif name in conditions:
            reads.binding.report(problems.DEFINED_TWICE.at(span, name=name))
        elif (condition := reads.bound(definition.this, "DEFINE", is_condition=True)) is not None:
            conditions[name] = condition
    return tuple(conditions.items())


def _measures(
    node: nodes.Recognized, reads: Reads, partition: tuple[str, ...]
) -> tuple[tuple[str, Expression], ...]:
    measures: dict[str, Expression] = {}
    used = {name.lower() for name in partition}
    for measure in node.args.get("measures") or []:
        span = reads.binding.span(measure)
        if not isinstance(measure, exp.Alias):
            reads.binding.report(problems.MEASURE_NAME.at(span))
            continue
        if measure.alias.lower() in used:
            reads.binding.report(problems.REPEATED_MEASURE.at(span, name=measure.alias))
            continue
        used.add(measure.alias.lower())
        value = reads.bound(measure.this, "MEASURES", is_condition=False)
        if value is not None:
            measures[measure.alias] = value
    return tuple(measures.items())


def _target(node: nodes.Recognized, reads: Reads) -> str:
    target = node.args.get("target")
    if target is None:
        return ""
    name = reads.variables.get(target.name.lower())
    if name is None:
        span, known = reads.binding.span(target), ", ".join(reads.variables.values())
        reads.binding.report(problems.UNKNOWN_VARIABLE.at(span, name=target.name, known=known))
    return name or ""
