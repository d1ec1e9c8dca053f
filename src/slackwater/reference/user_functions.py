"""Functions of users, called once for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from slackwater.algebra.column_types import dtype
from slackwater.algebra.errors import function_failed
from slackwater.algebra.expressions.nodes import UserCall
from slackwater.algebra.user_functions import ROWS, column_value, passed, returned, row_value
from slackwater.base.diagnostic import EngineError
from slackwater.reference.logic import Evaluator


def user_call(call: UserCall, arguments: Sequence[Evaluator]) -> Evaluator:
    """The function's value for the row's arguments."""

    def value(row: Any, outer: Any) -> Any:
        values = [argument(row, outer) for argument in arguments]
        try:
            return _value(call, values)
        except EngineError:
            raise
        except Exception as cause:
            raise EngineError(function_failed(call, cause, values)) from cause

    return value


def _value(call: UserCall, values: Sequence[Any]) -> Any:
    function, types = call.function, [argument.type for argument in call.arguments]
    if function.kind == ROWS:
        return row_value(function, values, types)
    if function.strict and None in values:
        return None
    columns = [
        pl.Series("", [passed(value, type_)], dtype=dtype(type_))
        for value, type_ in zip(values, types, strict=True)
    ]
    return returned(column_value(function, columns, 1).to_list()[0], function.result)
