"""Functions of modules by their names in queries: `f_e3b0c44298fc1c14` is `f` of the module with that digest.

A query in CQL has them as functions of users with an import path in this module; an XQuery calls them with
`call-module`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from slackwater.algebra.types import Type
from slackwater.algebra.users.functions import ROWS, UserFunction
from slackwater.algebra.users.mobile import modules

MODULE: Final = "slackwater.algebra.users.mobile.calls"
_NAME: Final = re.compile(r"[^_].*_[0-9a-f]{16}")


def name_of(function: str, digest: str) -> str:
    """The name of a function in queries."""
    return f"{function}_{digest}"


def user_functions(digest: str) -> list[UserFunction]:
    """The functions of an installed module, for a catalog; of NULL they are NULL."""
    return [
        UserFunction(
            name_of(name, digest), f"{MODULE}:{name_of(name, digest)}", ROWS, result, takes, strict=True
        )
        for name, (takes, result) in modules.module_functions(digest).items()
    ]


def arguments_of(name: str, count: int) -> tuple[Type, ...]:
    """The types of so many arguments of a function, by its name in queries; raises Refused."""
    function, _, digest = name.rpartition("_")
    return modules.signature(digest, function, count)


def called(name: str, *values: Any) -> Any:
    """The value of a function by its name in queries; raises Refused."""
    function, _, digest = name.rpartition("_")
    return modules.call(digest, function, values)


def __getattr__(name: str) -> Callable[..., Any]:
    """The function of that name, as an import path names it."""
    if not _NAME.fullmatch(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return lambda *values: called(name, *values)
