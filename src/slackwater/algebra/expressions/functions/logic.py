"""Comparison, logic and choice."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import spark
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BOOLEAN, STRING

_ANY, _BOOL = Family.ANY, Family.BOOLEAN
_COMPARABLE = ", of types that can be compared"
_TRUTH = s.always(BOOLEAN)


def _comparison(
    name: str, meaning: str, syntax: str, operator: str, strict: bool = True, also: str = ""
) -> Function:
    return Function(
        name,
        (_ANY, _ANY),
        s.when_comparable(BOOLEAN),
        meaning,
        strict=strict,
        together=_COMPARABLE,
        unifies=True,
        spark=spark.infix(operator),
        syntax=syntax,
        also=also,
    )


FUNCTIONS = (
    _comparison("eq", "whether the two are equal", syntax="a = b", operator="="),
    _comparison("ne", "whether the two differ", syntax="a <> b", operator="<>", also="`a != b`"),
    _comparison("lt", "whether the first is below the second", syntax="a < b", operator="<"),
    _comparison("le", "whether the first is below or equal to the second", syntax="a <= b", operator="<="),
    _comparison("gt", "whether the first is above the second", syntax="a > b", operator=">"),
    _comparison("ge", "whether the first is above or equal to the second", syntax="a >= b", operator=">="),
    _comparison(
        "is_not_distinct_from",
        "whether the two are equal or both NULL",
        strict=False,
        syntax="a IS NOT DISTINCT FROM b",
        operator="<=>",
    ),
    Function(
        "and",
        (_BOOL, _BOOL),
        _TRUTH,
        "whether all are true",
        variadic=True,
        strict=False,
        spark=spark.infix("AND"),
        syntax="a AND b",
    ),
    Function(
        "or",
        (_BOOL, _BOOL),
        _TRUTH,
        "whether any is true",
        variadic=True,
        strict=False,
        spark=spark.infix("OR"),
        syntax="a OR b",
    ),
    Function("not", (_BOOL,), _TRUTH, "whether it is false", spark=spark.form("(NOT {0})"), syntax="NOT a"),
    Function(
        "is_null",
        (_ANY,),
        _TRUTH,
        "whether it is NULL",
        strict=False,
        spark=spark.form("({0} IS NULL)"),
        syntax="a IS NULL",
        also="`isnull(a)`",
    ),
    Function(
        "in_list",
        (_ANY, _ANY),
        s.when_comparable(BOOLEAN),
        "whether the first equals one of the others",
        variadic=True,
        strict=False,
        together=_COMPARABLE,
        unifies=True,
        converts=True,
        spark=spark.membership,
        syntax="a IN (b, …)",
    ),
    Function(
        "typeof",
        (_ANY,),
        s.always(STRING),
        "the name of the type of the value",
        strict=False,
    ),
    Function(
        "coalesce",
        (_ANY,),
        s.shared,
        "the first that is not NULL",
        variadic=True,
        strict=False,
        together=", with a type in common",
        unifies=True,
        converts=True,
        spark=spark.call("coalesce"),
        also="`ifnull`, `nvl`",
    ),
    Function(
        "nullif",
        (_ANY, _ANY),
        s.when_first_two_comparable,
        "the first, or NULL if the two are equal",
        strict=False,
        together=_COMPARABLE,
        unifies=True,
        partial=True,
        spark=spark.call("nullif"),
    ),
    Function(
        "greatest",
        (_ANY,),
        s.shared,
        "the greatest of those that are not NULL",
        variadic=True,
        strict=False,
        together=_COMPARABLE,
        unifies=True,
        converts=True,
        spark=spark.one_of("greatest"),
    ),
    Function(
        "least",
        (_ANY,),
        s.shared,
        "the least of those that are not NULL",
        variadic=True,
        strict=False,
        together=_COMPARABLE,
        unifies=True,
        converts=True,
        spark=spark.one_of("least"),
    ),
)
