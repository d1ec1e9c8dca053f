"""The least time in a Parquet file, from its footer: no row is read.

For every row group a footer has the minimum of each column, as the stored number.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.types import DataType, IntegralType, TimestampNTZType, TimestampType

from slackwater.base.time import INFINITY

_MICROS = {"milliseconds": 1_000, "microseconds": 1}
"""How many microseconds one of these is. Nanoseconds are left to Spark, which rounds them."""
_OTHER_CALENDAR = b"org.apache.spark.legacyDateTime"
"""Old Sparks stored times of the Julian calendar; newer ones convert them."""


def least_in_footer(path: str, column: str, kind: DataType) -> int | None:
    """The least value of a column that Spark reads as that type: a number, or microseconds.

    None where the footer has no statistics, INFINITY where the column has no value.
    """
    try:
        facts = pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        return None  # what is wrong with the file is reported where its rows are read
    if _OTHER_CALENDAR in (facts.metadata or {}):
        return None
    names = [facts.schema.column(place).path.lower() for place in range(facts.num_columns)]
    if names.count(column.lower()) != 1:
        return None
    place = names.index(column.lower())
    factor = _factor(facts.schema.column(place), kind)
    minima = [_least(facts.row_group(group).column(place)) for group in range(facts.num_row_groups)]
    if factor is None or None in minima:
        return None
    return _scaled([least for least in minima if least is not None], factor)


def _scaled(minima: Sequence[int], factor: int) -> int:
    least = min(minima, default=INFINITY)
    return INFINITY if least == INFINITY else least * factor


def _least(chunk: Any) -> int | None:
    known = chunk.statistics if chunk.is_stats_set else None
    if known is not None and known.has_min_max:
        return int(known.min_raw)
    nulls = 0 if known is None else known.null_count
    return INFINITY if nulls == chunk.num_values else None


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
