"""Functions of dates, timestamps and intervals in plain Python, on arguments that are not NULL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

from slackwater.algebra.errors import unknown_unit
from slackwater.algebra.expressions.nodes import Call
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Span
from slackwater.reference import lengths
from slackwater.reference.comparison import as_timestamp
from slackwater.reference.units import LENGTHS, MONTHS_IN

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_MONDAY = datetime(1, 1, 1)


def _number(unit: str, moment: datetime, origin: Span | None) -> int:
    """The number of units from the beginning of the year 1 to the moment.

    The first day of the year 1 was a Monday, so weeks begin on Mondays.
    """
    if unit in LENGTHS:
        return (moment - _FIRST_MONDAY) // LENGTHS[unit]
    if unit in MONTHS_IN:
        return ((moment.year - 1) * 12 + moment.month - 1) // MONTHS_IN[unit]
    raise EngineError(unknown_unit(unit, origin))


def _begin(unit: str, number: int) -> datetime:
    if unit in LENGTHS:
        return _FIRST_MONDAY + number * LENGTHS[unit]
    year, month = divmod(number * MONTHS_IN[unit], 12)
    return datetime(year + 1, month + 1, 1)


def date_trunc(call: Call) -> Callable[[str, Any], datetime]:
    origin = call.origin
    return lambda unit, moment: _begin(unit, _number(unit, as_timestamp(moment), origin))


def date_diff(call: Call) -> Callable[[str, Any, Any], int]:
    origin = call.origin

    def difference(unit: str, start: Any, end: Any) -> int:
        return _number(unit, as_timestamp(end), origin) - _number(unit, as_timestamp(start), origin)

    return difference


def epoch(value: Any) -> float:
    since = value if isinstance(value, timedelta) else as_timestamp(value) - _EPOCH
    return (since // _MICROSECOND) / 1_000_000


def make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except (ValueError, OverflowError):
        return None


PLAIN: dict[str, Callable[..., Any]] = {
    "year": lambda moment: moment.year,
    "month": lambda moment: moment.month,
    "day": lambda moment: moment.day,
    "hour": lambda moment: as_timestamp(moment).hour,
    "minute": lambda moment: as_timestamp(moment).minute,
    "second": lambda moment: as_timestamp(moment).second,
    "day_of_week": lambda moment: moment.isoweekday(),
    "day_of_year": lambda moment: moment.timetuple().tm_yday,
    "week": lambda moment: moment.isocalendar().week,
    "quarter": lambda moment: (moment.month + 2) // 3,
    "epoch": epoch,
    "make_date": make_date,
    **lengths.PLAIN,
}
