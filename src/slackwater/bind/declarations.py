"""Declarations: streams, relations and tagged streams enter the catalog."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.types import TIMESTAMP, TIMESTAMP_NTZ, UNKNOWN, Type
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.base.time import Clock
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.catalog import Source, View
from slackwater.bind.catalogs.removal import in_use, make_room, users_of
from slackwater.bind.columns import declared_columns, key_columns
from slackwater.bind.query import Queries
from slackwater.bind.records import bad_record, record_columns, unknown_leaf
from slackwater.bind.statistics import distinct_of
from slackwater.bind.synchronization import problems
from slackwater.bind.synchronization.relations import tagged
from slackwater.bind.types import type_named
from slackwater.language.cql import nodes
from slackwater.language.option_values import wrong_value
from slackwater.language.options import FORMATS, Use, format_by_name, repeated_option, wrong_option
from slackwater.schema.records import steps


def set_chronon(node: nodes.SetChronon, binding: Binding) -> None:
    """SET CHRONON."""
    span = binding.span(node)
    if binding.catalog.calendar:
        binding.report(errors.calendar_chronon(span))
    elif node.length.duration.unit is None:
        binding.report(errors.unitless_chronon(span))
    else:
        binding.catalog.set_chronon(Clock(node.length.duration))
        _check_clock(binding, span)


def _check_clock(binding: Binding, span: Span) -> None:
    """Report a statement that changes the clock after another one has converted durations."""
    measured = binding.catalog.measured
    if measured is not None and measured != binding.catalog.clock:
        binding.report(errors.late_chronon(measured, span))


def declare_tagged(node: nodes.CreateTagged, binding: Binding) -> Operator | None:
    """CREATE STREAM … OVER a source: the relation that its rows insert into or update; None for errors."""
    name = node.this.name
    make_room(node, "stream", binding)
    stream = Queries(binding).resolve(exp.Table(this=node.args["source"].copy()))
    plan: Operator = BROKEN
    if stream is not BROKEN and stream.kind is Kind.RELATION:
        binding.report(
            problems.NOT_A_RAW_STREAM.at(binding.span(node.args["source"]), name=node.args["source"].name)
        )
    elif stream is not BROKEN:
        key = key_columns(node, stream.schema, binding)
        plan = tagged(stream, key, binding, binding.span(node))
    if binding.errors:
        if name not in binding.catalog:
            binding.catalog.declare(View(name, BROKEN))
        return None
    binding.catalog.declare(View(name, plan, frozenset(binding.used), "stream"))
    return plan


def declare_source(node: nodes.CreateSource, binding: Binding) -> None:
    """CREATE STREAM, CREATE RELATION."""
    name, span = node.this.name, binding.span(node.this)
    users = users_of(node.kind, name, binding)
    replaced = binding.catalog.get(name)
    if not make_room(node, node.kind, binding, may_be_used=True):
        return
    schema = _schema(node, binding)
    time, moment = _time(node, schema, binding)
    calendar = None if moment is None else moment.is_time
    _check_options(node, binding)
    _check_counted_columns(node, schema, binding)
    known = binding.catalog.calendar
    if calendar is not None and known is not None and calendar != known:
        binding.report(errors.mixed_time(name, span))
    key = key_columns(node, schema, binding)
    if node.kind == "stream":
        plan: algebra.Stream | algebra.Relation = algebra.Stream(name, schema, origin=span)
    else:
        plan = algebra.Relation(name, schema, key, bool(node.args.get("append_only")), origin=span)
    if users and replaced is not None and replaced.plan != plan:
        binding.report(in_use(node.kind, replaced.name, users, span, "replaced"))
    entry = Source(
        plan, time, _name(node, "op"), _name(node, "location"), _name(node, "format"), _options(node)
    )
    binding.catalog.declare(replace(entry, calendar=calendar, zoned=moment != TIMESTAMP_NTZ))
    _check_clock(binding, span)


def _schema(node: nodes.CreateSource, binding: Binding) -> Schema:
    leaves = _xml_columns(node, binding)
    if not node.columns:
        return Schema(tuple(leaves.items()))
    for column in node.columns:
        if leaves and column.name not in leaves:
            binding.report(unknown_leaf(column.name, leaves, binding.span(column)))
    return declared_columns(node.columns, binding)


def _xml_columns(node: nodes.CreateSource, binding: Binding) -> dict[str, Type]:
    """The columns by the XML schema; none without a schema."""
    span, record = binding.span(node.this), _name(node, "record")
    schema = _options(node).get("schema") if (_name(node, "format") or "").lower() == "xml" else None
    if node.columns and schema is None:
        if record is not None and steps(record) is None:
            binding.report(bad_record(record, binding.span(node.args["record"])))
        return {}
    columns = record_columns(schema, record, span)
    if isinstance(columns, Diagnostic):
        binding.report(columns)
        return {}
    return columns


def _time(node: nodes.CreateSource, schema: Schema, binding: Binding) -> tuple[str | None, Type | None]:
    """The name of the time column, and its type."""
    identifier = node.args.get("time")
    if identifier is None:
        return None, None
    written_type = node.args.get("time_type")
    declared = [type_ for name, type_ in schema if name.lower() == identifier.name.lower()]
    type_ = type_named(written_type) if written_type is not None else declared[0] if declared else TIMESTAMP
    if type_ is None or not (type_.is_integer or type_ in (TIMESTAMP, TIMESTAMP_NTZ, UNKNOWN)):
        shown = type_ if type_ is not None else UNKNOWN
        binding.report(errors.bad_time_column(identifier.name, shown, binding.span(identifier)))
        return identifier.name, None
    return identifier.name, None if type_ is UNKNOWN else type_


def _check_options(node: nodes.CreateSource, binding: Binding) -> None:
    format = (_name(node, "format") or "").lower() or None
    if format is not None and format not in FORMATS:
        binding.report(errors.unknown_format(format, FORMATS, binding.span(node.args["format"])))
        format = None
    location = _name(node, "location")
    is_somewhere = format is not None or location is not None
    format = format_by_name(location) if format is None and location is not None else format
    # Where the data is passed later, its time may be, too.
    has_time = True if node.args.get("time") is not None else False if is_somewhere else None
    use = Use(node.kind, format, has_time)
    seen: set[str] = set()
    for option in node.args.get("options") or []:
        name = option.this.name
        wrong = repeated_option(name) if name.lower() in seen else wrong_option(name, use)
        seen.add(name.lower())
        if wrong is not None:
            binding.report(replace(wrong, span=binding.span(option.this)))
        elif wrong := wrong_value(name, _value(option.expression)):
            binding.report(replace(wrong, span=binding.span(option.expression)))
    if node.args.get("record") is not None and format is not None and (wrong := wrong_option("record", use)):
        binding.report(replace(wrong, span=binding.span(node.args["record"])))


def _check_counted_columns(node: nodes.CreateSource, schema: Schema, binding: Binding) -> None:
    """Report columns of `distinct_values` that the source does not have."""
    known = {name.lower() for name in schema.names}
    for option in node.args.get("options") or []:
        text = _value(option.expression)
        if option.this.name.lower() == "distinct_values" and wrong_value("distinct_values", text) is None:
            for name in distinct_of(text).keys() - known:
                span = binding.span(option.expression)
                binding.report(errors.unknown_counted_column(name, schema, span))


def _name(node: nodes.CreateSource, part: str) -> str | None:
    identifier = node.args.get(part)
    return identifier.name if identifier is not None else None


def _options(node: nodes.CreateSource) -> dict[str, str]:
    options = {option.this.name: _value(option.expression) for option in node.args.get("options") or []}
    record = _name(node, "record")
    return options if record is None else {**options, "record": record}


def _value(node: exp.Expression) -> str:
    """The content of a text or a name; anything else as SQL: TRUE, -1."""
    return node.name if node.is_string else node.name or node.sql()
