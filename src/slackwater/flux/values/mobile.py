"""Functions of WebAssembly modules in XQuery: `call-module("f_e3b0c44298fc1c14", $p/en)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slackwater.algebra.types import DOUBLE, STRING, Type
from slackwater.algebra.users.mobile import Refused, calls
from slackwater.flux import problems
from slackwater.flux.values.atomic import Items, at_most_one
from slackwater.flux.values.casts import text_of, to_double, to_integer
from slackwater.flux.values.context import Context
from slackwater.flux.values.errors import Wrong

_CASTS: dict[Type, Callable[[Any], Any]] = {STRING: text_of, DOUBLE: to_double}


def _called(_context: Context, name: Items, *arguments: Items) -> Items:
    """The value of a function of a module: empty if an argument is."""
    function = at_most_one(name, "call-module")
    values = [at_most_one(items, "call-module") for items in arguments]
    shown = text_of(function) if function is not None else ""
    if None in values:
        return []
    try:
        takes = calls.arguments_of(shown, len(values))
        known = [_CASTS.get(type_, to_integer)(value) for value, type_ in zip(values, takes, strict=True)]
        return [calls.called(shown, *known)]
    except Refused as error:
        raise Wrong(problems.FAILED_MODULE.at(name=shown, why=error)) from None


MOBILE: dict[str, Callable[..., Items]] = {"call-module": _called}
