"""Arithmetic: integers of 64 bits, doubles, and moments moved by intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import numpy as np
import polars as pl

from slackwater.algebra.errors import overflow
from slackwater.algebra.expressions import Call, Expression, Literal
from slackwater.algebra.expressions.bounds import may_overflow
from slackwater.algebra.types import INTERVAL, LEAST
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions import decimals
from slackwater.kernels.expressions.decimals import Maker, quotient, to_double
from slackwater.kernels.expressions.terms import Fault, Term, faults_of, let

_EPOCH: Final = datetime(1970, 1, 1)
_FIRST: Final = (datetime.min - _EPOCH) // timedelta(microseconds=1)
_LAST: Final = (datetime.max - _EPOCH) // timedelta(microseconds=1)
_DAY: Final = 86_400_000_000

Body = Callable[[pl.Expr, pl.Expr], pl.Expr]


def canonical(value: pl.Expr) -> pl.Expr:
    """Zero without a sign. Polars simplifies x + 0.0 to x, so zero is compared explicitly."""
    return let(lambda x: pl.when(x == 0.0).then(0.0).otherwise(x), value)


def _sum_wraps(a: pl.Expr, b: pl.Expr, total: pl.Expr) -> pl.Expr:
    return ((a ^ total) & (b ^ total)) < 0


def _difference_wraps(a: pl.Expr, b: pl.Expr, rest: pl.Expr) -> pl.Expr:
    return ((a ^ b) & (a ^ rest)) < 0


def _product_wraps(a: pl.Expr, b: pl.Expr, product: pl.Expr) -> pl.Expr:
    return decimals.wraps(a, b, product, 2.0**63)


_WRAPS: Final[dict[str, Callable[[pl.Expr, pl.Expr, pl.Expr], pl.Expr]]] = {
    "add": _sum_wraps,
    "subtract": _difference_wraps,
    "multiply": _product_wraps,
}
_PLAIN: Final[dict[str, Body]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
}


def too_large(call: Call, where: pl.Expr) -> Fault:
    return Fault(where, lambda: EngineError(overflow(call.function, call.type, call.origin)))


def _wrap(call: Call, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    compute, wraps = _PLAIN[call.function], _WRAPS[call.function]
    return let(lambda a, b: let(wraps, a, b, compute(a, b)), a, b)


def _integers(call: Call, arguments: Sequence[Term]) -> Term:
    a, b = (argument.value.cast(pl.Int64) for argument in arguments)
    faults = faults_of(arguments)
    if may_overflow(call):
        faults += (too_large(call, _wrap(call, a, b)),)
    return Term(_PLAIN[call.function](a, b), faults)


def _doubles(call: Call, arguments: Sequence[Term]) -> tuple[pl.Expr, pl.Expr]:
    pairs = zip(arguments, call.arguments, strict=True)
    a, b = (to_double(argument.value, part.type) for argument, part in pairs)
    return a, b


def _floats(call: Call, arguments: Sequence[Term]) -> Term:
    a, b = _doubles(call, arguments)
    value = _PLAIN[call.function](a, b)
    # A sum of numbers without -0.0 is never -0.0; but Polars computes 0.0 - x as the negative of x.
    safe = call.function == "add" or (
        call.function == "subtract" and not isinstance(call.arguments[0], Literal)
    )
    return Term(value if safe else canonical(value), faults_of(arguments))


def _micros(argument: Term, part: Expression) -> pl.Expr:
    if part.type.name == "date":
        return argument.value.to_physical().cast(pl.Int64) * _DAY
    return argument.value.to_physical().cast(pl.Int64)


def _times(call: Call, arguments: Sequence[Term]) -> Term:
    a, b = (_micros(*pair) for pair in zip(arguments, call.arguments, strict=True))
    result = _PLAIN[call.function](a, b)
    faults = faults_of(arguments)
    if call.type == INTERVAL:
        if not all(part.type.is_time for part in call.arguments):
            faults += (too_large(call, _wrap(call, a, b)),)
        return Term(result.cast(pl.Duration("us")), faults)
    outside = let(lambda t: (t < _FIRST) | (t > _LAST), result)
    faults += (too_large(call, outside | _wrap(call, a, b)),)
    return Term(result.cast(pl.Datetime("us")), faults)


def _arithmetic(call: Call, arguments: Sequence[Term]) -> Term:
    if call.type.is_integer:
        return _integers(call, arguments)
    if call.type.is_decimal:
        exact = decimals.multiply if call.function == "multiply" else decimals.add
        return exact(call, arguments)
    return _floats(call, arguments) if call.type.is_floating else _times(call, arguments)


def _quotient(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """Rounded toward zero; Polars rounds down. NULL by zero."""

    def cut(a: pl.Expr, b: pl.Expr, q: pl.Expr) -> pl.Expr:
        return q + ((q * b != a) & ((a ^ b) < 0)).cast(pl.Int64)

    return let(lambda a, b: let(cut, a, b, a // b), a, b)


def _divide(call: Call, arguments: Sequence[Term]) -> Term:
    faults = faults_of(arguments)
    if call.type.is_integer:
        a, b = (argument.value.cast(pl.Int64) for argument in arguments)
        if may_overflow(call):
            faults += (too_large(call, (a == LEAST) & (b == -1)),)
        return Term(_quotient(a, b), faults)
    a, b = _doubles(call, arguments)
    return Term(canonical(let(quotient, a, b)), faults)


def _float_remainder(columns: Sequence[pl.Series]) -> pl.Series:
    a, b = columns
    with np.errstate(invalid="ignore"):
        remainder = np.fmod(a.fill_null(0.0).to_numpy(), b.fill_null(1.0).to_numpy())
    return pl.Series("", remainder)


def _modulo(call: Call, arguments: Sequence[Term]) -> Term:
    if call.type.is_decimal:
        return decimals.modulo(call, arguments)
    if call.type.is_integer:
        a, b = (argument.value.cast(pl.Int64) for argument in arguments)
        return Term(decimals.remainder(a, b), faults_of(arguments))

    def rest(a: pl.Expr, b: pl.Expr) -> pl.Expr:
        computed = pl.map_batches([a, b], _float_remainder, return_dtype=pl.Float64, is_elementwise=True)
        return pl.when((b != 0.0) & a.is_not_null()).then(computed)

    return Term(canonical(let(rest, *_doubles(call, arguments))), faults_of(arguments))


def _negate(call: Call, arguments: Sequence[Term]) -> Term:
    (argument,) = arguments
    if call.type.is_decimal:
        return decimals.negate(call, arguments)
    if call.type.is_floating:
        return Term(canonical(0.0 - argument.value), argument.faults)
    count = argument.value.to_physical().cast(pl.Int64)
    fault = too_large(call, count == LEAST)
    if call.type == INTERVAL:
        return Term((0 - count).cast(pl.Duration("us")), (*argument.faults, fault))
    return Term(0 - count, (*argument.faults, fault) if may_overflow(call) else argument.faults)


def _abs(call: Call, arguments: Sequence[Term]) -> Term:
    (argument,) = arguments
    if call.type.is_decimal:
        return decimals.magnitude(call, arguments)
    if call.type.is_floating:
        return Term(argument.value.abs(), argument.faults)
    count = argument.value.to_physical().cast(pl.Int64)
    size = let(lambda n: pl.when(n < 0).then(0 - n).otherwise(n), count)
    if call.type == INTERVAL:
        return Term(size.cast(pl.Duration("us")), (*argument.faults, too_large(call, count == LEAST)))
    faults = (too_large(call, count == LEAST),) if may_overflow(call) else ()
    return Term(size, (*argument.faults, *faults))


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(("add", "subtract", "multiply"), _arithmetic),
    "divide": _divide,
    "modulo": _modulo,
    "negate": _negate,
    "abs": _abs,
}
