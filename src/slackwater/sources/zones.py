"""Times in Spark's columns as microseconds since 1970, whatever the zone of Spark's session.

    TIMESTAMP       08:00 in Berlin     ─►  07:00 UTC
    TIMESTAMP_NTZ   08:00               ─►  08:00 UTC, or in a zone that is given
    DATE                                ─►  its midnight, likewise

Spark's own casts between them go by the zone of the session.
"""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, DateType, TimestampType

_OFFSET = re.compile(r"[+-](0\d|1[0-8]):[0-5]\d")
_UTC = ("utc", "z", "gmt", "etc/utc", "etc/gmt", "etc/zulu", "zulu", "utc+0", "utc+00:00", "+00:00", "-00:00")
_EPOCH = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"
_DAY = 86_400_000_000
_MOST = 2**63 - 2 * _DAY
"""Up to here a zone can move a time without an overflow."""


def micros(column: Column, kind: DataType, zone: str | None = None) -> Column:
    """The microseconds of a date or timestamp; one without a zone is of that zone, or of UTC."""
    if isinstance(kind, TimestampType):
        return f.unix_micros(column)
    if isinstance(kind, DateType):
        # A date may be millions of years away, and of microseconds there are enough for 292,000.
        column = f.date_from_unix_date(_clipped(f.unix_date(column), _MOST // _DAY))
    since = (column.cast("timestamp_ntz") - f.expr(_EPOCH)).cast("interval second")
    wall = (since.cast("decimal(24, 6)") * 1_000_000).cast("long")
    if zone is None:
        return wall
    near = f.timestamp_micros(_clipped(wall, _MOST))
    return f.unix_micros(f.to_utc_timestamp(near, zone))


def _clipped(number: Column, most: int) -> Column:
    """No row may be so far away: it stays outside of what the calendar has, and does not overflow."""
    clipped = f.greatest(f.least(number, f.lit(most)), f.lit(-most))
    # `least` and `greatest` skip NULLs.
    return f.when(number.isNotNull(), clipped)


def is_zone(text: str) -> bool:
    """Whether a text names a time zone: Europe/Berlin, UTC, +01:00."""
    try:
        zone_named(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def zone_named(text: str) -> tzinfo:
    """The time zone of that name; raises ValueError or ZoneInfoNotFoundError."""
    if is_utc(text):
        return UTC
    if not _OFFSET.fullmatch(text):
        return ZoneInfo(text)
    hours, minutes = (int(part) for part in text[1:].split(":"))
    return timezone((-1 if text.startswith("-") else 1) * timedelta(hours=hours, minutes=minutes))


def is_utc(zone: str) -> bool:
    return zone.lower() in _UTC
