"""Lengths of time: intervals that are made, and buckets of one length."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import GREATEST, LEAST, decimal
from slackwater.kernels.expressions.decimals import Maker, parse_units
from slackwater.kernels.expressions.moments import moment
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Term, faults_of, let
from slackwater.kernels.expressions.values import literal

_FIRST: Final = (datetime.min - datetime(1970, 1, 1)) // timedelta(microseconds=1)
_SECONDS: Final = decimal(18, 6)
_UNITS: Final = (86_400_000_000, 3_600_000_000, 60_000_000)


def _time_bucket(call: Call, arguments: Sequence[Term]) -> Term:
    length, *times = arguments
    moments = [
        moment(term.value, part.type).to_physical()
        for term, part in zip(times, call.arguments[1:], strict=True)
    ]

    def bucket(length: pl.Expr, time: pl.Expr, *origin: pl.Expr) -> pl.Expr:
        since = time - origin[0] if origin else time
        start = time - since % length
        return pl.when((length > 0) & (start >= _FIRST)).then(start)

    start = let(bucket, length.value.to_physical().cast(pl.Int64), *moments)
    return Term(start.cast(pl.Datetime("us")), faults_of(arguments))


def _make_dt_interval(call: Call, arguments: Sequence[Term]) -> Term:
    return rowwise(_length)(call, arguments) if arguments else Term(literal(timedelta(0), call.type))


def _length(*parts: int | float | Decimal) -> timedelta | None:
    micros = sum(int(part) * unit for part, unit in zip(parts, _UNITS, strict=False))
    if len(parts) > 3:
        rest = parse_units(
            repr(parts[3]) if isinstance(parts[3], float) else str(Decimal(parts[3])), _SECONDS
        )
        if rest is None:
            return None
        micros += rest
    return timedelta(microseconds=micros) if LEAST <= micros <= GREATEST else None


MAKERS: dict[str, Maker] = {"time_bucket": _time_bucket, "make_dt_interval": _make_dt_interval}
