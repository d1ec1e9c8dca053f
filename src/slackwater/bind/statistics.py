"""Statistics that sources declare: their options `rate`, `row_count`, `distinct_values` and `row_bytes`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

from slackwater.base.time import Clock, length_in
from slackwater.bind.catalog import Source
from slackwater.optimize.cost.statistics import HORIZON, RATE, SourceStatistics, Statistics

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
"""Microseconds."""


def statistics_of(sources: Iterable[Source], clock: Clock) -> Statistics:
    """What the declarations say, without sources that say nothing. Values were checked with the options."""
    declared = {source.name.lower(): declared_statistics(source.options, clock) for source in sources}
    known = {name: one for name, one in declared.items() if one != SourceStatistics()}
    second = _chronons(Fraction(_SECOND), clock) if clock.calendar else None
    horizon = _chronons(Fraction(_DAY), clock) or HORIZON
    return Statistics(known, horizon=horizon, rate=RATE / (second or 1.0))


def declared_statistics(options: Mapping[str, object], clock: Clock) -> SourceStatistics:
    """What the options of one source say."""
    values = {name.lower(): str(value) for name, value in options.items() if value is not None}
    rate, rows, width = values.get("rate"), values.get("row_count"), values.get("row_bytes")
    return SourceStatistics(
        None if rate is None else rate_of(rate, clock),
        None if rows is None else float(rows),
        distinct_of(values.get("distinct_values", "")),
        None if width is None else float(width),
    )


def rate_of(text: str, clock: Clock) -> float | None:
    """Elements per chronon; without a length of time the number is one per chronon.

    >>> from slackwater.base.time import SECONDS
    >>> rate_of("30 per minute", SECONDS)
    0.5
    """
    number, _, length = text.lower().partition(" per ")
    period = length_in(length if re.match(r"\s*\d", length) else f"1 {length}") if length else None
    duration = None if period is None else period.duration
    if duration is None or duration.microseconds is None:
        return float(number) / float(duration.amount if duration is not None else 1)
    return float(number) / (_chronons(duration.microseconds, clock) or 1.0)


def _chronons(microseconds: Fraction, clock: Clock) -> float | None:
    chronon = clock.chronon.microseconds
    return float(microseconds / chronon) if chronon else None


def distinct_of(text: str) -> dict[str, float]:
    """Different values by column: `symbol 500, venue 12`."""
    pairs = [pair.split() for pair in text.split(",") if pair.strip()]
    return {name.lower(): float(count) for name, count in pairs}
