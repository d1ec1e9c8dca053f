"""The calendar in plain Python, on arguments that are not NULL."""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from slackwater.algebra.errors import unknown_unit
from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.expressions.time_formats import DAYS, DEFAULT, MONTHS
from slackwater.algebra.expressions.zones import zone
from slackwater.algebra.types import TIMESTAMP_NTZ
from slackwater.base.diagnostic import EngineError
from slackwater.reference.comparison import as_timestamp
from slackwater.reference.time_formats import parsed, shown
from slackwater.reference.units import LENGTHS, MONTHS_IN

_EPOCH = datetime(1970, 1, 1)
_DAY_ZERO = date(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def _day(moment: Any) -> Any:
    return moment.date() if isinstance(moment, datetime) else moment


def _or_null(compute: Callable[..., Any]) -> Callable[..., Any]:
    """NULL instead of a time before the year 1 or after 9999, or one that does not exist."""

    def computed(*arguments: Any) -> Any:
        try:
            return compute(*arguments)
        except (OverflowError, ValueError):
            return None

    return computed


def _later(moment: Any, months: int) -> Any:
    """The same day so many months later, or the last day of that month."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def timestampadd(call: Call) -> Callable[[str, int, Any], Any]:
    def moved(unit: str, count: int, moment: Any) -> Any:
        if unit in MONTHS_IN:
            return _later(as_timestamp(moment), count * MONTHS_IN[unit])
        if unit in LENGTHS:
            return as_timestamp(moment) + count * LENGTHS[unit]
        raise EngineError(unknown_unit(unit, call.origin))

    return _or_null(moved)


def last_day(moment: Any) -> Any:
    return _day(moment).replace(day=monthrange(moment.year, moment.month)[1])


def next_day(moment: Any, name: str) -> Any:
    word = name.strip(" ").lower()
    names = [day.lower() for day in DAYS]
    sought = next((i for i, day in enumerate(names) if word in (day, day[:3], day[:2])), None)
    if sought is None:
        return None
    return _day(moment) + timedelta(days=(sought - _day(moment).weekday() - 1) % 7 + 1)


def months_between(one: Any, other: Any, is_rounded: bool = True) -> Any:
    a, b = as_timestamp(one), as_timestamp(other)
    months = (a.year - b.year) * 12 + a.month - b.month
    if a.day == b.day or (last_day(a) == a.date() and last_day(b) == b.date()):
        return float(months)
    seconds = (a.day - b.day) * 86_400 + _seconds_of_day(a) - _seconds_of_day(b)
    exact = months + seconds / (31 * 86_400)
    return math.floor(exact * 1e8 + 0.5) / 1e8 if is_rounded else exact


def _seconds_of_day(moment: datetime) -> int:
    return moment.hour * 3600 + moment.minute * 60 + moment.second


def _since(length: timedelta) -> Callable[[Any], int]:
    return lambda moment: (as_timestamp(moment) - _EPOCH) // length


def timestamp_seconds(seconds: Any) -> datetime | None:
    if isinstance(seconds, float) and not math.isfinite(seconds):
        return None
    micros = seconds * 1_000_000 if isinstance(seconds, float) else Decimal(seconds).scaleb(6)
    return _EPOCH + math.trunc(micros) * _MICROSECOND


def make_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: Any) -> datetime | None:
    if isinstance(second, float) and not math.isfinite(second):
        return None
    exact = Decimal(repr(second) if isinstance(second, float) else second)
    micros = int(exact.scaleb(6).to_integral_value(ROUND_HALF_UP))
    if not 0 <= micros <= 60_000_000:
        return None
    return datetime(year, month, day, hour, minute) + micros * _MICROSECOND


def to_unix_timestamp(moment: Any, format_: str = DEFAULT) -> int | None:
    value = parsed(moment, format_) if isinstance(moment, str) else as_timestamp(moment)
    return None if value is None else int((value - _EPOCH) // _MICROSECOND / Decimal(1_000_000))


def _to_date(text: str, format_: str) -> date | None:
    value = parsed(text, format_)
    return None if value is None else value.date()


def from_utc(moment: Any, name: str) -> Any:
    """The time of UTC, and the offset of the zone then."""
    offset = as_timestamp(moment).replace(tzinfo=UTC).astimezone(zone(name)).utcoffset()
    assert offset is not None
    return as_timestamp(moment) + offset


def to_utc(moment: Any, name: str) -> Any:
    """Of two offsets the first; where clocks skip it, the one before."""
    offset = as_timestamp(moment).replace(tzinfo=zone(name), fold=0).utcoffset()
    assert offset is not None
    return as_timestamp(moment) - offset


def at_time_zone(call: Call) -> Callable[[Any, str], Any]:
    return _or_null(to_utc if call.arguments[0].type == TIMESTAMP_NTZ else from_utc)


MAKERS: dict[str, Callable[[Call], Callable[..., Any]]] = {
    "timestampadd": timestampadd,
    "at_time_zone": at_time_zone,
}
PLAIN: dict[str, Callable[..., Any]] = {
    "date_add": _or_null(lambda moment, days: _day(moment) + timedelta(days=days)),
    "date_sub": _or_null(lambda moment, days: _day(moment) - timedelta(days=days)),
    "add_months": _or_null(lambda moment, months: _later(_day(moment), months)),
    "last_day": last_day,
    "next_day": _or_null(next_day),
    "dayname": lambda moment: DAYS[moment.weekday()][:3],
    "monthname": lambda moment: MONTHS[moment.month - 1][:3],
    "weekday": lambda moment: moment.weekday(),
    "months_between": months_between,
    "unix_date": lambda moment: (_day(moment) - _DAY_ZERO).days,
    "unix_seconds": _since(timedelta(seconds=1)),
    "unix_millis": _since(timedelta(milliseconds=1)),
    "unix_micros": _since(_MICROSECOND),
    "date_from_unix_date": _or_null(lambda days: _DAY_ZERO + timedelta(days=days)),
    "timestamp_seconds": _or_null(timestamp_seconds),
    "timestamp_millis": _or_null(lambda count: _EPOCH + count * timedelta(milliseconds=1)),
    "timestamp_micros": _or_null(lambda count: _EPOCH + count * _MICROSECOND),
    "make_timestamp": _or_null(make_timestamp),
    "make_timestamp_ntz": _or_null(make_timestamp),
    "date_format": lambda moment, format_: shown(as_timestamp(moment), format_),
    "to_timestamp": parsed,
    "to_timestamp_ntz": parsed,
    "to_date": _to_date,
    "to_unix_timestamp": to_unix_timestamp,
    "from_unixtime": _or_null(
        lambda count, format_=DEFAULT: shown(_EPOCH + timedelta(seconds=count), format_)
    ),
    "from_utc_timestamp": _or_null(from_utc),
    "to_utc_timestamp": _or_null(to_utc),
    "convert_timezone": _or_null(lambda old, new, moment: from_utc(to_utc(moment, old), new)),
}
