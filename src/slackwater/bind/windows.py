"""Windows on streams: lengths in chronons, numbers of rows, partitions."""

from __future__ import annotations

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.outer import outer_columns
from slackwater.base.time import INFINITY
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.nested.adapt import check_key
from slackwater.language.cql import nodes


def window_over(
    stream: Operator, window: nodes.StreamWindow, partition: tuple[str, ...], binding: Binding
) -> Operator:
    """The relation of the rows of a stream that are in the window."""
    span = binding.span(window)
    if outside := outer_columns(stream):
        binding.report(errors.correlated_window(outside, span))
        return BROKEN
    match window.kind:
        case "now":
            return algebra.Range(stream, 0, origin=span)
        case "range":
            slide = chronons_of(window.slide, 1, binding)
            return algebra.Range(
                stream, chronons_of(window.size, INFINITY, binding), max(slide, 1), origin=span
            )
        case "sliding":
            return algebra.Sliding(stream, max(chronons_of(window.size, INFINITY, binding), 1), origin=span)
        case "session":
            return algebra.Session(
                stream, chronons_of(window.size, INFINITY, binding), partition, origin=span
            )
        case "fixed":
            return algebra.Fixed(stream, max(chronons_of(window.size, INFINITY, binding), 1), origin=span)
        case _:
            count, slide = _count(window.size, INFINITY, binding), _count(window.slide, 1, binding)
            within = chronons_of(window.within, INFINITY, binding)
            if count >= INFINITY and slide == 1:
                return algebra.Range(stream, within, origin=span)
            return algebra.Rows(stream, count, slide, partition, within, origin=span)


def partition_of(stream: Operator, node: nodes.Windowed, name: str, binding: Binding) -> tuple[str, ...]:
    """The columns of the stream that PARTITION BY names."""
    names: list[str] = []
    aliases = [alias for alias in (node.alias, name) if alias]
    for column in node.window.partition_by:
        if column.table and column.table.lower() not in map(str.lower, aliases):
            binding.report(errors.unknown_alias(column.table, aliases, binding.span(column)))
        matches = [known for known in stream.schema.names if known.lower() == column.name.lower()]
        if matches:
            names.append(matches[0])
            check_key(stream.schema.type_of(matches[0]), binding.span(column), binding)
        else:
            table = (name, list(stream.schema.names))
            binding.report(errors.unknown_column(column.name, [table], binding.span(column)))
    return tuple(dict.fromkeys(names))


def chronons_of(node: nodes.Length | exp.Literal | None, missing: int, binding: Binding) -> int:
    """The duration in chronons; `missing` if there is none."""
    if not isinstance(node, nodes.Length):
        return missing
    clock = binding.catalog.clock
    chronons = clock.chronons(node.duration)
    binding.catalog.measured = clock
    if clock.calendar and node.duration.unit is None and chronons:
        binding.note(errors.default_unit(clock.lasting(chronons), binding.span(node)))
    if chronons is None:
        binding.report(errors.uneven_duration(node.duration, clock, binding.span(node)))
        return missing
    if chronons >= INFINITY:
        longest = clock.longest(node.duration.unit)
        binding.report(errors.long_duration(node.duration, longest, binding.span(node)))
        return missing
    return chronons


def _count(node: nodes.Length | exp.Literal | None, missing: int, binding: Binding) -> int:
    """The number of rows; `missing` if there is none."""
    if not isinstance(node, exp.Literal):
        return missing
    if int(node.name) >= INFINITY:
        binding.report(errors.many_rows(INFINITY - 1, binding.span(node)))
        return missing
    return int(node.name)
