"""Arithmetic."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function

_NUM = Family.NUMBER

FUNCTIONS = (
    Function(
        "add",
        (Family.MEASURE, Family.MEASURE),
        s.added,
        "the sum; a date or timestamp moved by an interval",
        together=": two numbers, two intervals, or a date or timestamp and an interval",
        syntax="a + b",
        error="arithmetic-overflow",
        range=r.of_sum,
    ),
    Function(
        "subtract",
        (Family.MEASURE, Family.MEASURE),
        s.subtracted,
        "the difference; between two dates or timestamps, the interval",
        together=": two numbers, intervals, dates or timestamps, or one of those and an interval",
        syntax="a - b",
        error="arithmetic-overflow",
        range=r.of_difference,
    ),
    Function(
        "multiply",
        (Family.QUANTITY, Family.QUANTITY),
        s.multiplied,
        "the product; an interval multiplied by an integer",
        together=": two numbers, or an interval and an integer",
        syntax="a * b",
        error="arithmetic-overflow",
        range=r.of_product,
    ),
    Function(
        "divide",
        (_NUM, _NUM),
        s.divided,
        "the quotient, for integers truncated toward zero; NULL for division by zero",
        syntax="a / b",
        also="`a DIV b` truncates any quotient toward zero",
        partial=True,
        error="arithmetic-overflow",
        range=r.of_quotient,
    ),
    Function(
        "modulo",
        (_NUM, _NUM),
        s.remaindered,
        "the remainder, with the sign of the dividend; NULL for division by zero",
        syntax="a % b",
        also="`mod(a, b)`",
        partial=True,
        error="arithmetic-overflow",
        range=r.toward_zero,
    ),
    Function(
        "negate",
        (Family.QUANTITY,),
        s.number,
        "the negated number or interval",
        syntax="-a",
        error="arithmetic-overflow",
        range=r.of_negative,
    ),
)
