"""Tables and rows of Python as Spark DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.sources import frame_errors as errors
from slackwater.sources.headers import check_names

_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.int64(),
    pa.float16(): pa.float32(),
}
"""The Spark types that hold the values of types that Spark does not have."""


def frame_of(spark: SparkSession, name: str, data: Any, columns: Sequence[str] | None = None) -> DataFrame:
    """Spark, pandas, Polars and Arrow tables, or rows as dicts or tuples; raises EngineError."""
    if isinstance(data, DataFrame):
        check_names(name, data.columns)
        return data
    return spark_frame(spark, table_of(name, data, columns))


def spark_frame(spark: SparkSession, table: pa.Table) -> DataFrame:
    """An Arrow table as a DataFrame; instants stay instants, and times without a zone have none.

    Spark by itself takes times without a zone for those of its session's zone.
    """
    return spark.createDataFrame(table, schema=from_arrow_schema(table.schema, prefer_timestamp_ntz=True))


def table_of(name: str, data: Any, columns: Sequence[str] | None = None) -> pa.Table:
    """Local data as an Arrow table of types that Spark has; raises EngineError."""
    table = _table(name, data, columns)
    check_names(name, table.column_names)
    parts: dict[str, pa.ChunkedArray] = {}
    mistakes: list[Diagnostic] = []
    for column in table.column_names:
        try:
            parts[column] = _plain(table[column])
        except (pa.ArrowException, PySparkException) as why:
            mistakes.append(_unreadable(name, column, table[column].type, why))
    if mistakes:
        raise EngineError(mistakes)
    return pa.table(parts)


def _table(name: str, data: Any, columns: Sequence[str] | None) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pl.DataFrame | pl.LazyFrame):
        return _of_polars(name, data.collect() if isinstance(data, pl.LazyFrame) else data)
    if hasattr(data, "iloc"):
        return _of_pandas(name, data)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes | Mapping):
        return _of_rows(name, list(data), columns)
    raise EngineError(errors.unsupported_data(name, data))


def _of_polars(name: str, frame: pl.DataFrame) -> pa.Table:
    """Polars would export Python objects as addresses, and cannot export 128-bit integers."""
    odd = {column: kind for column, kind in frame.schema.items() if kind in (pl.Object, pl.Int128)}
    if odd:
        raise EngineError(
            [errors.unknown_column_type(name, column, str(kind)) for column, kind in odd.items()]
        )
    return frame.to_arrow()


def _of_pandas(name: str, frame: Any) -> pa.Table:
    check_names(name, [str(column) for column in frame.columns])
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, OverflowError) as why:
        raise EngineError(_no_table(name, frame.items(), why)) from why


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column in a type that Spark reads; raises the error of Arrow or Spark where there is none."""
    kind = _plain_type(column.type)
    from_arrow_type(kind, prefer_timestamp_ntz=True)
    # Nanoseconds are cut off; everything else has to fit.
    return column if kind == column.type else column.cast(kind, safe="[ns" not in str(column.type))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """Instants in microseconds, texts without views or dictionaries, integers with a sign."""
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind) or pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    if kind in _WIDER:
        return _WIDER[kind]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_map(kind):
        return pa.map_(_plain_type(kind.key_type), _plain_type(kind.item_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _plain_type(field.type)) for field in kind])
    return kind


def _unreadable(name: str, column: str, kind: pa.DataType, why: Exception) -> Diagnostic:
    if kind == pa.uint64() and isinstance(why, pa.ArrowInvalid):
        return errors.too_large(name, column)
    return errors.unknown_column_type(name, column, str(kind))


def _sentence(why: Exception) -> str:
    reason = str(why.args[0] if why.args else why).split("\n")[0].rstrip(".")
    about = f" ({why.args[1]})" if len(why.args) > 1 else ""
    return f"{reason[:1].upper()}{reason[1:]}{about}."


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
            else "There are none: pass columns=[…]."
        )
        raise EngineError(errors.uneven_rows(name, why))
    try:
        for number, row in enumerate(rows, start=1):
            if len(row) != len(names):
                raise ValueError(f"row {number} has {len(row)} values, and there are {len(names)} columns")
        values = zip(*rows, strict=True) if rows else ([] for _ in names)
        return pa.table(dict(zip(names, map(_column, values), strict=True)))
    except (ValueError, TypeError, OverflowError) as why:
        pairs = zip(names, zip(*rows, strict=False), strict=False)
        raise EngineError(_no_table(name, pairs, why)) from why


def _no_table(name: str, columns: Iterable[tuple[Any, Iterable[Any]]], why: Exception) -> list[Diagnostic]:
    """Why values of Python make no table: of each column the first integer that is too large, if one is."""
    large = [
        errors.too_large(name, str(column), row)
        for column, values in columns
        if isinstance(why, OverflowError) and (row := _first_large(values)) is not None
    ]
    return large or [errors.uneven_rows(name, _sentence(why))]


def _first_large(values: Iterable[Any]) -> int | None:
    rows = enumerate(values, start=1)
    return next(
        (row for row, value in rows if isinstance(value, int) and not -(2**63) <= value < 2**63), None
    )
