"""Whether a stream contains what is needed, what is left to check of it, and the least stream that has two.

vela    120 < ra < 138, -49 < dec < -40                     ra dec phc en det_time
rxj     130.5 < ra < 135.5, -48 < dec < -45, 1.3 < en       ra dec en det_time

vela contains rxj: all ranges of vela contain those of rxj, and vela has every part that rxj needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from slackwater.globe.model import Properties, Range
from slackwater.globe.properties.ranges import EVERYTHING, hull, is_within, unchecked

WHOLE = "."
"""The part that is the whole record."""


def contains(stream: Properties, need: Properties) -> bool:
    """Whether what is needed can be computed from the stream alone. True is a promise."""
    if stream.source != need.source or stream.format != need.format:
        return False
    if stream.computed:
        return is_same(stream, need)
    ranges = dict(need.ranges)
    if not all(is_within(ranges.get(path, EVERYTHING), known) for path, known in stream.ranges):
        return False
    if not {*stream.conditions} <= {*need.conditions}:
        return False
    left = remaining(need, stream)
    return has_parts(stream, (*need.parts, *checked_parts(left)))


def is_same(one: Properties, other: Properties) -> bool:
    """Whether two streams carry the same items, however their properties are ordered."""
    return (
        (one.source, one.format, one.computed) == (other.source, other.format, other.computed)
        and dict(one.ranges) == dict(other.ranges)
        and {*one.conditions} == {*other.conditions}
        and {*one.parts} == {*other.parts}
    )


def remaining(need: Properties, stream: Properties) -> Properties:
    """What is needed, without the ranges and conditions that the stream already guarantees (2.3.2)."""
    known = dict(stream.ranges)
    ranges = ((path, unchecked(one, known.get(path, EVERYTHING))) for path, one in need.ranges)
    return replace(
        need,
        ranges=tuple((path, one) for path, one in ranges if one != EVERYTHING),
        conditions=tuple(one for one in need.conditions if one not in stream.conditions),
    )


def cover(one: Properties, other: Properties) -> Properties:
    """The smallest stream with the structure of its source that contains both."""
    ranges: list[tuple[str, Range]] = []
    theirs = dict(other.ranges)
    for path, mine in one.ranges:
        both = hull(mine, theirs[path]) if path in theirs else EVERYTHING
        if both != EVERYTHING:
            ranges.append((path, both))
    conditions = tuple(condition for condition in one.conditions if condition in other.conditions)
    merged = replace(one, ranges=tuple(ranges), conditions=conditions, computed="")
    checked = [checked_parts(remaining(need, merged)) for need in (one, other)]
    return replace(merged, parts=united(one.parts, other.parts, *checked))


def checked_parts(need: Properties) -> tuple[str, ...]:
    """The parts that its ranges and conditions read."""
    paths = [top(path) for path, _ in need.ranges]
    return united(paths, *(condition.reads for condition in need.conditions))


def has_parts(stream: Properties, parts: Iterable[str]) -> bool:
    """Whether a record of the stream has these parts, as far as its source has them."""
    return WHOLE in stream.parts or {*parts} <= {*stream.parts}


def united(*parts: Iterable[str]) -> tuple[str, ...]:
    """All parts, each once; the whole record has them all."""
    every = tuple(dict.fromkeys(part for some in parts for part in some))
    return (WHOLE,) if WHOLE in every else every


def top(path: str) -> str:
    """The part of a record that a path is in."""
    return path.partition("/")[0]
