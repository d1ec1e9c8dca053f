"""ℜ: the relation of a stream, with the time of each row in the column TS.      SyncSQL 2.1"""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import Call, Expression, column, conjunction
from slackwater.algebra.rows import renamed
from slackwater.algebra.synchronization import STAMP
from slackwater.algebra.types import BIGINT, BOOLEAN, TIMESTAMP, TIMESTAMP_NTZ, Type
from slackwater.base.span import Span
from slackwater.base.time import INFINITY
from slackwater.bind.binding import Binding
from slackwater.optimize.facts.time_points import time_points

CLOCK_STREAM = "clockStr"
"""The stream of all time points, unless a source or a view has this name.      SyncSQL 3.2"""


def time_type(binding: Binding) -> Type:
    """The type of time points; later declarations may not change it."""
    clock = binding.catalog.clock
    binding.catalog.measured = clock
    if not clock.calendar:
        return BIGINT
    return TIMESTAMP if clock.zoned else TIMESTAMP_NTZ


def relation_of(plan: Operator, binding: Binding, span: Span) -> Operator:
    """The relation that a stream inserts into; a relation is its own."""
    if plan.kind is Kind.RELATION:
        return plan
    return algebra.Range(stamped(plan, binding, span), INFINITY, origin=span)


def stamped(stream: Operator, binding: Binding, span: Span) -> Operator:
    """The stream with its times in the column TS, unless it has such a column or consists of time points."""
    if own_stamp(stream) is not None:
        return stream
    return algebra.Stamp(stream, STAMP, time_type(binding), origin=span)


def own_stamp(plan: Operator) -> str | None:
    """The column that TS names without being added: one of that name, or the time point."""
    same_name = next((name for name in plan.schema.names if name.lower() == STAMP.lower()), None)
    return same_name or (plan.schema.names[0] if time_points(plan) is not None else None)


def tagged(stream: Operator, key: tuple[str, ...], binding: Binding, span: Span) -> Operator:
    """The tagger: the newest row of each key; without a key all rows.      SyncSQL 2.1, example 1"""
    if not key:
        return relation_of(stream, binding, span)
    return algebra.Rows(stamped(stream, binding, span), 1, partition=key, origin=span)


def with_last_insertion(plan: Operator, binding: Binding) -> Operator:
    """The relation with TS, the instant at which an equal row was last inserted.

    R ⋈ [Partition By all columns Rows 1](τ Istream R), on all columns: one partner for every row of R.
    """
    stream = algebra.Stamp(algebra.Istream(plan), STAMP, time_type(binding))
    newest = algebra.Rows(stream, 1, partition=plan.schema.names)
    inserted = renamed(newest, tuple(f"@inserted.{name}" for name in newest.schema.names))
    equal: list[Expression] = [
        Call(BOOLEAN, "is_not_distinct_from", (column(name, type_), column(f"@inserted.{name}", type_)))
        for name, type_ in plan.schema
    ]
    on = conjunction(equal)
    joined = algebra.Product(plan, inserted) if on is None else algebra.Join(plan, inserted, on)
    columns = [(name, column(name, type_)) for name, type_ in plan.schema]
    return algebra.Project(joined, (*columns, (STAMP, column(f"@inserted.{STAMP}", stream.type))))
