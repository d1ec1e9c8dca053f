"""Table functions of users: Python functions that return rows, as arrays of structs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from slackwater.algebra.column_types import field_names
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.types import Type, element_of
from slackwater.algebra.users.functions import Rejected, UserFunction, passed, python_function, returned
from slackwater.algebra.users.functions import shown_row as shown


def table_value(function: UserFunction, values: Sequence[Any], types: Sequence[Type]) -> Any:
    """The rows for the values of a row, as an array; whatever the function raises, and Rejected."""
    if function.strict and None in values:
        return ()
    rows = _eval(python_function(function))(*map(passed, values, types))
    if rows is None:
        return ()
    if isinstance(rows, str | bytes) or not hasattr(rows, "__iter__"):
        raise Rejected(f"it returned {type(rows).__name__}, not rows")
    row_type = element_of(function.result)
    return tuple(_row(row, row_type) for row in rows)


def _eval(function: Any) -> Callable[..., Any]:
    """The function; of a class with a method `eval`, as Spark's UDTFs are, that method of a new object."""
    is_class = isinstance(function, type) and hasattr(function, "eval")
    return (lambda *values: function().eval(*values)) if is_class else function


def _row(row: Any, type_: Type) -> tuple[Any, ...]:
    """A tuple or a dict; with one column also its value alone."""
    names, types = field_names(type_), inner_types(type_)
    if isinstance(row, dict):
        if unknown := [name for name in row if name not in names]:
            raise Rejected(f'it returned a row with "{unknown[0]}", which is not one of its columns')
        values: Sequence[Any] = [row.get(name) for name in names]
    else:
        values = row if isinstance(row, tuple) else (row,)
    if len(values) != len(names):
        raise Rejected(f"it returned the row ({shown(values)}), which does not have {len(names)} columns")
    return tuple(map(returned, values, types))
