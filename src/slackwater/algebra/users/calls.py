"""The value of a call of a function of a user for one row, whatever its form and kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from slackwater.algebra.column_types import dtype
from slackwater.algebra.types import Type
from slackwater.algebra.users.aggregates import bag_value
from slackwater.algebra.users.columns import column_value
from slackwater.algebra.users.functions import OF_NONE, ROWS, TABLE, UserFunction, passed, returned, row_value
from slackwater.algebra.users.tables import table_value


def call_value(function: UserFunction, values: Sequence[Any], types: Sequence[Type]) -> Any:
    """The value of a call with the values of a row; whatever it raises, and Rejected."""
    if function.form == TABLE:
        return table_value(function, values, types)
    if function.form == OF_NONE:
        return bag_value(function, (), function.arguments or ())
    if function.kind == ROWS:
        return row_value(function, values, types)
    if function.strict and None in values:
        return None
    columns = [
        pl.Series("", [passed(value, type_)], dtype=dtype(type_))
        for value, type_ in zip(values, types, strict=True)
    ]
    return returned(column_value(function, columns, 1).to_list()[0], function.result)
