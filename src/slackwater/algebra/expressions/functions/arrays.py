"""Arrays; an element is compared as its type is, NULL being equal to NULL where an array is a set."""

from __future__ import annotations

from slackwater.algebra.expressions import nested as n
from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, BOOLEAN, GREATEST, STRING, array

_ARRAY, _ANY, _INT = Family.ARRAY, Family.ANY, Family.INTEGER
_COUNT = s.always(BIGINT)
_FITS = ", which may be an element"
_ALIKE = ", of elements of one type"


def _set(name: str, meaning: str) -> Function:
    return Function(name, (_ARRAY, _ARRAY), n.alike, f"{meaning}, each once", unifies=True, together=_ALIKE)


FUNCTIONS = (
    Function(
        "array",
        (_ANY,),
        n.listed,
        "the values in an array",
        optional=1,
        variadic=True,
        strict=False,
        unifies=True,
        converts=True,
        together=" of types that fit together",
        also="`ARRAY[a, b]`",
    ),
    Function(
        "get",
        (_ARRAY, _INT),
        n.element,
        "the element at that place, from 0; NULL outside",
        partial=True,
        also="`a[i]`",
    ),
    Function(
        "element_at",
        (_ARRAY, _INT),
        n.element,
        "the element at that place, from 1, or from the end if it is negative; NULL outside",
        partial=True,
        also="`try_element_at`",
    ),
    Function(
        "size",
        (Family.COLLECTION,),
        _COUNT,
        "the number of elements or entries",
        range=r.within(0, GREATEST),
        also="`cardinality`, `array_size`, `array_length`",
    ),
    Function(
        "array_contains",
        (_ARRAY, _ANY),
        n.with_element(1, BOOLEAN),
        "whether it is an element; NULL if it is not and some element is NULL",
        adapts=n.beside_array(1),
        partial=True,
        together=_FITS,
    ),
    Function(
        "array_position",
        (_ARRAY, _ANY),
        n.with_element(1, BIGINT),
        "the place of the first such element, from 1; 0 if there is none",
        adapts=n.beside_array(1),
        range=r.within(0, GREATEST),
        together=_FITS,
    ),
    Function(
        "array_remove",
        (_ARRAY, _ANY),
        n.with_element(1),
        "without the elements that equal it",
        adapts=n.beside_array(1),
        together=_FITS,
    ),
    Function(
        "array_append",
        (_ARRAY, _ANY),
        n.with_element(1),
        "with the value at its end; NULL of a NULL array",
        adapts=n.beside_array(1),
        strict=False,
        together=_FITS,
    ),
    Function(
        "array_prepend",
        (_ARRAY, _ANY),
        n.with_element(1),
        "with the value at its beginning; NULL of a NULL array",
        adapts=n.beside_array(1),
        strict=False,
        together=_FITS,
    ),
    Function(
        "array_insert",
        (_ARRAY, _INT, _ANY),
        n.with_element(2),
        "with the value at that place, from 1, or from the end if it is negative, and NULLs between; NULL of "
        "a NULL array, and of the place 0 or one further than 1000000",
        adapts=n.beside_array(2),
        strict=False,
        partial=True,
        together=_FITS,
    ),
    Function("array_distinct", (_ARRAY,), n.as_first, "each element once, at its first place"),
    Function("array_compact", (_ARRAY,), n.as_first, "without its NULLs"),
    _set("array_union", "the elements of both"),
    _set("array_intersect", "the elements that both have"),
    _set("array_except", "the elements that the second does not have"),
    Function(
        "arrays_overlap",
        (_ARRAY, _ARRAY),
        n.when_alike(BOOLEAN),
        "whether an element that is not NULL is in both; NULL if not, both have elements and one a NULL",
        unifies=True,
        partial=True,
        together=_ALIKE,
    ),
    Function(
        "arrays_zip",
        (_ARRAY,),
        n.zipped,
        "structs of the elements at the same places, with NULLs where an array is shorter",
        variadic=True,
    ),
    Function(
        "array_join",
        (Family.WORDS, Family.TEXT, Family.TEXT),
        s.always(STRING),
        "the texts with the second between them; NULLs are left out, or written as the third",
        optional=1,
    ),
    Function("array_min", (_ARRAY,), n.element, "the least element; NULL of none", partial=True),
    Function("array_max", (_ARRAY,), n.element, "the greatest element; NULL of none", partial=True),
    Function(
        "sort_array",
        (_ARRAY, Family.BOOLEAN),
        n.as_first,
        "in order, NULLs first; in reverse if the second is false",
        optional=1,
    ),
    Function("array_sort", (_ARRAY,), n.as_first, "in order, NULLs last"),
    Function("array_reverse", (_ARRAY,), n.as_first, "in reverse", also="`reverse(a)`"),
    Function(
        "array_concat",
        (_ARRAY,),
        n.alike,
        "one after the other",
        variadic=True,
        unifies=True,
        together=_ALIKE,
        also="`concat(a, b)`, `a || b`",
    ),
    Function(
        "slice",
        (_ARRAY, _INT, _INT),
        n.as_first,
        "from that place on, from 1, or from the end if it is negative, so many elements; NULL of the place "
        "0 and of less than none",
        partial=True,
    ),
    Function(
        "flatten",
        (Family.ARRAYS,),
        n.inner_array,
        "the elements of the arrays, one after the other; NULL if one of the arrays is",
        partial=True,
    ),
    Function(
        "sequence",
        (_INT, _INT, _INT),
        s.always(array(BIGINT)),
        "the numbers from the first to the second, in steps of the third (1 or -1); NULL of steps in the "
        "other direction, and of more than 1000000 numbers",
        optional=1,
        partial=True,
    ),
    Function(
        "array_repeat",
        (_ANY, _INT),
        n.repeated,
        "the value so many times; NULL of more than 1000000 times",
        strict=False,
        partial=True,
    ),
)
