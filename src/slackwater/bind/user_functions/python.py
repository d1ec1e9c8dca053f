"""Python objects as functions of users: UDFs of Spark, and what makes an object unfit for its form."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from slackwater.algebra.import_paths import is_udf, unwrapped
from slackwater.algebra.users.aggregates import REQUIRED
from slackwater.algebra.users.functions import AGGREGATE, ARROW, PANDAS, ROWS, SCALAR, TABLE

_UDFS = {
    100: (SCALAR, ROWS),
    101: (SCALAR, ROWS),
    200: (SCALAR, PANDAS),
    202: (AGGREGATE, PANDAS),
    250: (SCALAR, ARROW),
    252: (AGGREGATE, ARROW),
    300: (TABLE, ROWS),
    301: (TABLE, ROWS),
}
"""Spark's numbers for kinds of UDFs, and what these are here. Those over iterators are not among them."""


def udf_form(function: Any) -> tuple[str, str] | None:
    """The form and kind of a UDF of Spark; None for one that is not supported."""
    return _UDFS.get(function.evalType)


def is_random(function: Any) -> bool:
    """Whether it is a UDF of Spark that is declared as not deterministic."""
    return is_udf(function) and getattr(function, "deterministic", True) is False


def unfit(function: Any, form: str, kind: str) -> str | None:
    """Why an object is no function of that form, as a sentence without its full stop; None if it is one."""
    if is_udf(function) and udf_form(function) != (form, kind):
        return "It is a UDF of Spark of another kind"
    plain = unwrapped(function)
    if not callable(plain):
        return f"It is {type(plain).__name__}"
    if form == AGGREGATE and kind == ROWS:
        missing = [name for name in REQUIRED if not callable(getattr(plain, name, None))]
        if missing:
            return f'It has no method "{missing[0]}"'
        if isinstance(plain, type) and not takes(plain, 0):
            return "It cannot be created without arguments"
    if form == TABLE and hasattr(plain, "terminate"):
        return 'It has a method "terminate", and rows that depend on all rows are those of an aggregate'
    return None


def takes(function: Any, count: int) -> bool:
    """Whether a Python function can be called with so many arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # a function of C without a signature
        return True
    return True


def takes_arguments(function: Any, form: str, kind: str, count: int) -> bool:
    """Whether the rows of a query with so many arguments can be passed to it."""
    called, own = _called(unwrapped(function), form, kind)
    return takes(called, own + count)


def signature(function: Any, form: str, kind: str) -> str:
    """Its signature, as Python writes it."""
    called, _ = _called(unwrapped(function), form, kind)
    return f"{getattr(called, '__name__', 'a function')}{inspect.signature(called)}"


def _called(plain: Any, form: str, kind: str) -> tuple[Callable[..., Any], int]:
    """What is called with the values of a row, and how many arguments it has before them."""
    if form == AGGREGATE and kind == ROWS:
        return plain.add, 1
    if form == TABLE and isinstance(plain, type):
        return getattr(plain, "eval", plain), 1
    return plain, 0
