"""How much a stream carries, estimated from the statistics of what is published."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from slackwater.globe.model import Estimate, Histogram, Properties, Published, Range
from slackwater.globe.properties import WHOLE
from slackwater.globe.properties.ranges import is_point
from slackwater.globe.split import Outline

GUESS = 1 / 3
"""The part of all items that satisfies a condition of which nothing is known."""
TAGS = 16.0
"""Bytes of a record around its parts, and of a value that is computed. Names of tags are not counted: a part
that only renames elements reduces nothing."""
_WORK = {"filter": 1.0, "transform": 1.0, "aggregate": 2.0, "join": 8.0}


def of_published(published: Published) -> Estimate:
    """What the source itself sends."""
    known = published.statistics
    return Estimate(known.items_per_second, known.items_per_second * _record(published, (WHOLE,)))


def of_filter(need: Properties, published: Published) -> Estimate:
    """The items in all ranges, with the parts that are needed."""
    histograms = dict(published.statistics.histograms)
    share = GUESS ** len(need.conditions)
    for path, known in need.ranges:
        share *= share_of(known, histograms.get(path))
    items = published.statistics.items_per_second * share
    return Estimate(items, items * _record(published, need.parts))


def of_result(
    outline: Outline, need: Properties, published: Published, documents: Iterable[Published] = ()
) -> Estimate:
    """What a subscription makes of the items that it needs."""
    known = of_filter(need, published)
    share = GUESS**outline.conditions
    if outline.every is not None:
        items = min(known.items_per_second, 1 / outline.every) * share
        return Estimate(items, items * 2 * TAGS)
    items = known.items_per_second * share
    if outline.bounds:
        items *= min(1.0, _partners(outline, published, documents))
    if outline.copied is None:
        return Estimate(items, items * _record(published, need.parts))
    return Estimate(items, items * (_record(published, outline.copied) + TAGS * outline.computed))


def work(role: str, items: float, checks: int = 0) -> float:
    """The work of a part on so many items a second: a unit is about that of comparing one item."""
    return items * (_WORK[role] + checks / 8)


def work_over(role: str, items: float, left: int, needed: float) -> float:
    """The work on items of which some are needed: all are checked, and what passes is computed on."""
    return work(role, items) if not left else work("filter", items, left) + work(role, needed)


def checks(need: Properties) -> int:
    """How many comparisons the ranges and conditions are."""
    ends = sum((one.low is not None) + (one.high is not None) for _, one in need.ranges)
    return ends + 2 * len(need.conditions)


def share_of(known: Range, histogram: Histogram | None) -> float:
    """The part of all values that lies in a range."""
    if histogram is None or len(histogram.quantiles) < 2:
        return GUESS ** ((known.low is not None) + (known.high is not None))
    if is_point(known):
        return 1 / (histogram.distinct or 100)
    low = 0.0 if known.low is None else _below(known.low, histogram.quantiles)
    high = 1.0 if known.high is None else _below(known.high, histogram.quantiles)
    return max(0.0, high - low)


def _below(value: float, quantiles: tuple[float, ...]) -> float:
    """The part of all values that is less than a value."""
    place = bisect_left(quantiles, value)
    if place == 0:
        return 0.0
    if place == len(quantiles):
        return 1.0
    least, greatest = quantiles[place - 1], quantiles[place]
    within = (value - least) / (greatest - least) if greatest > least else 0.5
    return (place - 1 + within) / (len(quantiles) - 1)


def _record(published: Published, parts: tuple[str, ...]) -> float:
    known = published.statistics
    sizes = dict(known.sizes)
    if WHOLE in parts or not sizes:
        return known.bytes_per_item
    return min(known.bytes_per_item, TAGS + sum(sizes.get(part, TAGS) for part in parts))


def _partners(outline: Outline, published: Published, documents: Iterable[Published]) -> float:
    """How many items of the documents are within the bounds of an item."""
    histograms = dict(published.statistics.histograms)
    partners = sum(document.statistics.items_per_second for document in documents)
    for path, limit in outline.bounds:
        known = histograms.get(path)
        extent = known.quantiles[-1] - known.quantiles[0] if known and known.quantiles else 0.0
        partners *= min(1.0, 2 * limit / extent) if extent > 0 else GUESS
    return partners
