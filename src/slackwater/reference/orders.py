"""Orders of pairs, on values: whether (r, s) matches at least as well as (r', s').      thesis 4.2.1"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from slackwater.algebra.orders import SUBSET, SUPERSET, Order, function_at
from slackwater.base.diagnostic import Bug

Preference = Callable[[Any, Any, Any, Any], bool | None]


def preference(order: Order) -> Preference:
    """The order of two values of each pair; None if the pairs are not comparable."""
    if order == SUBSET:
        return lambda r, s, r_, s_: _no_null(r, s, r_, s_) and set(r_) & set(s_) <= set(r) & set(s)
    if order == SUPERSET:
        return lambda r, s, r_, s_: _no_null(r, s, r_, s_) and set(r) & set(s) <= set(r_) & set(s_)
    if order.path:
        return _of_user(order.path)
    raise Bug(f"no order of two values: {order}")


def _no_null(*values: Any) -> bool | None:
    return None if None in values else True


def _of_user(path: str) -> Preference:
    """A user's function, on columns of one row."""
    function = function_at(path)

    def prefers(*values: Any) -> bool | None:
        columns = [pl.Series("", [list(value) if isinstance(value, tuple) else value]) for value in values]
        answer: bool | None = function(*columns)[0]
        return answer

    return prefers
