"""Comparisons and three-valued logic; what the reference leaves unevaluated can have no fault."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

import polars as pl

from slackwater.algebra.expressions import Call, Case, Expression, Literal
from slackwater.algebra.expressions.signatures import shared
from slackwater.algebra.types import BOOLEAN, NULL, Type
from slackwater.kernels.expressions.casts import converted
from slackwater.kernels.expressions.decimals import Maker, has_room, to_double, units
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.terms import Fault, Term, faults_of, let
from slackwater.kernels.expressions.values import column_of, literal

Compare = Callable[[pl.Expr, pl.Expr], pl.Expr]

_COMPARE: Final[dict[str, Compare]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "is_not_distinct_from": lambda a, b: a.eq_missing(b),
}
_FEW: Final = 4
"""So many values are compared one by one; more are looked up."""


def _is_nested(type_: Type) -> bool:
    return type_.name in ("array", "struct")


def _aligned(one: Type, other: Type) -> Callable[[pl.Expr, pl.Expr], tuple[pl.Expr, pl.Expr]] | None:
    """Brings two values into the form in which Polars compares as the algebra does; None if none does.

    Polars, too, has NaN equal to itself and above every number, and texts in the order of code points.
    """
    if _is_nested(one) or _is_nested(other):
        return None
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
            return None
        return lambda a, b: (units(a, one, scale), units(b, other, scale))
    wide = pl.Datetime("us") if one.is_time else pl.Int64()
    return lambda a, b: (a.cast(wide), b.cast(wide))


def _compared(call: Call, arguments: Sequence[Term]) -> Term:
    align = _aligned(*(part.type for part in call.arguments))
    if align is None:
        return by_rows(call, arguments)
    a, b = align(*(argument.value for argument in arguments))
    return Term(_COMPARE[call.function](a, b), faults_of(arguments))


def _nullif(call: Call, arguments: Sequence[Term]) -> Term:
    align = _aligned(*(part.type for part in call.arguments))
    if align is None:
        return by_rows(call, arguments)

    def unless_equal(a: pl.Expr, b: pl.Expr) -> pl.Expr:
        return pl.when(operator.eq(*align(a, b))).then(None).otherwise(a)

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


def _alike(call: Call, arguments: Sequence[Term]) -> tuple[Type, list[Term]]:
    """The type the arguments have in common, and the arguments in its form."""
    target = shared([part.type for part in call.arguments]) or call.type
    pairs = zip(call.arguments, arguments, strict=True)
    return target, [converted(part, argument, target) for part, argument in pairs]


def _coalesce(call: Call, arguments: Sequence[Term]) -> Term:
    _, terms = _alike(call, arguments)
    faults = terms[0].faults
    for index, term in enumerate(terms[1:], 1):
        if term.faults:
            missing = pl.coalesce([before.value for before in terms[:index]]).is_null()
            faults += term.only(missing).faults
    return Term(pl.coalesce([term.value for term in terms]), faults)


def _extreme(beyond: Compare) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        target, terms = _alike(call, arguments)
        if _is_nested(target):
            return by_rows(call, arguments)

        def further(a: pl.Expr, b: pl.Expr) -> pl.Expr:
            return pl.when(beyond(b, a) | a.is_null()).then(b).otherwise(a)

        values = [term.value for term in terms]
        return Term(reduce(lambda a, b: let(further, a, b), values), faults_of(terms))

    return make


def _in_list(call: Call, arguments: Sequence[Term]) -> Term:
    target, (sought, *listed) = _alike(call, arguments)
    known = sought.value.is_not_null()
    faults = sought.faults + faults_of(term.only(known) for term in listed)
    if _is_nested(target):
        return Term(by_rows(call, [Term(argument.value) for argument in arguments]).value, faults)
    if target == NULL:
        return Term(literal(None, BOOLEAN), faults)
    literals = [part for part in call.arguments[1:] if isinstance(part, Literal) and part.type == target]
    if len(literals) == len(listed) > _FEW and not target.is_decimal:
        return Term(_looked_up(sought.value, [part.value for part in literals], target), faults)

    def is_among(value: pl.Expr, *others: pl.Expr) -> pl.Expr:
        return reduce(operator.or_, (value == other for other in others))

    return Term(let(is_among, sought.value, *(term.value for term in listed)), faults)


def _looked_up(value: pl.Expr, values: Sequence[object], type_: Type) -> pl.Expr:
    known = [each for each in values if each is not None]
    found = value.is_in(column_of(known, type_).implode())
    return found if len(known) == len(values) else pl.when(found).then(True)


def case(expr: Case, branches: Sequence[tuple[Term, Term]], otherwise: Term) -> Term:
    """The first branch whose condition is true; conditions after it are not evaluated."""
    free: pl.Expr | None = None
    faults: tuple[Fault, ...] = ()
    value: pl.Expr | None = None
    conditions = []
    for (condition, result), (asked, given) in zip(branches, expr.branches, strict=True):
        condition, result = truth(condition, asked), converted(given, result, expr.type)
        holds = condition.value.fill_null(False)
        faults += (condition if free is None else condition.only(free)).faults
        faults += result.only(holds if free is None else free & holds).faults
        free = ~holds if free is None else free & ~holds
        conditions.append((condition.value, result.value))
    last = converted(expr.otherwise, otherwise, expr.type)
    faults += (last if free is None else last.only(free)).faults
    value = last.value
    for holds, result_value in reversed(conditions):
        value = pl.when(holds).then(result_value).otherwise(value)
    return Term(value, faults)


def _is_null(call: Call, arguments: Sequence[Term]) -> Term:
    return Term(arguments[0].value.is_null(), arguments[0].faults)


LAZY: dict[str, Maker] = {
    "and": _connected(False, operator.and_),
    "or": _connected(True, operator.or_),
    "is_null": _is_null,
    "is_not_distinct_from": _compared,
    "coalesce": _coalesce,
    "nullif": _nullif,
    "greatest": _extreme(operator.gt),
    "least": _extreme(operator.lt),
    "in_list": _in_list,
}
STRICT: dict[str, Maker] = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _compared),
    "not": lambda call, arguments: Term(~arguments[0].value, arguments[0].faults),
}
