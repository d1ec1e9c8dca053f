"""Decimals, computed on their units: an integer of 128 bits that counts the last digit.

    1.25  as decimal(9, 2)  is 125 units of 0.01

Polars' decimal arithmetic rounds a product to the larger scale; this one keeps every digit of the
result's type. Intermediate results of more than 38 digits are computed row by row, on fractions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np
import polars as pl

from slackwater.algebra.errors import overflow
from slackwater.algebra.expressions import Call
from slackwater.algebra.types import MAX_PRECISION, Type
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions.rows import by_rows, types_of
from slackwater.kernels.expressions.terms import Fault, Term, faults_of, let

_DIGITS: Final = {"boolean": 1, "tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_WIDE: Final = pl.Int128()
_WRAP: Final = 2.0**127
TABLE: Final = pl.Series("", [10**k for k in range(MAX_PRECISION + 1)], dtype=_WIDE)


def power(exponent: int) -> pl.Expr:
    return pl.lit(10**exponent, dtype=_WIDE)


def units(value: pl.Expr, type_: Type, scale: int | None = None) -> pl.Expr:
    """An exact number as a count of units of 10^-scale, by default its type's."""
    count = (value.to_physical() if type_.is_decimal else value).cast(_WIDE)
    more = 0 if scale is None else scale - type_.scale
    return count * power(more) if more else count


def digits(type_: Type) -> int:
    return type_.precision if type_.is_decimal else _DIGITS[type_.name]


def has_room(type_: Type, scale: int) -> bool:
    """Whether 128 bits hold the type's numbers in units of 10^-scale."""
    return digits(type_) + scale - type_.scale <= MAX_PRECISION


def from_units(count: pl.Expr, type_: Type) -> pl.Expr:
    """The decimal of so many units; NULL if it has too many digits."""
    whole = count.cast(pl.Decimal(MAX_PRECISION, 0), strict=False)
    if type_.scale:
        unit = Decimal((0, (1,), -type_.scale))
        whole = whole * pl.lit(unit, dtype=pl.Decimal(MAX_PRECISION, type_.scale))
    return whole.cast(pl.Decimal(type_.precision, type_.scale), strict=False)


def too_long(count: pl.Expr, type_: Type) -> pl.Expr:
    limit = power(type_.precision)
    return let(lambda n: (n >= limit) | (n <= 0 - limit), count)


def quotient(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """The nearest double; NULL by zero. Not Polars' own: by a literal it multiplies with the reciprocal."""
    exact = pl.map_batches([a, b], _divided, return_dtype=pl.Float64, is_elementwise=True)
    return pl.when((b != 0.0) & a.is_not_null()).then(exact)


def _divided(columns: Sequence[pl.Series]) -> pl.Series:
    a, b = (column.fill_null(math.nan).to_numpy() for column in columns)
    with np.errstate(all="ignore"):
        return pl.Series("", a / b)


def to_double(value: pl.Expr, type_: Type) -> pl.Expr:
    """The nearest double: one division where both sides are exact, else parsed from the digits."""
    if not type_.is_decimal:
        return value if type_.is_floating else value.cast(pl.Float64)
    if type_.precision <= 15:
        return let(
            lambda count: quotient(count, pl.lit(10.0**type_.scale)), value.to_physical().cast(pl.Float64)
        )
    return value.cast(pl.String).cast(pl.Float64)


def whole_units(how: str, count: pl.Expr, unit: pl.Expr) -> pl.Expr:
    """count / unit as an integer: by floor, ceil, truncate, round (half away from zero) or bround (even)."""

    def cut(n: pl.Expr, u: pl.Expr, q: pl.Expr) -> pl.Expr:
        rest = n - q * u
        if how in ("round", "bround"):
            half = rest - (u - rest)
            up = (half > 0) | ((half == 0) & (n > 0 if how == "round" else q % 2 != 0))
        else:
            up = (rest > 0) & (n < 0) if how == "truncate" else rest > 0
        return q + up.cast(_WIDE)

    if how == "floor":
        return count // unit
    return let(lambda n, u: let(cut, n, u, n // u), count, unit)


def _term(call: Call, arguments: Sequence[Term], count: pl.Expr, wrong: pl.Expr | None) -> Term:
    faults = faults_of(arguments)
    if wrong is not None:
        faults += (_too_large(call, wrong),)
    return Term(from_units(count, call.type), faults)


def _too_large(call: Call, where: pl.Expr) -> Fault:
    return Fault(where, lambda: EngineError(overflow(call.function, call.type, call.origin)))


def _operands(call: Call, arguments: Sequence[Term], scale: int | None) -> list[pl.Expr]:
    pairs = zip(arguments, call.arguments, strict=True)
    return [units(argument.value, part.type, scale) for argument, part in pairs]


def add(call: Call, arguments: Sequence[Term]) -> Term:
    """The sum or difference."""
    scale = call.type.scale
    if not all(has_room(part.type, scale) for part in call.arguments):
        return _by_fractions(call, arguments)
    a, b = _operands(call, arguments, scale)
    b = b if call.function == "add" else 0 - b
    if call.type.precision < MAX_PRECISION:
        return _term(call, arguments, a + b, None)

    def wrong(a: pl.Expr, b: pl.Expr, total: pl.Expr) -> pl.Expr:
        wrapped = ((b > 0) & (total < a)) | ((b < 0) & (total > a))
        return wrapped | too_long(total, call.type)

    return _term(call, arguments, a + b, let(lambda a, b: let(wrong, a, b, a + b), a, b))


def multiply(call: Call, arguments: Sequence[Term]) -> Term:
    one, other = (part.type for part in call.arguments)
    if one.scale + other.scale > MAX_PRECISION:
        return _by_fractions(call, arguments)
    a, b = _operands(call, arguments, None)
    if call.type.precision < MAX_PRECISION:
        return _term(call, arguments, a * b, None)

    def wrong(a: pl.Expr, b: pl.Expr, product: pl.Expr) -> pl.Expr:
        return wraps(a, b, product, _WRAP) | too_long(product, call.type)

    return _term(call, arguments, a * b, let(lambda a, b: let(wrong, a, b, a * b), a, b))


def wraps(a: pl.Expr, b: pl.Expr, product: pl.Expr, half: float) -> pl.Expr:
    """Whether the product left the integers of magnitude `half`.

    Then it is off by at least 2 · half, and rounding to doubles by far less.
    """
    near = a.cast(pl.Float64) * b.cast(pl.Float64)
    return (near - product.cast(pl.Float64)).abs() > half


def remainder(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """Signed as the dividend; Polars signs it as the divisor. NULL by zero."""

    def signed(a: pl.Expr, b: pl.Expr, rest: pl.Expr) -> pl.Expr:
        return pl.when((rest != 0) & ((a < 0) != (b < 0))).then(rest - b).otherwise(rest)

    return let(lambda a, b: let(signed, a, b, a % b), a, b)


def modulo(call: Call, arguments: Sequence[Term]) -> Term:
    if not all(has_room(part.type, call.type.scale) for part in call.arguments):
        return _by_fractions(call, arguments)
    a, b = _operands(call, arguments, call.type.scale)
    return _term(call, arguments, remainder(a, b), None)


def _by_fractions(call: Call, arguments: Sequence[Term]) -> Term:
    """The sum, difference, product or remainder where an operand leaves 128 bits on the way."""
    compute, types = _ON_FRACTIONS[call.function], types_of(call)

    def result(a: Decimal | int, b: Decimal | int) -> Decimal | None:
        exact = compute(Fraction(a), Fraction(b))
        return None if exact is None else _nearest(exact, call.type)

    def computed(a: pl.Expr, b: pl.Expr) -> pl.Expr:
        return by_rows(result, (a, b), types, call.type)

    def wrong(a: pl.Expr, b: pl.Expr) -> pl.Expr:
        by_zero = units(b, types[1]) == 0 if call.function == "modulo" else pl.lit(False)
        return a.is_not_null() & b.is_not_null() & ~by_zero & computed(a, b).is_null()

    a, b = (argument.value for argument in arguments)
    return Term(computed(a, b), (*faults_of(arguments), _too_large(call, let(wrong, a, b))))


def _fraction_remainder(a: Fraction, b: Fraction) -> Fraction | None:
    return a - b * math.trunc(a / b) if b else None


_ON_FRACTIONS: Final[dict[str, Callable[[Fraction, Fraction], Fraction | None]]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "modulo": _fraction_remainder,
}


def _nearest(exact: Fraction, type_: Type) -> Decimal | None:
    """The decimal of the type next to it, halves away from zero; None if it has too many digits."""
    size = math.floor(abs(exact) * 10**type_.scale + Fraction(1, 2))
    negative = exact < 0 and size > 0
    return Decimal((int(negative), _figures(size), -type_.scale)) if size < 10**type_.precision else None


def _figures(number: int) -> tuple[int, ...]:
    return tuple(map(int, str(number)))


_NUMBER: Final = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]{1,5}))?")


def parse_units(text: str, type_: Type) -> int | None:
    """The number in a text as units of the type, halves rounded away from zero.

    None if it has too many digits, or is no number. The digits before the unit's place are kept, and the
    one after it rounds.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return None
    sign, before, after, exponent = match.groups()
    figures = (before + after).lstrip("0")
    length = len(figures) + int(exponent or 0) - len(after) + type_.scale
    if not figures or length > type_.precision:
        return None if figures else 0
    up = 0 <= length < len(figures) and figures[length] >= "5"
    count = int(figures[: max(length, 0)].ljust(max(length, 0), "0") or "0") + up
    return None if count >= 10**type_.precision else -count if sign == "-" else count


def negate(call: Call, arguments: Sequence[Term]) -> Term:
    (count,) = _operands(call, arguments, None)
    return _term(call, arguments, 0 - count, None)


def magnitude(call: Call, arguments: Sequence[Term]) -> Term:
    (count,) = _operands(call, arguments, None)
    return _term(call, arguments, count.abs(), None)


def round_digits(call: Call, arguments: Sequence[Term], at: pl.Expr | None) -> Term:
    """By ceil, floor, round or truncate; the number of digits may differ by row."""
    type_ = call.arguments[0].type
    count = units(arguments[0].value, type_)
    if at is None:
        result = whole_units(call.function, count, power(type_.scale)) if type_.scale else count
    else:
        result = at_digits(call.function, count, type_.scale - at.cast(pl.Int64).clip(-40, 40))
    capped = call.type.precision == MAX_PRECISION
    return _term(call, arguments, result, too_long(result, call.type) if capped else None)


def at_digits(how: str, count: pl.Expr, dropped: pl.Expr) -> pl.Expr:
    """The count rounded so that its last digits are zeros; 0 if all digits are dropped."""

    def cut(count: pl.Expr, dropped: pl.Expr, unit: pl.Expr) -> pl.Expr:
        rounded = let(lambda n, u: whole_units(how, n, u) * u, count, unit)
        zero = pl.lit(0, dtype=_WIDE)
        cases = pl.when(dropped <= 0).then(count).when(dropped > MAX_PRECISION).then(zero).otherwise(rounded)
        return pl.when(count.is_not_null() & dropped.is_not_null()).then(cases)

    def at(count: pl.Expr, dropped: pl.Expr) -> pl.Expr:
        return let(cut, count, dropped, pl.lit(TABLE).gather(dropped.clip(0, MAX_PRECISION)))

    return let(at, count, dropped)


Maker = Callable[[Call, Sequence[Term]], Term]
