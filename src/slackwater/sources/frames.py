"""Data that a user hands over, as a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from slackwater.base.diagnostic import EngineError
from slackwater.sources import frame_errors as errors


def frame_of(spark: SparkSession, name: str, data: Any, columns: Sequence[str] | None = None) -> DataFrame:
    """Spark, pandas, Polars and Arrow tables, or rows as dicts or tuples; raises EngineError."""
    if isinstance(data, DataFrame):
        return data
    return spark_frame(spark, table_of(name, data, columns))


def spark_frame(spark: SparkSession, table: pa.Table) -> DataFrame:
    """An Arrow table as a DataFrame; instants stay instants, and times without a zone have none.

    Spark by itself takes times without a zone for those of its session's zone.
    """
    return spark.createDataFrame(table, schema=from_arrow_schema(table.schema, prefer_timestamp_ntz=True))


def table_of(name: str, data: Any, columns: Sequence[str] | None = None) -> pa.Table:
    """Local data as an Arrow table."""
    if isinstance(data, pa.Table):
        table = data
    elif isinstance(data, pl.DataFrame | pl.LazyFrame):
        table = (data.collect() if isinstance(data, pl.LazyFrame) else data).to_arrow()
    elif hasattr(data, "iloc"):
        table = pa.Table.from_pandas(data, preserve_index=False)
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes | Mapping):
        table = _of_rows(name, list(data), columns)
    else:
        raise EngineError(errors.strange_data(name, data))
    return pa.table({each: _plain(table[each]) for each in table.column_names})


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Types that Spark reads: instants in microseconds, texts without views or dictionaries."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", kind.tz), safe=False)
    if pa.types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type))
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return column.cast(pa.binary())
    if pa.types.is_large_list(kind):
        return column.cast(pa.list_(kind.value_type))
    return column


def _column(values: Iterable[Any]) -> pa.Array:
    return pa.array(list(values))


def _of_rows(name: str, rows: list[Any], columns: Sequence[str] | None) -> pa.Table:
    if rows and isinstance(rows[0], Mapping):
        names = list(dict.fromkeys(name for row in rows for name in row))
        rows = [tuple(row.get(name) for name in names) for row in rows]
    else:
        fields: Sequence[str] = getattr(rows[0], "_fields", ()) if rows else ()
        names = list(columns or fields)
    if not names:
        why = (
            "Tuples have no names for their columns: give columns=[…]."
            if rows
            else "There are none: give columns=[…]."
        )
        raise EngineError(errors.uneven_rows(name, why))
    try:
        values = zip(*rows, strict=True) if rows else ([] for _ in names)
        return pa.table(dict(zip(names, map(_column, values), strict=True)))
    except (ValueError, TypeError, OverflowError) as why:
        said = str(why).split("\n")[0].rstrip(".")
        raise EngineError(errors.uneven_rows(name, f"{said[:1].upper()}{said[1:]}.")) from why
