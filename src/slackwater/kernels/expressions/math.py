"""Mathematics: rounding, and the functions of doubles. Outside its domain a function is NULL."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from slackwater.algebra.expressions import Call, Literal
from slackwater.algebra.types import DOUBLE, GREATEST, LEAST
from slackwater.kernels.expressions import decimals
from slackwater.kernels.expressions.arithmetic import MAKERS as ARITHMETIC
from slackwater.kernels.expressions.arithmetic import canonical, too_large
from slackwater.kernels.expressions.decimals import Maker, quotient, to_double
from slackwater.kernels.expressions.terms import Term, faults_of, let
from slackwater.kernels.expressions.values import dtype, literal

_MOST_DIGITS: Final = 308
_FACTORIALS: Final = pl.Series("", [math.factorial(n) for n in range(21)], dtype=pl.Int64)
_UNITS: Final = pl.Series("", [10.0**k for k in range(_MOST_DIGITS + 1)])


def _half_away(x: pl.Expr) -> pl.Expr:
    size = x.abs()
    return let(_away, x, size, size.floor())


def _away(x: pl.Expr, size: pl.Expr, down: pl.Expr) -> pl.Expr:
    nearest = down + (size - down >= 0.5).cast(pl.Float64)
    return pl.when(x < 0).then(0.0 - nearest).otherwise(nearest)


_WHOLE: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "ceil": pl.Expr.ceil,
    "floor": pl.Expr.floor,
    "round": lambda x: let(_half_away, x),
    "bround": lambda x: _numpy(np.rint)(x),
    "truncate": lambda x: let(lambda x: pl.when(x < 0).then(x.ceil()).otherwise(x.floor()), x),
}


def _rounded_float(how: str, value: pl.Expr, digits: pl.Expr | None) -> pl.Expr:
    """By scaling and back, as rounding of a double is defined; a scale too large leaves it as it is."""
    whole = _WHOLE[how]
    if digits is None:
        return let(lambda x: pl.when(x.is_finite()).then(whole(x)).otherwise(x), value)

    def scaled(x: pl.Expr, digits: pl.Expr, unit: pl.Expr) -> pl.Expr:
        finer = let(lambda x, unit: quotient(whole(x * unit), unit), x, unit)
        coarser = let(lambda x, unit: whole(quotient(x, unit)) * unit, x, unit)
        result = pl.when(digits >= 0).then(finer).otherwise(coarser)
        in_range = let(lambda x, y: pl.when(y.is_finite()).then(y).otherwise(x), x, result)
        return pl.when(x.is_finite()).then(in_range).otherwise(x)

    def at(x: pl.Expr, digits: pl.Expr) -> pl.Expr:
        return let(scaled, x, digits, pl.lit(_UNITS).gather(digits.abs()))

    near = digits.cast(pl.Int64).clip(-_MOST_DIGITS, _MOST_DIGITS)
    return pl.when(digits.is_not_null()).then(let(at, value, near))


def _rounding(call: Call, arguments: Sequence[Term]) -> Term:
    value = arguments[0].value
    digits = arguments[1].value if len(arguments) > 1 else None
    if call.type.is_decimal:
        return decimals.round_digits(call, arguments, digits)
    if call.type.is_floating:
        return Term(canonical(_rounded_float(call.function, value, digits)), faults_of(arguments))
    return _rounded_integer(call, arguments, digits)


def _rounded_integer(call: Call, arguments: Sequence[Term], digits: pl.Expr | None) -> Term:
    whole = arguments[0].value.cast(pl.Int64)
    if digits is None or (isinstance(part := call.arguments[1], Literal) and part.value >= 0):
        return Term(whole, faults_of(arguments))
    dropped = 0 - digits.cast(pl.Int64).clip(-40, 0)
    count = decimals.at_digits(call.function, whole.cast(pl.Int128), dropped)
    outside = let(lambda n: (n < LEAST) | (n > GREATEST), count)
    return Term(count.cast(pl.Int64, strict=False), (*faults_of(arguments), too_large(call, outside)))


def _sign(call: Call, arguments: Sequence[Term]) -> Term:
    (argument,) = arguments
    value = argument.value
    if call.arguments[0].type.is_decimal:
        value = value.to_physical()
    if call.arguments[0].type.is_floating:
        value = value.fill_nan(0.0)
    sign = let(lambda x: (x > 0).cast(pl.Int64) - (x < 0).cast(pl.Int64), value)
    return Term(sign, argument.faults)


def _isnan(call: Call, arguments: Sequence[Term]) -> Term:
    (argument,) = arguments
    if not call.arguments[0].type.is_floating:
        return Term(argument.value.is_null() & False, argument.faults)
    return Term(argument.value.is_nan().fill_null(False), argument.faults)


def _pmod(call: Call, arguments: Sequence[Term]) -> Term:
    """The remainder; one below zero is moved by a positive divisor."""
    rest = ARITHMETIC["modulo"](replace(call, function="modulo"), arguments)
    of = dtype(call.type)
    divisor = arguments[1].value
    if call.type.is_floating:
        divisor = to_double(divisor, call.arguments[1].type)
    elif call.type.is_decimal:
        divisor = decimals.from_units(
            decimals.units(divisor, call.arguments[1].type, call.type.scale), call.type
        )

    def moved(rest: pl.Expr, divisor: pl.Expr) -> pl.Expr:
        return pl.when((rest < 0) & (divisor > 0)).then((rest + divisor).cast(of)).otherwise(rest)

    return Term(let(moved, rest.value, divisor.cast(of)), rest.faults)


def _factorial(call: Call, arguments: Sequence[Term]) -> Term:
    (argument,) = arguments

    def product(n: pl.Expr) -> pl.Expr:
        return pl.when(n.is_between(0, 20)).then(pl.lit(_FACTORIALS).gather(n.fill_null(0).clip(0, 20)))

    return Term(let(product, argument.value.cast(pl.Int64)), argument.faults)


def _width_bucket(call: Call, arguments: Sequence[Term]) -> Term:
    pairs = zip(arguments[:3], call.arguments[:3], strict=True)
    doubles = [to_double(argument.value, part.type) for argument, part in pairs]
    return Term(let(_bucket, *doubles, arguments[3].value.cast(pl.Int64)), faults_of(arguments))


def _bucket(x: pl.Expr, first: pl.Expr, last: pl.Expr, count: pl.Expr) -> pl.Expr:
    grows = first < last
    below = pl.when(grows).then(x < first).otherwise(x > first)
    above = pl.when(grows).then(x >= last).otherwise(x <= last)
    size, offset = (last - first).abs(), (x - first).abs()
    inside = quotient(count.cast(pl.Float64) * offset, size).cast(pl.Int64, strict=False) + 1
    known = (
        (count > 0)
        & (count < GREATEST)
        & (first != last)
        & first.is_finite()
        & last.is_finite()
        & ~x.is_nan()
    )
    return pl.when(known).then(pl.when(below).then(0).when(above).then(count + 1).otherwise(inside))


Real = Callable[..., pl.Expr]


def _real(compute: Real) -> Maker:
    """A function of doubles, its zeros without a sign."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        pairs = zip(arguments, call.arguments, strict=True)
        doubles = [to_double(argument.value, part.type) for argument, part in pairs]
        return Term(canonical(let(compute, *doubles)), faults_of(arguments))

    return make


def _numpy(function: Any) -> Real:
    """numpy's function, where Polars has none or a less exact one."""

    def computed(columns: Sequence[pl.Series]) -> pl.Series:
        arrays = [column.fill_null(math.nan).to_numpy() for column in columns]
        with np.errstate(all="ignore"):
            return pl.Series("", np.atleast_1d(function(*arrays)))

    def compute(*doubles: pl.Expr) -> pl.Expr:
        result = pl.map_batches(doubles, computed, return_dtype=pl.Float64, is_elementwise=True)
        known = [double.is_not_null() for double in doubles]
        return pl.when(*known).then(result)

    return compute


def _where(domain: Callable[[pl.Expr], pl.Expr], compute: Real) -> Real:
    return lambda x: pl.when(domain(x)).then(compute(x))


def _finite_or_nan(x: pl.Expr) -> pl.Expr:
    return ~x.is_infinite()


def _up_to_one(x: pl.Expr) -> pl.Expr:
    return (x.abs() <= 1.0) | x.is_nan()


def _power(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    finite = a.is_finite() & b.is_finite()
    unreal = finite & (((a < 0) & (b.floor() != b)) | ((a == 0) & (b < 0)))
    return pl.when(~unreal).then(_numpy(np.power)(a, b))


def _log(base: pl.Expr, value: pl.Expr) -> pl.Expr:
    # NaN is above zero here, as it is above every number.
    known = (base > 0) & (base != 1.0) & (value > 0)
    quotient = _numpy(lambda base, value: np.log(value) / np.log(base))
    return pl.when(known).then(quotient(base, value))


_REALS: dict[str, Real] = {
    "sqrt": _where(lambda x: x >= 0, pl.Expr.sqrt),
    "power": _power,
    "exp": pl.Expr.exp,
    "ln": _where(lambda x: x > 0, _numpy(np.log)),
    "log10": _where(lambda x: x > 0, _numpy(np.log10)),
    "log2": _where(lambda x: x > 0, _numpy(np.log2)),
    "log": _log,
    "sin": _where(_finite_or_nan, pl.Expr.sin),
    "cos": _where(_finite_or_nan, pl.Expr.cos),
    "tan": _where(_finite_or_nan, pl.Expr.tan),
    "asin": _where(_up_to_one, pl.Expr.arcsin),
    "acos": _where(_up_to_one, pl.Expr.arccos),
    "atan": pl.Expr.arctan,
    "atan2": _numpy(np.arctan2),
    "cbrt": _numpy(np.cbrt),
    "expm1": _numpy(np.expm1),
    "log1p": _where(lambda x: x > -1.0, _numpy(np.log1p)),
    "hypot": _numpy(np.hypot),
    "sinh": _numpy(np.sinh),
    "cosh": _numpy(np.cosh),
    "tanh": _numpy(np.tanh),
    "asinh": _numpy(np.arcsinh),
    "acosh": _where(lambda x: x >= 1.0, _numpy(np.arccosh)),
    "atanh": _where(lambda x: (x.abs() < 1.0) | x.is_nan(), _numpy(np.arctanh)),
    "cot": _where(lambda x: _finite_or_nan(x) & (x != 0.0), lambda x: 1.0 / x.tan()),
    "sec": _where(_finite_or_nan, lambda x: 1.0 / x.cos()),
    "csc": _where(lambda x: _finite_or_nan(x) & (x != 0.0), lambda x: 1.0 / x.sin()),
    "rint": _numpy(np.rint),
    "nanvl": lambda a, b: pl.when(a.is_nan()).then(b).otherwise(a),
    "degrees": lambda x: x * (180.0 / math.pi),
    "radians": lambda x: x * (math.pi / 180.0),
}

MAKERS: dict[str, Maker] = {
    **dict.fromkeys(("ceil", "floor", "round", "bround", "truncate"), _rounding),
    "sign": _sign,
    "pi": lambda call, arguments: Term(literal(math.pi, DOUBLE)),
    "e": lambda call, arguments: Term(literal(math.e, DOUBLE)),
    "isnan": _isnan,
    "pmod": _pmod,
    "factorial": _factorial,
    "width_bucket": _width_bucket,
    **{name: _real(compute) for name, compute in _REALS.items()},
}
