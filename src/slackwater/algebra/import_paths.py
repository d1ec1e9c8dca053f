"""Python functions by their import paths, `module:function`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from operator import attrgetter
from typing import Any


def path_of(function: Callable[..., Any]) -> str | None:
    """The import path of a function; None if workers could not import it from there."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    path = f"{module}:{name}"
    if module in (None, "__main__") or "<" in name:
        return None
    try:
        return path if unwrapped(function_at(path)) is function else None
    except (ImportError, AttributeError):
        return None


def is_udf(function: Any) -> bool:
    """Whether it is a UDF or UDTF of Spark, which has a Python function inside."""
    return hasattr(function, "func") and hasattr(function, "evalType")


def unwrapped(function: Any) -> Any:
    """The Python function of a UDF of Spark; any other object is itself."""
    return function.func if is_udf(function) else function


def function_at(path: str) -> Callable[..., Any]:
    """The function with that import path, `module:function`."""
    module, _, name = path.partition(":")
    function: Callable[..., Any] = attrgetter(name)(importlib.import_module(module))
    return function
