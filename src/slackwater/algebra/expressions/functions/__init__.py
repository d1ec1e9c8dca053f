"""The closed table of scalar functions: one record each, a file per family.

What the binder, the optimizer, the kernels and the functions page know about a function follows from its
record; a kernel and the reference's implementation are found by its name, and tests hold that there is one
of each.

Decisions that hold throughout: x / 0 and x % 0 are NULL for every kind of number, and so is a
function outside its domain (`sqrt(-1)`, `ln(0)`): one row does not end a continuous query. An
integer or decimal too large for its type is an error of the data, never a wrong number. NaN equals
itself and is above every other number; -0.0 is 0.0; false is below true; texts are compared by
code point. Where Spark and other systems differ on texts, it is Spark's meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.expressions.aggregate import Aggregate
from slackwater.algebra.expressions.aggregates import AGGREGATES, aggregate_type
from slackwater.algebra.expressions.casts import castable
from slackwater.algebra.expressions.functions import (
    arithmetic,
    arrays,
    astronomy,
    bits,
    calendar,
    codes,
    edits,
    hashes,
    json,
    json_texts,
    logic,
    maps,
    matching,
    math,
    structs,
    texts,
    times,
    trying,
)
from slackwater.algebra.expressions.signatures import UNITS, Family, Function, Mismatch
from slackwater.algebra.types import NULL, Type

__all__ = [
    "AGGREGATES",
    "FAMILIES",
    "FUNCTIONS",
    "UNITS",
    "Aggregate",
    "Family",
    "Function",
    "Mismatch",
    "aggregate_type",
    "castable",
    "result_type",
]

FAMILIES: dict[str, tuple[Function, ...]] = {
    "Arithmetic": arithmetic.FUNCTIONS,
    "Arithmetic that gives NULL": trying.FUNCTIONS,
    "Comparison, logic and choice": logic.FUNCTIONS,
    "Texts": texts.FUNCTIONS,
    "Texts, composed and compared": edits.FUNCTIONS,
    "Regular expressions": matching.FUNCTIONS,
    "Codes, digests and URLs": codes.FUNCTIONS,
    "Hashes": hashes.FUNCTIONS,
    "Mathematics": math.FUNCTIONS,
    "Bits": bits.FUNCTIONS,
    "Positions in the sky": astronomy.FUNCTIONS,
    "Dates and timestamps": times.FUNCTIONS,
    "The calendar, formats and time zones": calendar.FUNCTIONS,
    "Structs": structs.FUNCTIONS,
    "Arrays": arrays.FUNCTIONS,
    "Maps": maps.FUNCTIONS,
    "JSON": (*json_texts.FUNCTIONS, *json.FUNCTIONS),
}
"""The functions by the titles of their sections on the functions page."""

FUNCTIONS: dict[str, Function] = {f.name: f for family in FAMILIES.values() for f in family}


def result_type(name: str, argument_types: Sequence[Type]) -> Type | Mismatch:
    """The type of the function's result for such arguments, or why there is none."""
    function = FUNCTIONS[name]
    if not function.accepts_count(len(argument_types)):
        return Mismatch(None, function.takes)
    for index, type_ in enumerate(argument_types):
        if not function.family(index).takes(type_):
            return Mismatch(index, function.takes)
    result = function.result(argument_types)
    return Mismatch(_first_mismatch(function, argument_types), function.takes) if result is None else result


def _first_mismatch(function: Function, types: Sequence[Type]) -> int:
    """The first argument that does not go with those before it."""
    rest = (NULL,) * len(types)
    ends = range(1, len(types) + 1)
    fits = [function.result((*types[:end], *rest[end:])) is not None for end in ends]
    return fits.index(False) if False in fits else len(types) - 1
