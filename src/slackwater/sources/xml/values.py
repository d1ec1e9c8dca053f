"""Values from the text of XML records, by the type of their column."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Context, Decimal, InvalidOperation
from functools import partial
from typing import Any

from pyspark.sql import types as spark

from slackwater.sources.spark_types import BITS
from slackwater.sources.zones import zone_named

Parser = Callable[[str], Any]

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_DIGITS = Context(prec=60)


def parser_of(kind: spark.DataType, zone: str | None = None) -> Parser:
    """The function that makes a value of the type from a text, and raises ValueError if it cannot."""
    match kind:
        case spark.StringType():
            return str
        case spark.BooleanType():
            return lambda text: _BOOLEANS[text.strip()] if text.strip() in _BOOLEANS else _refuse(text)
        case spark.IntegralType():
            return partial(_whole, bits=BITS[type(kind)])
        case spark.DoubleType():
            return lambda text: (
                float(text.strip().replace("INF", "inf")) if "_" not in text else _refuse(text)
            )
        case spark.DecimalType():
            return partial(_decimal, kind=kind)
        case spark.DateType():
            return lambda text: datetime.fromisoformat(text.strip()).date()
        case spark.TimestampType():
            return partial(timestamp, zone=zone)
        case spark.TimestampNTZType():
            return _local_timestamp
    raise ValueError(f"no {kind.simpleString()} can be read from XML")


def _whole(text: str, bits: int) -> int:
    number = int(text) if "_" not in text else _refuse(text)
    return number if -(1 << bits - 1) <= number < 1 << bits - 1 else _refuse(text)


def _decimal(text: str, kind: spark.DecimalType) -> Decimal:
    number = Decimal(text.strip()).quantize(Decimal(1).scaleb(-kind.scale), context=_DIGITS)
    fits = number.is_finite() and (not number or number.adjusted() < kind.precision - kind.scale)
    return number if fits else _refuse(text)


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _local_timestamp(text: str) -> datetime:
    """A timestamp without a zone."""
    time = datetime.fromisoformat(text.strip())
    return time if time.tzinfo is None else _refuse(text)


def timestamp(text: str, zone: str | None = None) -> datetime:
    """A timestamp as XML writes it, in `zone` if it names none, or a number of seconds since 1970.

    >>> str(timestamp("2024-02-29T12:00:00Z")), str(timestamp("1.25"))
    ('2024-02-29 12:00:00+00:00', '1970-01-01 00:00:01.250000+00:00')
    """
    try:
        seconds = Decimal(text.strip())
    except InvalidOperation:
        instant = datetime.fromisoformat(text.strip())
        return instant if instant.tzinfo else instant.replace(tzinfo=zone_named(zone or "UTC"))
    whole = int(seconds.scaleb(6).to_integral_value())
    return datetime.fromtimestamp(whole // 1_000_000, UTC).replace(microsecond=whole % 1_000_000)
