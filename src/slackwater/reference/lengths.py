"""Lengths of time in plain Python: intervals that are made, and buckets of one length."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from slackwater.algebra.types import GREATEST, LEAST, decimal
from slackwater.reference.casts import fitted
from slackwater.reference.comparison import as_timestamp

_MICROSECOND = timedelta(microseconds=1)


def time_bucket(length: timedelta, moment: Any, origin: Any = datetime(1970, 1, 1)) -> datetime | None:
    """origin + n · length, with the greatest whole n that is not after the moment."""
    if length <= timedelta(0):
        return None
    start: datetime = as_timestamp(origin)
    try:
        bucket: datetime = start + (as_timestamp(moment) - start) // length * length
    except OverflowError:
        return None
    return bucket


def make_dt_interval(days: int = 0, hours: int = 0, minutes: int = 0, seconds: Any = 0) -> timedelta | None:
    if isinstance(seconds, float) and not math.isfinite(seconds):
        return None
    try:
        exact = fitted(Decimal(repr(seconds) if isinstance(seconds, float) else seconds), decimal(18, 6))
    except ValueError:
        return None
    micros = ((days * 24 + hours) * 60 + minutes) * 60_000_000 + int(exact * 1_000_000)
    return timedelta(microseconds=micros) if LEAST <= micros <= GREATEST else None


PLAIN: dict[str, Callable[..., Any]] = {
    "time_bucket": time_bucket,
    "make_dt_interval": make_dt_interval,
}
