"""Statistics that are measured: the rates of sources, from the progress of a run at two times."""

from __future__ import annotations

from slackwater.base.time import INFINITY
from slackwater.optimize.cost.statistics import SourceStatistics, Statistics
from slackwater.run.progress import QueryProgress


def measured(earlier: QueryProgress, later: QueryProgress) -> Statistics:
    """The rate of each source whose watermark has advanced: rows read by chronons passed."""
    before = {source.name: source for source in earlier.sources}
    rates: dict[str, SourceStatistics] = {}
    for source in later.sources:
        first = before.get(source.name)
        if first is None or not first.watermark < source.watermark < INFINITY:
            continue
        passed = source.watermark - first.watermark
        rates[source.name.lower()] = SourceStatistics(rate=(source.events - first.events) / passed)
    return Statistics(rates)
