"""Mathematics; a function of reals is NULL outside its domain."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, GREATEST

_NUM, _INT = Family.NUMBER, Family.INTEGER
_REAL = s.always(DOUBLE)


def _real(name: str, meaning: str, parameters: int = 1, partial: bool = False, also: str = "") -> Function:
    return Function(name, (_NUM,) * parameters, _REAL, meaning, partial=partial, also=also)


FUNCTIONS = (
    Function(
        "abs",
        (Family.QUANTITY,),
        s.number,
        "the absolute value",
        error="arithmetic-overflow",
        range=r.of_size,
    ),
    Function(
        "ceil",
        (_NUM,),
        s.whole,
        "the least whole number not less than it",
        also="`ceiling`",
        error="arithmetic-overflow",
        range=r.as_first,
        monotone=(0,),
    ),
    Function(
        "floor",
        (_NUM,),
        s.whole,
        "the greatest whole number not greater than it",
        error="arithmetic-overflow",
        range=r.as_first,
        monotone=(0,),
    ),
    Function(
        "round",
        (_NUM, _INT),
        s.rounded,
        "rounded to that many digits (default 0), halves away from zero",
        optional=1,
        error="arithmetic-overflow",
        range=r.of_rounded,
        monotone=(0,),
    ),
    Function(
        "truncate",
        (_NUM, _INT),
        s.rounded,
        "truncated to that many digits (default 0), toward zero",
        optional=1,
        also="`trunc`",
        error="arithmetic-overflow",
        range=r.toward_zero,
        monotone=(0,),
    ),
    Function(
        "sign", (_NUM,), s.always(BIGINT), "-1, 0 or 1; 0 of NaN", also="`signum`", range=r.within(-1, 1)
    ),
    _real("sqrt", "the square root; NULL below 0", partial=True),
    _real(
        "power",
        "the first to the power of the second; NULL if that is not a real number",
        2,
        also="`pow`",
        partial=True,
    ),
    _real("exp", "e to that power"),
    _real("ln", "the natural logarithm; NULL at 0 and below", partial=True),
    _real("log10", "the logarithm to base 10; NULL at 0 and below", also="`log(a)`", partial=True),
    _real("log2", "the logarithm to base 2; NULL at 0 and below", partial=True),
    _real(
        "log",
        "the logarithm of the second to the base of the first; NULL outside its domain",
        2,
        partial=True,
    ),
    _real("sin", "the sine; NULL of an infinity", partial=True),
    _real("cos", "the cosine; NULL of an infinity", partial=True),
    _real("tan", "the tangent; NULL of an infinity", partial=True),
    _real("asin", "the arc sine; NULL outside -1 to 1", partial=True),
    _real("acos", "the arc cosine; NULL outside -1 to 1", partial=True),
    _real("atan", "the arc tangent"),
    _real("atan2", "the angle of the point (second, first)", 2),
    _real("pi", "the constant π", 0),
    _real("degrees", "radians as degrees"),
    _real("radians", "degrees as radians"),
    _real("e", "the constant e", 0),
    _real("cbrt", "the cube root"),
    _real("expm1", "e to that power, less 1"),
    _real("log1p", "the natural logarithm of 1 more than it; NULL at -1 and below", partial=True),
    _real("hypot", "the length of the hypotenuse of the two", 2),
    _real("sinh", "the hyperbolic sine"),
    _real("cosh", "the hyperbolic cosine"),
    _real("tanh", "the hyperbolic tangent"),
    _real("asinh", "the inverse hyperbolic sine"),
    _real("acosh", "the inverse hyperbolic cosine; NULL below 1", partial=True),
    _real("atanh", "the inverse hyperbolic tangent; NULL outside -1 to 1, and at both", partial=True),
    _real("cot", "the cotangent; NULL at 0 and of an infinity", partial=True),
    _real("sec", "the secant; NULL of an infinity", partial=True),
    _real("csc", "the cosecant; NULL at 0 and of an infinity", partial=True),
    _real("rint", "the nearest whole number, of two the even one"),
    Function("isnan", (_NUM,), s.always(BOOLEAN), "whether it is NaN; false of NULL", strict=False),
    Function("nanvl", (_NUM, _NUM), _REAL, "the first, or the second if the first is NaN", strict=False),
    Function(
        "bround",
        (_NUM, _INT),
        s.rounded,
        "rounded to that many digits (default 0), halves to the even digit",
        optional=1,
        error="arithmetic-overflow",
        range=r.of_rounded,
        monotone=(0,),
    ),
    Function(
        "pmod",
        (_NUM, _NUM),
        s.remaindered,
        "the remainder, not negative for a positive divisor; NULL for division by zero",
        partial=True,
        error="arithmetic-overflow",
    ),
    Function(
        "factorial",
        (_INT,),
        s.always(BIGINT),
        "the product of 1 to it; NULL outside 0 to 20",
        partial=True,
        range=r.within(1, 2_432_902_008_176_640_000),
    ),
    Function(
        "width_bucket",
        (_NUM, _NUM, _NUM, _INT),
        s.always(BIGINT),
        "the bucket, from 1, that it falls into if the second to the third are divided into so many; 0 or "
        "one more outside; NULL of no or equal bounds",
        partial=True,
        range=r.within(0, GREATEST),
    ),
)
