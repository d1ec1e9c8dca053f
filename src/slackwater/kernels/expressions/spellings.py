"""Values parsed from texts: NULL where a text is not a value. Blanks around it are ignored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import polars as pl

from slackwater.algebra.types import Type
from slackwater.kernels.expressions.arithmetic import canonical
from slackwater.kernels.expressions.decimals import from_units, parse_units
from slackwater.kernels.expressions.moments import day_number
from slackwater.kernels.expressions.terms import let
from slackwater.kernels.expressions.values import dtype

Conversion = Callable[[pl.Expr], pl.Expr]

_BLANKS: Final = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_INTEGER: Final = r"\A[+-]?[0-9]+\z"
_NUMBER: Final = r"\A[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?\z"
_NAN: Final = r"\A[+-]?(?i-u:nan)\z"
_INFINITY: Final = r"\A[+-]?(?i-u:inf|infinity)\z"
_DATE: Final = r"\A([0-9]{4})-([0-9]{2})-([0-9]{2})\z"
_TIMESTAMP: Final = (
    r"\A([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?"
    r"(?:Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?\z"
)
_TRUE: Final = ["true", "t", "yes", "y", "1"]
_FALSE: Final = ["false", "f", "no", "n", "0"]
_EPOCH: Final = datetime(1970, 1, 1)
_FIRST: Final = (datetime.min - _EPOCH) // timedelta(microseconds=1)
_LAST: Final = (datetime.max - _EPOCH) // timedelta(microseconds=1)


def _stripped(body: Conversion) -> Conversion:
    return lambda text: let(body, text.str.strip_chars(_BLANKS))


def _integer(target: Type) -> Conversion:
    def convert(text: pl.Expr) -> pl.Expr:
        number = text.cast(pl.Int64, strict=False).cast(dtype(target), strict=False)
        return pl.when(text.str.contains(_INTEGER)).then(number)

    return _stripped(convert)


def _double(target: Type) -> Conversion:
    def convert(text: pl.Expr) -> pl.Expr:
        infinity = pl.when(text.str.starts_with("-")).then(float("-inf")).otherwise(float("inf"))
        return (
            pl.when(text.str.contains(_NUMBER))
            .then(canonical(text.cast(pl.Float64, strict=False)))
            .when(text.str.contains(_INFINITY))
            .then(infinity)
            .when(text.str.contains(_NAN))
            .then(float("nan"))
        )

    return _stripped(convert)


def _float(target: Type) -> Conversion:
    double = _double(target)
    return lambda text: canonical(double(text).cast(pl.Float32).cast(pl.Float64))


def _decimal(target: Type) -> Conversion:
    def counted(column: pl.Series) -> pl.Series:
        counts = [None if text is None else parse_units(text, target) for text in column]
        return pl.Series("", counts, dtype=pl.Int128)

    def convert(text: pl.Expr) -> pl.Expr:
        return from_units(text.map_batches(counted, return_dtype=pl.Int128, is_elementwise=True), target)

    return _stripped(convert)


def _boolean(target: Type) -> Conversion:
    def convert(word: pl.Expr) -> pl.Expr:
        return pl.when(word.is_in(_TRUE)).then(True).when(word.is_in(_FALSE)).then(False)

    return lambda text: let(convert, text.str.strip_chars(_BLANKS).str.to_lowercase())


def _parts(text: pl.Expr, pattern: str, count: int) -> list[pl.Expr]:
    groups = text.str.extract_groups(pattern)
    return [groups.struct.field(str(index)) for index in range(1, count + 1)]


def _date(target: Type) -> Conversion:
    def convert(text: pl.Expr) -> pl.Expr:
        parts = (part.cast(pl.Int64) for part in _parts(text, _DATE, 3))
        return let(day_number, *parts).cast(pl.Int32).cast(pl.Date)

    return _stripped(convert)


def _timestamp(target: Type) -> Conversion:
    return _stripped(lambda text: let(_moment, *_parts(text, _TIMESTAMP, 10)))


def _moment(
    year: pl.Expr,
    month: pl.Expr,
    day: pl.Expr,
    hour: pl.Expr,
    minute: pl.Expr,
    second: pl.Expr,
    fraction: pl.Expr,
    sign: pl.Expr,
    hours_away: pl.Expr,
    minutes_away: pl.Expr,
) -> pl.Expr:
    """Missing parts of the time of day are zero; the zone's offset is subtracted."""
    clock = [part.cast(pl.Int64).fill_null(0) for part in (hour, minute, second)]
    valid = (clock[0] < 24) & (clock[1] < 60) & (clock[2] < 60)
    micros = fraction.str.pad_end(6, "0").cast(pl.Int64).fill_null(0)
    away = hours_away.cast(pl.Int64).fill_null(0) * 60 + minutes_away.cast(pl.Int64).fill_null(0)
    offset = pl.when(sign == "-").then(0 - away).otherwise(away)
    date = let(day_number, *(part.cast(pl.Int64) for part in (year, month, day)))
    minutes = (date * 24 + clock[0]) * 60 + clock[1] - offset
    total = (minutes * 60 + clock[2]) * 1_000_000 + micros
    within = let(lambda t, valid: pl.when(valid & t.is_between(_FIRST, _LAST)).then(t), total, valid)
    return within.cast(pl.Datetime("us"))


PARSERS: dict[str, Callable[[Type], Conversion]] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), _integer),
    "double": _double,
    "float": _float,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _timestamp,
}
