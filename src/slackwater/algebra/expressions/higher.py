"""Functions of functions: over elements of arrays and entries of maps, with Spark's names and meaning.

transform(a, x -> x + 1)     the function is called once for each element

A function is called for the elements in their order, and no further than its answers are needed: `exists`
ends at the first true, `forall` at the first false.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from slackwater.algebra.expressions.signatures import Family


@dataclass(frozen=True, slots=True)
class Higher:
    """A function of values and, after them, of functions; it is NULL where an array or map is."""

    name: str
    parameters: tuple[Family, ...]
    arities: tuple[tuple[int, ...], ...]
    """With how many values each function may be called, the functions in their order."""
    syntax: str
    gives: str
    meaning: str
    optional: int = 0
    """How many of the functions, the last, may be left out."""
    also: str = ""

    @property
    def takes(self) -> str:
        """What it takes, as the end of a sentence."""
        words = [str(family) for family in self.parameters]
        for place, arities in enumerate(self.arities):
            counts = " or ".join(map(str, arities))
            optional = "optionally " if place >= len(self.arities) - self.optional else ""
            words.append(f"{optional}a function of {counts} value{'s' if arities != (1,) else ''}")
        return f"{', '.join(words[:-1])} and {words[-1]}"


_ARRAY, _MAP, _ANY = Family.ARRAY, Family.MAP, Family.ANY
_WRONG = "NULL if a key is NULL or there twice"

FUNCTIONS: Final = (
    Higher(
        "transform",
        (_ARRAY,),
        ((1, 2),),
        "transform(a, (x, i) -> …)",
        "ARRAY of them",
        "the function's value for each element, and its place from 0",
    ),
    Higher(
        "filter",
        (_ARRAY,),
        ((1, 2),),
        "filter(a, (x, i) -> …)",
        "as the first",
        "the elements for which it is true",
    ),
    Higher(
        "exists",
        (_ARRAY,),
        ((1,),),
        "exists(a, x -> …)",
        "BOOLEAN",
        "whether it is true for an element; NULL if for none, and for one it is NULL",
    ),
    Higher(
        "forall",
        (_ARRAY,),
        ((1,),),
        "forall(a, x -> …)",
        "BOOLEAN",
        "whether it is true for all elements; NULL if it is false for none, and for one it is NULL",
    ),
    Higher(
        "aggregate",
        (_ARRAY, _ANY),
        ((2,), (1,)),
        "aggregate(a, b, (s, x) -> … [, s -> …])",
        "that of the last function",
        "beginning with the second, the function's value for the value so far and the next element; of the "
        "last, the second function's value",
        optional=1,
        also="`reduce`",
    ),
    Higher(
        "zip_with",
        (_ARRAY, _ARRAY),
        ((2,),),
        "zip_with(a, b, (x, y) -> …)",
        "ARRAY of them",
        "the function's value for the elements at the same places, with NULLs where an array is shorter",
    ),
    Higher(
        "array_sort",
        (_ARRAY,),
        ((2,),),
        "array_sort(a, (x, y) -> …)",
        "as the first",
        "in the order in which the function says, by a number below 0, 0 or above 0, whether x is before, "
        "beside or after y; equal ones stay in their order; NULL if the function is",
    ),
    Higher(
        "map_filter",
        (_MAP,),
        ((2,),),
        "map_filter(a, (k, v) -> …)",
        "as the first",
        "the entries for which it is true",
    ),
    Higher(
        "transform_keys",
        (_MAP,),
        ((2,),),
        "transform_keys(a, (k, v) -> …)",
        "MAP of them",
        f"with the function's values as keys; {_WRONG}",
    ),
    Higher(
        "transform_values",
        (_MAP,),
        ((2,),),
        "transform_values(a, (k, v) -> …)",
        "MAP of them",
        "with the function's values as values",
    ),
    Higher(
        "map_zip_with",
        (_MAP, _MAP),
        ((3,),),
        "map_zip_with(a, b, (k, v, w) -> …)",
        "MAP of them",
        "the function's value for each key and its values in both, NULL where a map does not have the key",
    ),
)

HIGHER: Final = {function.name: function for function in FUNCTIONS}
SPELLINGS: Final = {**{name: name for name in HIGHER}, "reduce": "aggregate"}
"""How they are written; `array_sort` without a function is one of `functions`."""
