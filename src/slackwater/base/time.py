"""Time: a discrete, ordered domain; an instant is a count of chronons.

    0 ── 1 ── 2 ── 3 ── …  ── ∞        one step is one chronon

Integer time begins at 0, the calendar's in 1700, 270 years before its 0.

A *duration* is a length of application time as a user writes it (`5 MINUTES`, or a plain `300`);
`Clock.chronons` turns it into a whole number of chronons, where it is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

BEGIN = 0
INFINITY = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CALENDAR_BEGIN = (datetime(1700, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
"""The first instant of a calendar; every library can show it: pandas' time begins in 1677."""
_CALENDAR_LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - _EPOCH) // timedelta(
    microseconds=1
)

_MICROSECONDS: dict[str, int] = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
_SHORT = {
    "us": "microsecond", "usec": "microsecond", "ms": "millisecond", "msec": "millisecond",
    "s": "second", "sec": "second", "min": "minute", "m": "minute", "h": "hour", "hr": "hour",
    "d": "day", "w": "week",
}  # fmt: skip
UNITS: tuple[str, ...] = tuple(_MICROSECONDS)
# Fraction says whether it is a number; bounded, since Python refuses to read very long ones.
_AMOUNT = r"\.?\d[\d._]{0,400}(?:[eE][+-]?\d{1,4})?(?:/\d[\d_]{0,400})?"
_LENGTH = re.compile(rf"\s*([+-]?)\s*({_AMOUNT})\s*((?:[^\W\d]\w*)?)\s*")


def unit_named(word: str) -> str | None:
    """The unit a word stands for: `Minutes`, `min` and `minute` are one unit."""
    folded = word.lower()
    for name in (folded, folded.removesuffix("s")):
        if name in _MICROSECONDS:
            return name
        if name in _SHORT:
            return _SHORT[name]
    return None


@dataclass(frozen=True, slots=True)
class WrittenLength:
    """A length of time as it stands in a text: its sign, a number, and a word, perhaps empty."""

    is_negative: bool
    amount: str
    word: str

    @property
    def unit(self) -> str | None:
        """The unit that the word stands for, if any."""
        return unit_named(self.word)

    @property
    def duration(self) -> Duration | None:
        """None where it is negative, or the word is no unit."""
        if self.is_negative or (self.word and self.unit is None):
            return None
        return Duration(Fraction(self.amount), self.unit)


def length_in(text: str) -> WrittenLength | None:
    """`5 seconds`, `-.5 h`, `7`; None where the text is no length of time.

    >>> length_in(" -1.5 min")
    WrittenLength(is_negative=True, amount='1.5', word='min')
    """
    match = _LENGTH.fullmatch(text)
    if match is None:
        return None
    try:
        Fraction(match[2])
    except (ValueError, ZeroDivisionError):
        return None
    return WrittenLength(match[1] == "-", match[2], match[3])


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time as written; no unit means chronons."""

    amount: Fraction
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.unit is not None and self.unit not in _MICROSECONDS:
            raise ValueError(f"no such unit of time: {self.unit}")
        if self.amount < 0:
            raise ValueError("a duration is not negative")

    def __str__(self) -> str:
        amount = str(self.amount) if self.amount.denominator == 1 else f"{float(self.amount):g}"
        if self.unit is None:
            return amount
        return f"{amount} {self.unit.upper()}{'' if self.amount == 1 else 'S'}"

    @property
    def microseconds(self) -> Fraction | None:
        return None if self.unit is None else self.amount * _MICROSECONDS[self.unit]


@dataclass(frozen=True, slots=True)
class Clock:
    """The time domain of a session: how long a chronon is, and how an instant is written.

    `calendar` clocks count microseconds since 1970-01-01 UTC; others count the unit of the
    integer time column, which `chronon` says the length of.
    """

    chronon: Duration = Duration(Fraction(1), "second")
    calendar: bool = False
    zoned: bool = field(default=True, compare=False)
    """Whether calendar times are instants; else they are local times in a zone that is not known."""

    @property
    def begin(self) -> int:
        """The first instant there is."""
        return _CALENDAR_BEGIN if self.calendar else BEGIN

    @property
    def last(self) -> int:
        """The last instant that a row may have."""
        return _CALENDAR_LAST if self.calendar else INFINITY - 1

    def chronons(self, duration: Duration) -> int | None:
        """The duration as a whole number of chronons; None where it is not whole."""
        if duration.microseconds is None:
            count = duration.amount
        else:
            chronon = self.chronon.microseconds
            if chronon is None or chronon == 0:
                return None
            count = duration.microseconds / chronon
        return int(count) if count.denominator == 1 else None

    def longest(self, unit: str | None) -> Duration:
        """The longest time that can be measured, in whole units; no unit means chronons.

        >>> str(CALENDAR.longest("day"))
        '106751991 DAYS'
        """
        most, chronon = Fraction(INFINITY - 1), self.chronon.microseconds
        if unit is None or chronon is None:
            return Duration(most)
        return Duration(Fraction(int(most * chronon / _MICROSECONDS[unit])), unit)

    def lasting(self, chronons: int) -> str:
        """So many chronons as a user writes them: in the largest unit that leaves a whole number.

        >>> CALENDAR.lasting(300_000_000)
        '5 MINUTES'
        """
        if chronons >= INFINITY:
            return "UNBOUNDED"
        length = chronons * (self.chronon.microseconds or Fraction(0))
        for unit in reversed(UNITS) if length else ():
            if (amount := length / _MICROSECONDS[unit]).denominator == 1:
                return str(Duration(amount, unit))
        return str(chronons)

    def format(self, instant: int) -> str:
        """The instant as a user reads it; a `Z` says that it is UTC."""
        if instant >= INFINITY:
            return "∞"
        if not self.calendar:
            return str(instant)
        try:
            moment = _EPOCH + timedelta(microseconds=instant)
        except OverflowError:
            return f"{instant} microseconds from 1970"
        return moment.replace(tzinfo=None).isoformat(sep=" ") + ("Z" if self.zoned else "")


SECONDS = Clock()
CALENDAR = Clock(Duration(Fraction(1), "microsecond"), calendar=True)
WALL = replace(CALENDAR, zoned=False)
"""Timestamps without a zone: the time that a clock on the wall shows."""
