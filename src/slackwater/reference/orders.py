"""Orders of pairs, on values: whether (r, s) matches at least as well as (r', s').      thesis 4.2.1"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from slackwater.algebra.orders import SUBSET, SUPERSET, Order
from slackwater.algebra.users.orders import compared
from slackwater.base.diagnostic import Bug
from slackwater.base.span import Span

Preference = Callable[[Any, Any, Any, Any], bool | None]


def preference(order: Order, origin: Span | None = None) -> Preference:
    """The order of two values of each pair; None if the pairs are not comparable."""
    if order == SUBSET:
        return lambda r, s, r_, s_: _no_null(r, s, r_, s_) and set(r_) & set(s_) <= set(r) & set(s)
    if order == SUPERSET:
        return lambda r, s, r_, s_: _no_null(r, s, r_, s_) and set(r) & set(s) <= set(r_) & set(s_)
    if order.path:
        return lambda *values: compared(order, [_column(value) for value in values], origin)[0]
    raise Bug(f"no order of two values: {order}")


def _no_null(*values: Any) -> bool | None:
    return None if None in values else True


def _column(value: Any) -> pl.Series:
    """A value as a column of one row."""
    return pl.Series("", [list(value) if isinstance(value, tuple) else value])
