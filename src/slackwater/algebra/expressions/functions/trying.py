"""Sums, differences and products that are NULL where the plain ones are an error."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.signatures import Family, Function

FUNCTIONS = (
    Function(
        "try_add",
        (Family.MEASURE, Family.MEASURE),
        s.added,
        "a + b, or NULL if that is too large",
        together=": two numbers, two intervals, or a date or timestamp and an interval",
        partial=True,
    ),
    Function(
        "try_subtract",
        (Family.MEASURE, Family.MEASURE),
        s.subtracted,
        "a - b, or NULL if that is too large",
        together=": two numbers, intervals, dates or timestamps, or one of those and an interval",
        partial=True,
    ),
    Function(
        "try_multiply",
        (Family.QUANTITY, Family.QUANTITY),
        s.multiplied,
        "a * b, or NULL if that is too large",
        together=": two numbers, or an interval and an integer",
        partial=True,
    ),
)
