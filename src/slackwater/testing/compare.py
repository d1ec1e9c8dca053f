"""Two answers compared: as bags, with floats that agree to 1e-9 of their size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slackwater.reference.bags import Bag, Changes, Row, difference

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that one answer has and the other has not, `copies` times.

    Positive copies are missing from the answer, negative ones are in it unexpectedly. `instant` and
    `op` say which change it is, where changes were compared.
    """

    row: Row
    copies: int
    instant: int | None = None
    op: str = ""


def bag_differences(expected: Bag, actual: Bag, instant: int | None = None, op: str = "") -> list[Difference]:
    """The rows by which the bags differ; none where they are equal."""
    net = difference(expected, actual)
    missing = {row: copies for row, copies in net.items() if copies > 0}
    surplus = {row: -copies for row, copies in net.items() if copies < 0}
    _pair_off(missing, surplus)
    differences = [Difference(row, copies, instant, op) for row, copies in missing.items()]
    return differences + [Difference(row, -copies, instant, op) for row, copies in surplus.items()]


def change_differences(expected: Changes, actual: Changes) -> list[Difference]:
    """The same, instant by instant, for additions and for removals."""
    differences: list[Difference] = []
    for instant in sorted(expected.keys() | actual.keys()):
        for op, sign in (("-", -1), ("+", 1)):
            one, other = (_part(changes.get(instant, {}), sign) for changes in (expected, actual))
            differences += bag_differences(one, other, instant, op)
    return differences


def _part(bag: Mapping[Row, int], sign: int) -> Bag:
    return {row: copies * sign for row, copies in bag.items() if copies * sign > 0}


def _pair_off(missing: Bag, surplus: Bag) -> None:
    """Take rows out of both bags that differ only in the last digits of floats."""
    for row in [row for row in missing if any(isinstance(value, float) for value in row)]:
        for other in list(surplus):
            both = min(missing.get(row, 0), surplus[other])
            if both and all(map(_close, row, other)):
                for bag, key in ((missing, row), (surplus, other)):
                    bag[key] -= both
                    if not bag[key]:
                        del bag[key]


def _close(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=TOLERANCE) or (one != one and other != other)
    return bool(one == other)
