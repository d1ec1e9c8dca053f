"""Orders of users: Python functions over four columns, found by their import paths."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from slackwater.algebra.errors import order_failed
from slackwater.algebra.import_paths import function_at
from slackwater.algebra.orders import Order
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Span


def compared(order: Order, columns: Sequence[pl.Series], origin: Span | None = None) -> pl.Series:
    """What the function of a user says of each row: whether the first pair is at least as good.

    Raises EngineError where it fails, or gives anything else.
    """
    size = max(map(len, columns)) if all(map(len, columns)) else 0
    # A literal's column has a single row, for all rows.
    whole = [one.new_from_index(0, size) if len(one) == 1 and size > 1 else one for one in columns]
    try:
        answer = function_at(order.path)(*whole)
    except Exception as cause:
        # The first line: Polars adds the plan of its own query, which is not the user's.
        what = " ".join([f"{type(cause).__name__}:", *str(cause).splitlines()[:1]])
        raise EngineError(order_failed(order.name, what, origin)) from cause
    if not isinstance(answer, pl.Series) or answer.dtype != pl.Boolean or len(answer) != size:
        what = f"{len(answer)} of {answer.dtype}" if isinstance(answer, pl.Series) else type(answer).__name__
        raise EngineError(order_failed(order.name, f"it returned {what}, not {size} booleans", origin))
    return answer
