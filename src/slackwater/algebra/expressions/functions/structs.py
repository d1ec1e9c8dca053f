"""Structs: several values as one."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.signatures import Family, Function

FUNCTIONS = (
    Function(
        "struct",
        (Family.ANY,),
        s.structured,
        "the values together, in fields col1, col2, …",
        variadic=True,
        strict=False,
        together=", each of a known type",
    ),
)
