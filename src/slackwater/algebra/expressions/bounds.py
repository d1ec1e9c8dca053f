"""Between which integers the values of an expression lie."""

from __future__ import annotations

from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.expressions.functions.ranges import Range
from slackwater.algebra.expressions.nodes import Call, Cast, Expression, Literal
from slackwater.algebra.types import GREATEST, LEAST, Type

_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


def bounds(expr: Expression) -> Range:
    """The least and the greatest value of an integer expression, where it is no error."""
    most = bounds_of_type(expr.type)
    match expr:
        case Literal(value=int() as value):
            return value, value
        case Cast(operand=operand) if operand.type.is_integer:
            return _common(bounds(operand), most)
        case Call() if expr.type.is_integer:
            return _common(result_bounds(expr), most)
        case _:
            return most


def result_bounds(call: Call) -> Range:
    """Between which integers the exact result of a call lies, before it is found to fit."""
    rule = FUNCTIONS[call.function].range
    return bounds_of_type(call.type) if rule is None else rule([bounds(part) for part in call.arguments])


def may_overflow(call: Call) -> bool:
    """Whether some integers make the call an overflow; False is a promise."""
    least, greatest = result_bounds(call)
    return least < LEAST or greatest > GREATEST


def bounds_of_type(type_: Type) -> Range:
    half = 1 << (_BITS.get(type_.name, 64) - 1)
    return -half, half - 1


def _common(one: Range, other: Range) -> Range:
    least, greatest = max(one[0], other[0]), min(one[1], other[1])
    return (least, greatest) if least <= greatest else other
