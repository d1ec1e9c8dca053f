"""The calendar: dates moved, times read and written by formats, time zones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import polars as pl

from slackwater.algebra.errors import unknown_unit
from slackwater.algebra.expressions import Call, Literal
from slackwater.algebra.expressions.time_formats import DAYS, DEFAULT, MONTHS
from slackwater.algebra.expressions.zones import zone
from slackwater.algebra.types import STRING, TIMESTAMP_NTZ
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions.decimals import Maker, to_double
from slackwater.kernels.expressions.moments import day_number, moment
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Fault, Term, faults_of, let
from slackwater.kernels.expressions.time_formats import parsed, shown
from slackwater.kernels.expressions.values import literal

_EPOCH: Final = datetime(1970, 1, 1)
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_DAY: Final = 86_400_000_000
_FIRST, _LAST = _FIRST_DAY * _DAY, (_LAST_DAY + 1) * _DAY - 1
_FAR: Final = 4_000_000_000_000_000_000
_LENGTHS: Final = {
    "microsecond": 1, "millisecond": 1_000, "second": 10**6, "minute": 60 * 10**6, "hour": 3600 * 10**6,
    "day": _DAY, "week": 7 * _DAY,
}  # fmt: skip
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}


def _of_time(body: Callable[..., pl.Expr]) -> Maker:
    """A function whose first argument is a date or timestamp."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        first = moment(arguments[0].value, call.arguments[0].type)
        return Term(let(body, first, *(a.value for a in arguments[1:])), faults_of(arguments))

    return make


def _plain(body: Callable[..., pl.Expr]) -> Maker:
    return lambda call, arguments: Term(let(body, *(a.value for a in arguments)), faults_of(arguments))


def _micros(time: pl.Expr) -> pl.Expr:
    return time.to_physical().cast(pl.Int64)


def _as_date(days: pl.Expr) -> pl.Expr:
    within = let(lambda n: pl.when(n.is_between(_FIRST_DAY, _LAST_DAY)).then(n), days)
    return within.cast(pl.Int32).cast(pl.Date)


def _as_time(micros: pl.Expr) -> pl.Expr:
    within = let(lambda n: pl.when(n.is_between(_FIRST, _LAST)).then(n), micros)
    return within.cast(pl.Datetime("us"))


def _days(sign: int) -> Callable[..., pl.Expr]:
    def moved(time: pl.Expr, days: pl.Expr) -> pl.Expr:
        return _as_date(_micros(time) // _DAY + sign * days.cast(pl.Int64).clip(-(10**7), 10**7))

    return moved


def _later(time: pl.Expr, months: pl.Expr) -> pl.Expr:
    """The microseconds of the same day and clock so many months later, at most the last of the month."""
    total = time.dt.year().cast(pl.Int64) * 12 + time.dt.month().cast(pl.Int64) - 1 + months
    return let(_at_month, total, time.dt.day().cast(pl.Int64), _micros(time))


def _at_month(total: pl.Expr, day: pl.Expr, micros: pl.Expr) -> pl.Expr:
    year, month = total // 12, total % 12 + 1
    first = let(day_number, year, month, pl.lit(1, dtype=pl.Int64))
    following = let(day_number, (total + 1) // 12, (total + 1) % 12 + 1, pl.lit(1, dtype=pl.Int64))
    size = (following - first).fill_null(31)
    return (first + pl.min_horizontal(day, size) - 1) * _DAY + micros % _DAY


def _months(months: pl.Expr, factor: int = 1) -> pl.Expr:
    return months.cast(pl.Int64).clip(-(10**6), 10**6) * factor


def _timestampadd(call: Call, arguments: Sequence[Term]) -> Term:
    unit, count, _ = (argument.value for argument in arguments)
    time = moment(arguments[2].value, call.arguments[2].type)
    constant = call.arguments[0]
    known = constant.value if isinstance(constant, Literal) else None

    def wrong(unit: pl.Expr, count: pl.Expr, time: pl.Expr) -> pl.Expr:
        whole = unit.is_not_null() & count.is_not_null() & time.is_not_null()
        return whole & ~unit.is_in([*_LENGTHS, *_MONTHS])

    fault = Fault(
        let(wrong, unit, count, time),
        lambda name: EngineError(unknown_unit(name, call.origin)),
        ((unit, STRING),),
    )
    result = literal(None, call.type)
    for name in (known,) if known in _LENGTHS or known in _MONTHS else (*_LENGTHS, *_MONTHS):
        result = pl.when(unit == name).then(_moved(str(name), count, time)).otherwise(result)
    return Term(result, (*faults_of(arguments), fault))


def _moved(unit: str, count: pl.Expr, time: pl.Expr) -> pl.Expr:
    if unit in _MONTHS:
        return _as_time(let(_later, time, _months(count, _MONTHS[unit])))
    most = _FAR // _LENGTHS[unit]
    return _as_time(_micros(time) + count.cast(pl.Int64).clip(-most, most) * _LENGTHS[unit])


def _next_day(day: date, name: str) -> date | None:
    word = name.strip(" ").lower()
    prefixes = [word for word in (word,) if len(word) in (2, 3) or word.title() in DAYS]
    numbers = [
        place for place, full in enumerate(DAYS) for prefix in prefixes if full.lower().startswith(prefix)
    ]
    days = [day.toordinal() + ahead for ahead in range(1, 8)]
    sought = next((n for n in days if numbers and (n - 1) % 7 == numbers[0]), None)
    return date.fromordinal(sought) if sought is not None and sought <= date.max.toordinal() else None


def _at_midnight(call: Call, arguments: Sequence[Term]) -> list[pl.Expr]:
    first = moment(arguments[0].value, call.arguments[0].type).cast(pl.Date)
    return [first, *(argument.value for argument in arguments[1:])]


def _next(call: Call, arguments: Sequence[Term]) -> Term:
    types = [call.type, STRING]
    return Term(by_rows(_next_day, _at_midnight(call, arguments), types, call.type), faults_of(arguments))


def _months_between(call: Call, arguments: Sequence[Term]) -> Term:
    times = [moment(a.value, p.type) for a, p in zip(arguments[:2], call.arguments[:2], strict=True)]
    rounding = arguments[2].value if len(arguments) > 2 else pl.lit(True)
    return Term(let(_between, *times, rounding), faults_of(arguments))


def _between(one: pl.Expr, other: pl.Expr, rounding: pl.Expr) -> pl.Expr:
    def month(time: pl.Expr) -> pl.Expr:
        return time.dt.year().cast(pl.Int64) * 12 + time.dt.month().cast(pl.Int64)

    def is_last(time: pl.Expr) -> pl.Expr:
        return time.cast(pl.Date) == time.cast(pl.Date).dt.month_end()

    months = (month(one) - month(other)).cast(pl.Float64)
    day = one.dt.day().cast(pl.Int64) - other.dt.day().cast(pl.Int64)
    clock = _micros(one) % _DAY // 10**6 - _micros(other) % _DAY // 10**6
    exact = months + (day * 86_400 + clock).cast(pl.Float64) / (31.0 * 86_400.0)
    rounded = (exact * 1e8 + 0.5).floor() / 1e8
    whole = (day == 0) | (is_last(one) & is_last(other))
    result = pl.when(whole).then(months).when(rounding).then(rounded).otherwise(exact)
    known = one.is_not_null() & other.is_not_null() & rounding.is_not_null()
    return pl.when(known).then(result)


def _seconds(call: Call, arguments: Sequence[Term]) -> Term:
    (argument,), (part,) = arguments, call.arguments
    if part.type.is_integer:
        most = _FAR // 10**6
        return Term(_as_time(argument.value.cast(pl.Int64).clip(-most, most) * 10**6), argument.faults)
    if part.type.is_floating:
        micros = to_double(argument.value, part.type) * 1e6
        near = let(lambda x: pl.when(x.is_finite() & (x.abs() < 1e18)).then(x), micros)
        return Term(_as_time(near.cast(pl.Int64)), argument.faults)
    return rowwise(_exact_seconds)(call, arguments)


def _exact_seconds(seconds: Any) -> datetime | None:
    sign, digits, exponent = seconds.as_tuple()
    number = int("".join(map(str, digits)))
    shift = exponent + 6
    micros = number * 10**shift if shift >= 0 else number // 10**-shift
    signed = -micros if sign else micros
    return _EPOCH + timedelta(microseconds=signed) if _FIRST <= signed <= _LAST else None


def _make_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: Any) -> datetime | None:
    if second != second or not 0 <= second <= 60 or not (0 <= hour < 24 and 0 <= minute < 60):
        return None
    try:
        midnight = datetime(year, month, day)
        whole, _, rest = format(Decimal(str(second)), "f").partition(".")
        micros = int(whole) * 10**6 + int(rest.ljust(7, "0")[:6]) + (rest.ljust(7, "0")[6] >= "5")
        return midnight + timedelta(hours=hour, minutes=minute, microseconds=micros)
    except (ValueError, OverflowError):
        return None


def _constant(call: Call, place: int, default: str) -> str:
    part = call.arguments[place] if place < len(call.arguments) else None
    return str(part.value) if isinstance(part, Literal) else default


def _shown(call: Call, arguments: Sequence[Term]) -> Term:
    time = moment(arguments[0].value, call.arguments[0].type)
    return Term(let(lambda time: shown(time, _constant(call, 1, DEFAULT)), time), faults_of(arguments))


def _parsed(convert: Callable[[pl.Expr], pl.Expr]) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        format_ = _constant(call, 1, DEFAULT)
        return Term(
            convert(let(lambda text: parsed(text, format_), arguments[0].value)), faults_of(arguments)
        )

    return make


def _cut(micros: pl.Expr) -> pl.Expr:
    """Whole seconds, toward zero."""
    return let(lambda n: pl.when(n < 0).then(0 - (0 - n) // 10**6).otherwise(n // 10**6), micros)


def _unix(call: Call, arguments: Sequence[Term]) -> Term:
    part = call.arguments[0]
    if part.type.is_time:
        return Term(_cut(_micros(moment(arguments[0].value, part.type))), faults_of(arguments))
    return _parsed(_cut)(call, arguments)


def _from_unixtime(call: Call, arguments: Sequence[Term]) -> Term:
    most = _FAR // 10**6
    time = _as_time(arguments[0].value.cast(pl.Int64).clip(-most, most) * 10**6)
    return Term(let(lambda time: shown(time, _constant(call, 1, DEFAULT)), time), faults_of(arguments))


def _in_zone(time: datetime, name: str) -> datetime | None:
    try:
        return time.replace(tzinfo=UTC).astimezone(zone(name)).replace(tzinfo=None, fold=0)
    except (OverflowError, ValueError):
        return None


def _from_zone(time: datetime, name: str) -> datetime | None:
    try:
        return time.replace(tzinfo=zone(name)).astimezone(UTC).replace(tzinfo=None)
    except (OverflowError, ValueError):
        return None


def _zoned(function: Callable[..., Any], place: int = 0) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        values = [argument.value for argument in arguments]
        values[place] = moment(values[place], call.arguments[place].type)
        types = [STRING] * len(values)
        types[place] = TIMESTAMP_NTZ
        return Term(by_rows(function, values, types, call.type), faults_of(arguments))

    return make


def _converted(old: str, new: str, time: datetime) -> datetime | None:
    instant = _from_zone(time, old)
    return None if instant is None else _in_zone(instant, new)


def _at_time_zone(call: Call, arguments: Sequence[Term]) -> Term:
    is_local = call.arguments[0].type == TIMESTAMP_NTZ
    return _zoned(_from_zone if is_local else _in_zone)(call, arguments)


def _by_name(read: Callable[[pl.Expr], pl.Expr], names: list[str]) -> Maker:
    def name(time: pl.Expr) -> pl.Expr:
        number = read(time).cast(pl.UInt32)
        return pl.when(time.is_not_null()).then(pl.lit(pl.Series("", names)).gather(number.fill_null(1) - 1))

    return _of_time(name)


MAKERS: dict[str, Maker] = {
    "date_add": _of_time(_days(1)),
    "date_sub": _of_time(_days(-1)),
    "timestampadd": _timestampadd,
    "add_months": _of_time(lambda time, n: _as_date(let(_later, time, _months(n)) // _DAY)),
    "last_day": _of_time(lambda time: time.cast(pl.Date).dt.month_end()),
    "next_day": _next,
    "dayname": _by_name(lambda time: time.dt.weekday(), [day[:3] for day in DAYS]),
    "monthname": _by_name(lambda time: time.dt.month(), [month[:3] for month in MONTHS]),
    "weekday": _of_time(lambda time: time.dt.weekday().cast(pl.Int64) - 1),
    "months_between": _months_between,
    "unix_date": _of_time(lambda time: _micros(time) // _DAY),
    "unix_seconds": _of_time(lambda time: _micros(time) // 10**6),
    "unix_millis": _of_time(lambda time: _micros(time) // 1000),
    "unix_micros": _of_time(_micros),
    "date_from_unix_date": _plain(lambda days: _as_date(days.cast(pl.Int64))),
    "timestamp_seconds": _seconds,
    "timestamp_millis": _plain(lambda n: _as_time(n.cast(pl.Int64).clip(-_FAR // 1000, _FAR // 1000) * 1000)),
    "timestamp_micros": _plain(lambda n: _as_time(n.cast(pl.Int64))),
    "make_timestamp": rowwise(_make_timestamp),
    "make_timestamp_ntz": rowwise(_make_timestamp),
    "date_format": _shown,
    "to_timestamp": _parsed(lambda micros: micros.cast(pl.Datetime("us"))),
    "to_timestamp_ntz": _parsed(lambda micros: micros.cast(pl.Datetime("us"))),
    "to_date": _parsed(lambda micros: (micros // _DAY).cast(pl.Int32).cast(pl.Date)),
    "to_unix_timestamp": _unix,
    "from_unixtime": _from_unixtime,
    "from_utc_timestamp": _zoned(_in_zone),
    "to_utc_timestamp": _zoned(_from_zone),
    "convert_timezone": _zoned(_converted, 2),
    "at_time_zone": _at_time_zone,
}
