"""Comparisons and three-valued logic; an operand that is not evaluated has no faults."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import reduce
from itertools import cycle
from typing import Any, Final

import polars as pl

from slackwater.algebra.expressions import Call, Case, Expression, Literal
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.expressions.signatures import shared
from slackwater.algebra.expressions.type_names import type_name
from slackwater.algebra.types import BOOLEAN, DATE, NULL, Type, entries_of
from slackwater.kernels.expressions.casts import cast_to
from slackwater.kernels.expressions.decimals import Maker, has_room, power, to_double, units
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.terms import Fault, Term, faults_of, let
from slackwater.kernels.expressions.values import NESTED, column_of, literal

Compare = Callable[[pl.Expr, pl.Expr], pl.Expr]

_COMPARE: Final[dict[str, Compare]] = {
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "is_not_distinct_from": lambda a, b: a.eq_missing(b),
}
_FEW: Final = 4
"""Up to so many values are compared one by one; more are looked up."""


def _is_nested(type_: Type) -> bool:
    return type_.name in NESTED


def _comparison(function: str, one: Type, other: Type) -> Compare:
    if _is_nested(one) or _is_nested(other):
        return _nested_comparison(function, one, other)
    align, compare = _aligned(one, other), _COMPARE[function]
    return lambda a, b: compare(*align(a, b))


def _aligned(one: Type, other: Type) -> Callable[[pl.Expr, pl.Expr], tuple[pl.Expr, pl.Expr]]:
    """Brings two values into the form in which Polars compares as the algebra does.

    In both, NaN equals itself and is above every number, and texts are in the order of code points.
    """
    if one == other:
        return lambda a, b: (a, b)
    if NULL in (one, other):
        target = other if one == NULL else one
        return lambda a, b: (literal(None, target), b) if one == NULL else (a, literal(None, target))
    if one.is_floating or other.is_floating:
        return lambda a, b: (to_double(a, one), to_double(b, other))
    if one.is_decimal or other.is_decimal:
        scale = max(one.scale, other.scale)
        if not (has_room(one, scale) and has_room(other, scale)):
            return lambda a, b: _ranks(units(a, one), units(b, other), one.scale, other.scale)
        return lambda a, b: (units(a, one, scale), units(b, other, scale))
    wide = pl.Datetime("us") if one.is_time else pl.Int64()
    return lambda a, b: (a.cast(wide), b.cast(wide))


def _ranks(a: pl.Expr, b: pl.Expr, scale: int, other: int) -> tuple[pl.Expr, pl.Expr]:
    """-1, 0 or 1, and 0: in the order of units of two scales that have no room at the same one."""
    finest = max(scale, other)

    def ordered(a: pl.Expr, b: pl.Expr) -> pl.Expr:
        wholes = _sign(a // power(scale), b // power(other))
        rests = [(a % power(scale)) * power(finest - scale), (b % power(other)) * power(finest - other)]
        return let(lambda whole, rest: pl.when(whole != 0).then(whole).otherwise(rest), wholes, _sign(*rests))

    rank = let(lambda a, b: pl.when(a.is_not_null()).then(ordered(a, b).fill_null(1)), a, b)
    return rank, pl.when(b.is_not_null()).then(0)


def _sign(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    return let(lambda a, b: (a > b).cast(pl.Int32) - (a < b).cast(pl.Int32), a, b)


def _nested_comparison(function: str, one: Type, other: Type) -> Compare:
    """Arrays and structs, row by row."""
    if function == "is_not_distinct_from":
        equal = _nested_comparison("eq", one, other)
        return lambda a, b: (a.is_null() & b.is_null()) | equal(a, b).fill_null(False)
    holds = getattr(operator, function)

    def compared(a: Any, b: Any) -> bool:
        return bool(holds(order_of(a, b, one, other), 0))

    return lambda a, b: by_rows(compared, (a, b), (one, other), BOOLEAN)


def order_of(a: Any, b: Any, one: Type, other: Type) -> int:
    """Below, at or above 0 as a is to b: NULL is the least, NaN the greatest; arrays part by part."""
    if a is None or b is None:
        return (a is not None) - (b is not None)
    if "map" in (one.name, other.name):
        return order_of(a, b, entries_of(one), entries_of(other))
    if _is_nested(one):
        parts = zip(a, b, cycle(inner_types(one)), cycle(inner_types(other)), strict=False)
        return next((order for part in parts if (order := order_of(*part))), len(a) - len(b))
    if one.is_floating or other.is_floating:
        a, b = float(a), float(b)
        if a != a or b != b:
            return int(a != a) - int(b != b)
    if one.is_time and one != other:
        a, b = _midnight(a, one), _midnight(b, other)
    return int(a > b) - int(a < b)


def _midnight(moment: Any, type_: Type) -> Any:
    return datetime(moment.year, moment.month, moment.day) if type_ == DATE else moment


def _compared(call: Call, arguments: Sequence[Term]) -> Term:
    compare = _comparison(call.function, *(part.type for part in call.arguments))
    return Term(compare(*(argument.value for argument in arguments)), faults_of(arguments))


def _nullif(call: Call, arguments: Sequence[Term]) -> Term:
    equal = _comparison("eq", *(part.type for part in call.arguments))

    def unless_equal(a: pl.Expr, b: pl.Expr) -> pl.Expr:
        return pl.when(equal(a, b)).then(None).otherwise(a)

    a, b = (argument.value for argument in arguments)
    return Term(let(unless_equal, a, b), faults_of(arguments))


def truth(term: Term, part: Expression) -> Term:
    """A condition; a bare NULL is unknown."""
    return Term(literal(None, BOOLEAN), term.faults) if part.type == NULL else term


def _connected(decisive: bool, connect: Compare) -> Maker:
    """AND stops at the first false, OR at the first true; what follows is not evaluated there."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        terms = [truth(*pair) for pair in zip(arguments, call.arguments, strict=True)]
        undecided = [
            term.value.fill_null(True) if not decisive else ~term.value.fill_null(False) for term in terms
        ]
        faults = terms[0].faults
        for index, term in enumerate(terms[1:], 1):
            if term.faults:
                faults += term.only(reduce(operator.and_, undecided[:index])).faults
        return Term(reduce(connect, (term.value for term in terms)), faults)

    return make


def alike(call: Call, arguments: Sequence[Term]) -> tuple[Type, list[Term]]:
    """The type the arguments have in common, and the arguments in its form."""
    target = shared([part.type for part in call.arguments]) or call.type
    pairs = zip(call.arguments, arguments, strict=True)
    return target, [cast_to(part, argument, target) for part, argument in pairs]


def _coalesce(call: Call, arguments: Sequence[Term]) -> Term:
    _, terms = alike(call, arguments)
    faults = terms[0].faults
    for index, term in enumerate(terms[1:], 1):
        if term.faults:
            missing = pl.coalesce([before.value for before in terms[:index]]).is_null()
            faults += term.only(missing).faults
    return Term(pl.coalesce([term.value for term in terms]), faults)


def _extreme(function: str) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        target, terms = alike(call, arguments)
        beyond = _comparison(function, target, target)

        def further(a: pl.Expr, b: pl.Expr) -> pl.Expr:
            return pl.when(beyond(b, a) | a.is_null()).then(b).otherwise(a)

        values = [term.value for term in terms]
        return Term(reduce(lambda a, b: let(further, a, b), values), faults_of(terms))

    return make


def _in_list(call: Call, arguments: Sequence[Term]) -> Term:
    target, (sought, *listed) = alike(call, arguments)
    known = sought.value.is_not_null()
    faults = sought.faults + faults_of(term.only(known) for term in listed)
    if target == NULL:
        return Term(literal(None, BOOLEAN), faults)
    literals = [part for part in call.arguments[1:] if isinstance(part, Literal) and part.type == target]
    if len(literals) == len(listed) > _FEW and not (target.is_decimal or _is_nested(target)):
        return Term(_looked_up(sought.value, [part.value for part in literals], target), faults)

    equal = _comparison("eq", target, target)

    def is_among(value: pl.Expr, *others: pl.Expr) -> pl.Expr:
        return reduce(operator.or_, (equal(value, other) for other in others))

    return Term(let(is_among, sought.value, *(term.value for term in listed)), faults)


def _looked_up(sought: pl.Expr, values: Sequence[object], type_: Type) -> pl.Expr:
    known = [value for value in values if value is not None]
    is_in = sought.is_in(column_of(known, type_).implode())
    return is_in if len(known) == len(values) else pl.when(is_in).then(True)


def case(expr: Case, branches: Sequence[tuple[Term, Term]], otherwise: Term) -> Term:
    """The first branch whose condition is true; conditions after it are not evaluated."""
    free: pl.Expr | None = None
    faults: tuple[Fault, ...] = ()
    value: pl.Expr | None = None
    conditions = []
    for (condition, result), (when, then) in zip(branches, expr.branches, strict=True):
        condition, result = truth(condition, when), cast_to(then, result, expr.type)
        holds = condition.value.fill_null(False)
        faults += (condition if free is None else condition.only(free)).faults
        faults += result.only(holds if free is None else free & holds).faults
        free = ~holds if free is None else free & ~holds
        conditions.append((condition.value, result.value))
    last = cast_to(expr.otherwise, otherwise, expr.type)
    faults += (last if free is None else last.only(free)).faults
    value = last.value
    for holds, result_value in reversed(conditions):
        value = pl.when(holds).then(result_value).otherwise(value)
    return Term(value, faults)


def _is_null(call: Call, arguments: Sequence[Term]) -> Term:
    return Term(arguments[0].value.is_null(), arguments[0].faults)


def _typeof(call: Call, arguments: Sequence[Term]) -> Term:
    """The same text in every row of the argument."""
    name = pl.lit(type_name(call.arguments[0].type))
    return Term(pl.when(arguments[0].value.is_null()).then(name).otherwise(name), arguments[0].faults)


MAKERS: dict[str, Maker] = {
    "typeof": _typeof,
    "and": _connected(False, operator.and_),
    "or": _connected(True, operator.or_),
    "is_null": _is_null,
    "is_not_distinct_from": _compared,
    "coalesce": _coalesce,
    "nullif": _nullif,
    "greatest": _extreme("gt"),
    "least": _extreme("lt"),
    "in_list": _in_list,
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _compared),
    "not": lambda call, arguments: Term(~arguments[0].value, arguments[0].faults),
}
