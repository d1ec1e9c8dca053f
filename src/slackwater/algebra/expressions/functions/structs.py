"""Structs: several values as one."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.signatures import Family, Function

FUNCTIONS = (
    Function(
        "struct",
        (Family.ANY,),
        s.structured,
        "the values together, in fields with the names of columns or those after AS, or col1, col2, …",
        variadic=True,
        strict=False,
        together=", each of a known type",
        also="`named_struct('a', x, 'b', y)`, `ROW(x, y)`",
    ),
    Function(
        "field",
        (Family.STRUCT, Family.FIELD),
        s.bound,
        "the value of a field of a struct; of an array of structs, the array of the values",
        partial=True,
        syntax="a.name",
    ),
)
