"""Sets of time points: what a synchronization stream over the clock means.      SyncSQL 3.2

A set is a union of classes, each an arithmetic progression within bounds:

    Class(4, 1)               1, 5, 9, 13, …
    Class(4, 1, since=6)      9, 13, …

Unions and intersections of sets are sets again, by the Chinese remainder theorem, and whether one set is
contained in another is decided. Nothing here enumerates a period: a period of an hour in microseconds is one
class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from math import gcd, lcm

from slackwater.base.time import INFINITY

EARLIEST = -INFINITY
MOST_CLASSES = 10_000
"""The most classes of one set; a set with more is refused when it is made."""
MOST_RESIDUES = 1_000_000
"""Up to so many residues, or points, containment is decided by looking at each."""


class TooManyPoints(ValueError):
    """A set that cannot be written with few classes: `Timepoint mod 1000003 <> 0`."""


@dataclass(frozen=True, slots=True, order=True)
class Class:
    """{ t | t ≡ residue (mod period), since ≤ t < until }"""

    period: int
    residue: int = 0
    since: int = EARLIEST
    until: int = INFINITY

    def __post_init__(self) -> None:
        if self.period < 1 or not 0 <= self.residue < self.period:
            raise ValueError(f"no class of points: {self.residue} modulo {self.period}")

    def __contains__(self, t: int) -> bool:
        return self.since <= t < self.until and t % self.period == self.residue

    @property
    def is_empty(self) -> bool:
        return self.ceil(self.since) >= self.until

    def ceil(self, t: int) -> int:
        """The first point at or after t; ∞ if there is none."""
        t = max(t, self.since)
        point = t + (self.residue - t) % self.period
        return point if point < self.until else INFINITY

    def floor(self, t: int) -> int | None:
        """The last point at or before t."""
        t = min(t, self.until - 1)
        point = t - (t - self.residue) % self.period
        return point if point >= self.since else None

    def __and__(self, other: Class) -> Class | None:
        common = gcd(self.period, other.period)
        if (self.residue - other.residue) % common:
            return None
        period = lcm(self.period, other.period)
        # self.residue + k · self.period ≡ other.residue (mod other.period)
        modulus = other.period // common
        steps = (other.residue - self.residue) // common * pow(self.period // common, -1, modulus)
        residue = (self.residue + steps % modulus * self.period) % period
        met = Class(period, residue, max(self.since, other.since), min(self.until, other.until))
        return None if met.is_empty else met

    def lies_in(self, other: Class) -> bool:
        """Whether every point is one of the other class, by its shape alone."""
        return (
            self.period % other.period == 0
            and self.residue % other.period == other.residue
            and other.since <= self.since
            and self.until <= other.until
        )


@dataclass(frozen=True, slots=True)
class Points:
    """A set of instants: the union of its classes. None of them lies in another one."""

    classes: tuple[Class, ...] = ()

    @staticmethod
    def of(classes: Iterable[Class]) -> Points:
        """The union of classes; raises TooManyPoints."""
        left: dict[int, dict[int, list[Class]]] = {}
        for one in sorted({one for one in classes if not one.is_empty}, key=_shorter_then_longer):
            alike = (left[period].get(one.residue % period, ()) for period in left if not one.period % period)
            if not any(one.lies_in(other) for others in alike for other in others):
                left.setdefault(one.period, {}).setdefault(one.residue, []).append(one)
        distinct = [one for residues in left.values() for others in residues.values() for one in others]
        if len(distinct) > MOST_CLASSES:
            raise TooManyPoints
        return Points(tuple(sorted(distinct)))

    @staticmethod
    def every(period: int, phase: int = 0) -> Points:
        """
        >>> Points.every(5, 12).ceil(3)
        7
        """
        return Points((Class(period, phase % period),))

    @staticmethod
    def between(since: int = EARLIEST, until: int = INFINITY) -> Points:
        """All instants since ≤ t < until."""
        return Points.of([Class(1, 0, since, until)])

    @property
    def is_empty(self) -> bool:
        return not self.classes

    @property
    def is_all(self) -> bool:
        return self == ALL

    def __contains__(self, t: int) -> bool:
        return any(t in one for one in self.classes)

    def __or__(self, other: Points) -> Points:
        return Points.of((*self.classes, *other.classes))

    def __and__(self, other: Points) -> Points:
        if len(self.classes) * len(other.classes) > MOST_CLASSES:
            raise TooManyPoints
        pairs = product(self.classes, other.classes)
        return Points.of(met for one, two in pairs if (met := one & two) is not None)

    def __invert__(self) -> Points:
        """All other instants; raises TooManyPoints, since a period p leaves p - 1 classes."""
        outside = ALL
        for one in self.classes:
            if one.period > MOST_CLASSES:
                raise TooManyPoints
            others = [
                Class(one.period, r, one.since, one.until) for r in range(one.period) if r != one.residue
            ]
            around = [Class(1, 0, EARLIEST, one.since), Class(1, 0, one.until, INFINITY)]
            outside &= Points.of([*others, *around])
        return outside

    def __le__(self, other: Points) -> bool:
        """Whether every point is one of the other set.

        A promise if true. False for a set that is contained is possible only if periods have more than a
        million residues in common.
        """
        return all(_is_covered(one, other.classes) for one in self.classes)

    def ceil(self, t: int) -> int:
        """The first point at or after t; ∞ if there is none."""
        return min((one.ceil(t) for one in self.classes), default=INFINITY)

    def floor(self, t: int) -> int | None:
        """The last point at or before t."""
        return max((point for one in self.classes if (point := one.floor(t)) is not None), default=None)

    def within(self, lo: int, hi: int) -> Iterator[int]:
        """The points lo ≤ t < hi, in order."""
        point = self.ceil(lo)
        while point < hi:
            yield point
            point = self.ceil(point + 1)

    def in_words(self, lasting: Callable[[int], str] = str) -> str:
        """The points as a user reads them; `lasting` writes a number of chronons.

        >>> Points.every(6, 2).in_words()
        'every 6 from 2'
        """
        return " or ".join(_in_words(one, lasting) for one in self.classes) or "never"

    def __str__(self) -> str:
        return self.in_words()


ALL = Points((Class(1, 0),))
"""Every instant: the clock."""
NEVER = Points()


def _shorter_then_longer(one: Class) -> tuple[int, int]:
    """A class can lie only in one before it: the period of that divides its own, its bounds are wider."""
    return one.period, one.since - one.until


def _is_covered(one: Class, others: tuple[Class, ...]) -> bool:
    """Whether every point of a class is in one of the others, decided piece by piece between their bounds."""
    met = [part for other in others if (part := one & other) is not None]
    bounds = sorted({one.since, one.until, *(edge for part in met for edge in (part.since, part.until))})
    for since, until in pairwise(bounds):
        piece = Class(one.period, one.residue, since, until)
        inside = [part for part in met if part.since <= since and until <= part.until]
        if not piece.is_empty and not _covers(piece, inside):
            return False
    return True


def _covers(piece: Class, parts: list[Class]) -> bool:
    """Whether the parts, which all lie in the piece and have its bounds, are all of it.

    The points of the piece are numbered: a part is then every k-th number, k its period by the piece's.
    """
    steps = [(part.period // piece.period, (part.residue - piece.residue) // piece.period) for part in parts]
    if any(step == 1 for step, _ in steps):
        return True
    if sum(1 / step for step, _ in steps) < 1 and piece.until - piece.since > MOST_RESIDUES * piece.period:
        return False
    numbers = lcm(1, *(step for step, _ in steps))
    if piece.until < INFINITY and piece.since > EARLIEST:
        first = piece.ceil(piece.since)
        begin, count = (first - piece.residue) // piece.period, -(-(piece.until - first) // piece.period)
        numbers = min(numbers, count)
    else:
        begin = 0
    if numbers > MOST_RESIDUES:
        return False
    return all(any((n - r) % k == 0 for k, r in steps) for n in range(begin, begin + numbers))


def _in_words(one: Class, lasting: Callable[[int], str]) -> str:
    phase = f" from {lasting(one.residue)}" if one.residue else ""
    text = "always" if one.period == 1 else f"every {lasting(one.period)}{phase}"
    since = "" if one.since == EARLIEST else f" since {one.since}"
    until = "" if one.until == INFINITY else f" until {one.until}"
    return text + since + until
