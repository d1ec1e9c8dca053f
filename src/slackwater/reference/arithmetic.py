"""Arithmetic and mathematics in plain Python, for calls whose arguments are not NULL.

Each maker takes the call, for its types and its span in the query, and returns the function.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

from slackwater.algebra.errors import overflow
from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.types import GREATEST, LEAST
from slackwater.algebra.values import NAN
from slackwater.base.diagnostic import EngineError
from slackwater.reference.casts import EXACT, fitted
from slackwater.reference.comparison import as_timestamp

Function = Callable[..., Any]
Maker = Callable[[Call], Function]


def _in_range(call: Call, compute: Function) -> Function:
    """`compute`, whose integer must fit into 64 bits."""

    def checked(*arguments: int) -> Any:
        result = compute(*arguments)
        if LEAST <= result <= GREATEST:
            return result
        raise EngineError(overflow(call.function, call.type, call.origin))

    return checked


def _of_floats(compute: Function) -> Function:
    """`compute` on doubles, its result in canonical form."""

    def computed(a: Any, b: Any) -> float:
        result: float = compute(float(a), float(b))
        return result + 0.0 if result == result else NAN

    return computed


def _of_decimals(call: Call, compute: Function) -> Function:
    type_ = call.type

    def computed(*arguments: Any) -> Decimal:
        try:
            return fitted(compute(*map(Decimal, arguments)), type_)
        except ValueError:
            raise EngineError(overflow(call.function, type_, call.origin)) from None

    return computed


def _of_times(call: Call, compute: Function) -> Function:
    def computed(a: Any, b: Any) -> Any:
        try:
            return compute(as_timestamp(a), as_timestamp(b))
        except OverflowError:
            raise EngineError(overflow(call.function, call.type, call.origin)) from None

    return computed


def _maker(compute: Function, decimals: Function, floats: Function) -> Maker:
    def make(call: Call) -> Function:
        if call.type.is_integer:
            return _in_range(call, compute)
        if call.type.is_decimal:
            return _of_decimals(call, decimals)
        return _of_floats(floats) if call.type.is_floating else _of_times(call, compute)

    return make


def _quotient(a: int, b: int) -> int:
    """Rounded toward zero."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


def _float_remainder(a: float, b: float) -> float:
    return NAN if math.isinf(a) else math.fmod(a, b)


def _none_by_zero(make: Maker) -> Maker:
    def checked(call: Call) -> Function:
        compute = make(call)
        return lambda a, b: compute(a, b) if b else None

    return checked


def _negate(call: Call) -> Function:
    if call.type.is_integer:
        return _in_range(call, operator.neg)
    return (lambda x: 0.0 - x if x == x else NAN) if call.type.is_floating else _unsigned_zero(operator.neg)


def _unsigned_zero(compute: Function) -> Function:
    """`compute`; for a decimal without the rounding of unary minus, and without a sign of zero."""
    return lambda x: compute(x) if not isinstance(x, Decimal) else x.copy_negate() if x else x


def _abs(call: Call) -> Function:
    if call.type.is_integer:
        return _in_range(call, abs)
    return Decimal.copy_abs if call.type.is_decimal else lambda x: abs(x) if x == x else NAN


def _rounding(exact: str, whole: Callable[[float], float]) -> Maker:
    """To `digits` digits: exactly for exact numbers, by scaling and back for doubles."""

    def of_exact(value: Decimal, digits: Any = 0) -> Decimal:
        at = max(-40, min(40, int(digits)))
        return value.quantize(Decimal((0, (1,), -at)), rounding=exact, context=EXACT)

    def of_float(value: float, digits: int = 0) -> float:
        if not math.isfinite(value):
            return value
        unit = 10.0 ** min(abs(digits), 308)
        result = whole(value * unit) / unit if digits >= 0 else whole(value / unit) * unit
        return result + 0.0 if math.isfinite(result) else value

    def make(call: Call) -> Function:
        if call.type.is_integer:
            return _in_range(call, lambda x, digits=0: int(of_exact(Decimal(x), min(digits, 0))))
        return _of_decimals(call, of_exact) if call.type.is_decimal else of_float

    return make


def _finite(compute: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: compute(x) if math.isfinite(x) else x


def _half_away(value: float) -> float:
    size = math.floor(abs(value))
    return math.copysign(size + 1 if abs(value) - size >= 0.5 else size, value)


def _sign(value: Any) -> int:
    return int(value > 0) - int(value < 0)


def _real(compute: Function) -> Maker:
    """A function of doubles; outside its domain NULL, beyond the largest double an infinity."""

    def computed(*arguments: Any) -> float | None:
        try:
            result: float = compute(*map(float, arguments))
        except (ValueError, ZeroDivisionError):
            return None
        except OverflowError:
            return math.inf
        return result + 0.0 if result == result else NAN

    return lambda call: computed


def _power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        # Only an odd whole exponent keeps the sign of a negative base.
        return -math.inf if a < 0 and math.fmod(b, 2.0) else math.inf


def _log(base: float, value: float) -> float:
    return math.log(value) / math.log(base)


def _odd(compute: Callable[[float], float]) -> Callable[[float], float]:
    """A function that grows beyond the doubles at both ends, with the sign of its argument."""

    def computed(x: float) -> float:
        try:
            return compute(x)
        except OverflowError:
            return math.copysign(math.inf, x)

    return computed


def _inverse(compute: Callable[[float], float]) -> Callable[[float], float]:
    """1 by the function; by zero outside the domain."""
    return lambda x: 1.0 / compute(x)


def _even(value: float) -> float:
    return float(round(value))


def _pmod(make: Maker) -> Maker:
    """The remainder; one of another sign than a positive divisor's is moved by it."""

    def made(call: Call) -> Function:
        remainder = make(call)

        def positive(a: Any, b: Any) -> Any:
            rest = remainder(a, b)
            if not rest < 0 or b < 0:
                return rest
            return fitted(EXACT.add(rest, Decimal(b)), call.type) if call.type.is_decimal else rest + b

        return lambda a, b: positive(a, b) if b else None

    return made


def _factorial(number: int) -> int | None:
    return math.factorial(number) if 0 <= number <= 20 else None


def _width_bucket(value: Any, first: Any, last: Any, count: int) -> int | None:
    value, first, last = float(value), float(first), float(last)
    is_known = count > 0 and count < GREATEST and first != last and value == value
    if not is_known or not (math.isfinite(first) and math.isfinite(last)):
        return None
    below, above = (value < first, value >= last) if first < last else (value > first, value <= last)
    if below or above:
        return 0 if below else count + 1
    span = last - first if first < last else first - last
    offset = value - first if first < last else first - value
    return int(count * offset / span) + 1


MAKERS: dict[str, Maker] = {
    "add": _maker(operator.add, EXACT.add, operator.add),
    "subtract": _maker(operator.sub, EXACT.subtract, operator.sub),
    "multiply": _maker(operator.mul, EXACT.multiply, operator.mul),
    "divide": _none_by_zero(_maker(_quotient, EXACT.divide, operator.truediv)),
    "modulo": _none_by_zero(_maker(_remainder, EXACT.remainder, _float_remainder)),
    "negate": _negate,
    "abs": _abs,
    "ceil": _rounding(ROUND_CEILING, _finite(math.ceil)),
    "floor": _rounding(ROUND_FLOOR, _finite(math.floor)),
    "round": _rounding(ROUND_HALF_UP, _finite(_half_away)),
    "truncate": _rounding(ROUND_DOWN, _finite(math.trunc)),
    "sign": lambda call: _sign,
    "sqrt": _real(math.sqrt),
    "power": _real(_power),
    "exp": _real(math.exp),
    "ln": _real(math.log),
    "log10": _real(math.log10),
    "log2": _real(math.log2),
    "log": _real(_log),
    "sin": _real(math.sin),
    "cos": _real(math.cos),
    "tan": _real(math.tan),
    "asin": _real(math.asin),
    "acos": _real(math.acos),
    "atan": _real(math.atan),
    "atan2": _real(math.atan2),
    "pi": lambda call: lambda: math.pi,
    "degrees": _real(math.degrees),
    "radians": _real(math.radians),
    "e": lambda call: lambda: math.e,
    "cbrt": _real(math.cbrt),
    "expm1": _real(math.expm1),
    "log1p": _real(math.log1p),
    "hypot": _real(math.hypot),
    "sinh": _real(_odd(math.sinh)),
    "cosh": _real(math.cosh),
    "tanh": _real(math.tanh),
    "asinh": _real(math.asinh),
    "acosh": _real(math.acosh),
    "atanh": _real(math.atanh),
    "cot": _real(_inverse(math.tan)),
    "sec": _real(_inverse(math.cos)),
    "csc": _real(_inverse(math.sin)),
    "rint": _real(_finite(_even)),
    "bround": _rounding(ROUND_HALF_EVEN, _finite(_even)),
    "pmod": _pmod(_maker(_remainder, EXACT.remainder, _float_remainder)),
    "factorial": lambda call: _factorial,
    "width_bucket": lambda call: _width_bucket,
}
