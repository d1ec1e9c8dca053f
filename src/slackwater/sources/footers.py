"""The least and the largest time in a Parquet file, from its footer: no row is read.

For every row group a footer has the extremes of each column, as the stored numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import DataType, IntegralType, TimestampNTZType, TimestampType

from slackwater.base.time import INFINITY

_MICROS = {"milliseconds": 1_000, "microseconds": 1}
"""How many microseconds one of these is. Nanoseconds are left to Spark, which rounds them."""
_OTHER_CALENDAR = b"org.apache.spark.legacyDateTime"
"""Old Sparks stored times of the Julian calendar; newer ones convert them."""
_VERSION = b"org.apache.spark.version"


@dataclass(frozen=True, slots=True)
class FooterTimes:
    """The number of rows, and the extremes of a column; None where it has no value."""

    rows: int = 0
    least: int | None = None
    largest: int | None = None

    def __add__(self, other: FooterTimes) -> FooterTimes:
        return FooterTimes(
            self.rows + other.rows,
            min((time for time in (self.least, other.least) if time is not None), default=None),
            max((time for time in (self.largest, other.largest) if time is not None), default=None),
        )


def least_in_footer(path: str, column: str, kind: DataType) -> int | None:
    """The least value of a column that Spark reads as that type: a number, or microseconds.

    None where the footer has no statistics, INFINITY where the column has no value.
    """
    times = times_in_footer(path, column, kind)
    return None if times is None else INFINITY if times.least is None else times.least


def times_in_footer(path: str, column: str, kind: DataType) -> FooterTimes | None:
    """The extremes of a column that Spark reads as that type; None where the footer has no statistics."""
    try:
        facts = pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        return None  # what is wrong with the file is reported where its rows are read
    if is_of_other_calendar(facts):
        return None
    names = [facts.schema.column(place).path.lower() for place in range(facts.num_columns)]
    if names.count(column.lower()) != 1 or f"/{column.lower()}=" in path.lower():
        return None  # the name of a folder takes precedence over the column of the file
    place = names.index(column.lower())
    factor = _factor(facts.schema.column(place), kind)
    groups = [_extremes(facts.row_group(group).column(place)) for group in range(facts.num_row_groups)]
    if factor is None or None in groups:
        return None
    return _sum([group for group in groups if group is not None], facts.num_rows, factor)


def is_of_other_calendar(facts: Any) -> bool:
    """Whether a file, by its footer, may have times of the Julian calendar."""
    known = facts.metadata or {}
    return _OTHER_CALENDAR in known or known.get(_VERSION, b"3").startswith((b"1.", b"2."))


def _sum(groups: Sequence[tuple[int, ...]], rows: int, factor: int) -> FooterTimes:
    values = [value * factor for group in groups for value in group]
    return FooterTimes(rows, min(values, default=None), max(values, default=None))


def _extremes(chunk: Any) -> tuple[int, ...] | None:
    """The least and the largest stored value, () where there is none; None without statistics."""
    known = chunk.statistics if chunk.is_stats_set else None
    if known is not None and known.has_min_max:
        return int(known.min_raw), int(known.max_raw)
    nulls = 0 if known is None else known.null_count
    return () if nulls == chunk.num_values else None


def _factor(column: Any, kind: DataType) -> int | None:
    """What a stored number is multiplied by; None where it is not simply the time."""
    if column.physical_type not in ("INT32", "INT64"):
        return None
    stored = json.loads(column.logical_type.to_json())
    if isinstance(kind, IntegralType):
        is_plain = stored["Type"] == "None" or (stored["Type"] == "Int" and stored["isSigned"])
        return 1 if is_plain else None
    is_as_stored = stored["Type"] == "Timestamp" and isinstance(
        kind, TimestampType if stored["isAdjustedToUTC"] else TimestampNTZType
    )
    return _MICROS.get(stored["timeUnit"]) if is_as_stored else None
