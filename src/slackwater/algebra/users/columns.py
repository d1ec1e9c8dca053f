"""Functions of users over columns: what they are called with, and the columns that they return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from slackwater.algebra.column_types import dtype
from slackwater.algebra.types import Type
from slackwater.algebra.users.functions import ARROW, PANDAS, POLARS, Rejected, UserFunction, python_function


def column_value(function: UserFunction, columns: Sequence[pl.Series], size: int) -> pl.Series:
    """The column that a function over columns returns; Rejected for another length, or no column."""
    answer = python_function(function)(*as_kind(columns, function.kind))
    if function.kind == PANDAS:
        answer = _of_pandas(answer, function.result)
    elif function.kind == ARROW and not isinstance(answer, pl.Series):
        answer = pl.from_arrow(answer)
    if not isinstance(answer, pl.Series):
        what = {ARROW: "an Arrow array", PANDAS: "a Series of pandas"}.get(function.kind, "a Polars column")
        raise Rejected(f"it returned {type(answer).__name__}, not {what}")
    if len(answer) != size:
        raise Rejected(f"it returned {len(answer)} values for {size} rows")
    return answer


def as_kind(columns: Sequence[pl.Series], kind: str) -> list[Any]:
    """The columns as a function of that kind is called with them."""
    if kind == POLARS:
        return list(columns)
    arrays = [column.to_arrow() for column in columns]
    return [array.to_pandas() for array in arrays] if kind == PANDAS else arrays


def _of_pandas(answer: Any, type_: Type) -> Any:
    """A Series of pandas as a column of the type, as Spark converts it: NaN is NULL, 2.0 is an integer."""
    if not hasattr(answer, "isnull") or not hasattr(answer, "dtype"):
        return answer
    try:
        return pl.from_arrow(pa.Array.from_pandas(answer, mask=answer.isnull(), type=_arrow(type_)))
    except pa.ArrowException as cause:
        raise Rejected(f"it returned a Series that is not of type {type_}: {cause}") from cause


def single_of_pandas(value: Any, type_: Type) -> Any:
    """A value that a function over Series of pandas returned, as Spark converts it."""
    try:
        return pa.array([value], type=_arrow(type_), from_pandas=True)[0].as_py()
    except (pa.ArrowException, OverflowError, TypeError) as cause:
        raise Rejected(f"it returned {value!r}, which is not of type {type_}") from cause


def _arrow(type_: Type) -> pa.DataType:
    return pl.Series(dtype=dtype(type_)).to_arrow().type
