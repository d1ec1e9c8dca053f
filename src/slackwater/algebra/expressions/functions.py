"""The closed table of scalar functions: what each takes, gives and means.

Decisions that hold throughout: x / 0 and x % 0 are NULL for every kind of number, and so is a
function outside its domain (`sqrt(-1)`, `ln(0)`): a continuous query does not die of one row. An
integer or decimal too large for its type is an error of the data, never a wrong number. NaN equals
itself and is above every other number; -0.0 is 0.0; false is below true; texts are compared by
code point. Where Spark and other systems differ on texts, it is Spark's meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.aggregates import AGGREGATES, Aggregate, aggregate_type
from slackwater.algebra.expressions.casts import castable
from slackwater.algebra.expressions.signatures import UNITS, Family, Function, Mismatch
from slackwater.algebra.types import BIGINT, BOOLEAN, DATE, DOUBLE, NULL, STRING, Type

__all__ = [
    "AGGREGATES",
    "FUNCTIONS",
    "UNITS",
    "Aggregate",
    "Family",
    "Function",
    "Mismatch",
    "aggregate_type",
    "castable",
    "result_type",
]

_ANY, _BOOL, _INT, _NUM, _TEXT = Family.ANY, Family.BOOLEAN, Family.INTEGER, Family.NUMBER, Family.TEXT
_TIME, _UNIT = Family.TIME, Family.UNIT
_COMPARABLE = ", of types that can be compared"
_TRUTH = s.always(BOOLEAN)
_COUNT = s.always(BIGINT)
_REAL = s.always(DOUBLE)
_WORDS = s.always(STRING)


def _comparison(name: str, meaning: str, strict: bool = True) -> Function:
    rule = s.when_comparable(BOOLEAN)
    return Function(name, (_ANY, _ANY), rule, meaning, strict=strict, together=_COMPARABLE)


def _real(name: str, meaning: str, parameters: int = 1) -> Function:
    return Function(name, (_NUM,) * parameters, _REAL, meaning)


def _field(name: str, meaning: str) -> Function:
    return Function(name, (_TIME,), _COUNT, meaning)


_ARITHMETIC = (
    Function(
        "add",
        (Family.MEASURE, Family.MEASURE),
        s.added,
        "the sum; a date or timestamp moved by an interval",
        together=": two numbers, two intervals, or a date or timestamp and an interval",
    ),
    Function(
        "subtract",
        (Family.MEASURE, Family.MEASURE),
        s.subtracted,
        "the difference; between two dates or timestamps, the interval",
        together=": two numbers, intervals, dates or timestamps, or one of those and an interval",
    ),
    Function(
        "multiply",
        (Family.QUANTITY, Family.QUANTITY),
        s.multiplied,
        "the product; an interval that many times",
        together=": two numbers, or an interval and an integer",
    ),
    Function("divide", (_NUM, _NUM), s.divided, "the quotient, of integers cut toward zero; NULL by zero"),
    Function("modulo", (_NUM, _NUM), s.remaindered, "the remainder, signed as the dividend; NULL by zero"),
    Function("negate", (Family.QUANTITY,), s.number, "the number or interval with its sign turned"),
)

_LOGIC = (
    _comparison("eq", "whether the two are equal"),
    _comparison("ne", "whether the two differ"),
    _comparison("lt", "whether the first is below the second"),
    _comparison("le", "whether the first is below or equal to the second"),
    _comparison("gt", "whether the first is above the second"),
    _comparison("ge", "whether the first is above or equal to the second"),
    _comparison("is_not_distinct_from", "whether the two are equal or both NULL", strict=False),
    Function("and", (_BOOL, _BOOL), _TRUTH, "whether all are true", variadic=True, strict=False),
    Function("or", (_BOOL, _BOOL), _TRUTH, "whether any is true", variadic=True, strict=False),
    Function("not", (_BOOL,), _TRUTH, "whether it is false"),
    Function("is_null", (_ANY,), _TRUTH, "whether it is NULL", strict=False),
    Function(
        "in_list",
        (_ANY, _ANY),
        s.when_comparable(BOOLEAN),
        "whether the first equals one of the others",
        variadic=True,
        strict=False,
        together=_COMPARABLE,
    ),
    Function(
        "coalesce",
        (_ANY,),
        s.shared,
        "the first that is not NULL",
        variadic=True,
        strict=False,
        together=", with a type in common",
    ),
    Function(
        "nullif",
        (_ANY, _ANY),
        s.when_first_two_comparable,
        "the first, or NULL if the two are equal",
        strict=False,
        together=_COMPARABLE,
    ),
    Function(
        "greatest",
        (_ANY,),
        s.shared,
        "the greatest of those that are not NULL",
        variadic=True,
        strict=False,
        together=_COMPARABLE,
    ),
    Function(
        "least",
        (_ANY,),
        s.shared,
        "the least of those that are not NULL",
        variadic=True,
        strict=False,
        together=_COMPARABLE,
    ),
)

_TEXTS = (
    Function(
        "like",
        (_TEXT,) * 3,
        _TRUTH,
        "whether the pattern of % and _ fits; no escape unless given",
        optional=1,
    ),
    Function("ilike", (_TEXT,) * 3, _TRUTH, "as like, with upper and lower case alike", optional=1),
    Function("upper", (_TEXT,), _WORDS, "in upper case"),
    Function("lower", (_TEXT,), _WORDS, "in lower case"),
    Function("length", (_TEXT,), _COUNT, "how many code points"),
    Function("trim", (_TEXT,) * 2, _WORDS, "without these characters (blanks) at both ends", optional=1),
    Function("ltrim", (_TEXT,) * 2, _WORDS, "without these characters (blanks) at the start", optional=1),
    Function("rtrim", (_TEXT,) * 2, _WORDS, "without these characters (blanks) at the end", optional=1),
    Function(
        "substring",
        (_TEXT, _INT, _INT),
        _WORDS,
        "that many characters from the start-th on; from the end if start is negative, 0 is 1",
        optional=1,
    ),
    Function("concat", (_TEXT,), _WORDS, "one after the other; NULL if one is", variadic=True),
    Function("replace", (_TEXT,) * 3, _WORDS, "with each occurrence of the second turned into the third"),
    Function("left", (_TEXT, _INT), _WORDS, "the first n characters; none if n is negative"),
    Function("right", (_TEXT, _INT), _WORDS, "the last n characters; none if n is negative"),
    Function("starts_with", (_TEXT, _TEXT), _TRUTH, "whether the first begins with the second"),
    Function("ends_with", (_TEXT, _TEXT), _TRUTH, "whether the first ends with the second"),
    Function("contains", (_TEXT, _TEXT), _TRUTH, "whether the second occurs in the first"),
    Function(
        "position", (_TEXT, _TEXT), _COUNT, "where the first occurs in the second, from 1; 0 if nowhere"
    ),
    Function("reverse", (_TEXT,), _WORDS, "the code points from last to first"),
    Function(
        "lpad",
        (_TEXT, _INT, _TEXT),
        _WORDS,
        "cut or filled on the left (with blanks) to that length",
        optional=1,
    ),
    Function(
        "rpad",
        (_TEXT, _INT, _TEXT),
        _WORDS,
        "cut or filled on the right (with blanks) to that length",
        optional=1,
    ),
    Function("repeat", (_TEXT, _INT), _WORDS, "n times over; empty if n is negative"),
    Function(
        "split_part",
        (_TEXT, _TEXT, _INT),
        _WORDS,
        "the n-th part between delimiters, from the end if negative; empty if there is none",
    ),
)

_MATH = (
    Function("abs", (_NUM,), s.number, "without its sign"),
    Function("ceil", (_NUM,), s.whole, "the least whole number not below"),
    Function("floor", (_NUM,), s.whole, "the greatest whole number not above"),
    Function("round", (_NUM, _INT), s.rounded, "to that many digits (0), halves away from zero", optional=1),
    Function("truncate", (_NUM, _INT), s.rounded, "cut to that many digits (0), toward zero", optional=1),
    Function("sign", (_NUM,), _COUNT, "-1, 0 or 1; 0 of NaN"),
    _real("sqrt", "the square root; NULL below 0"),
    _real("power", "the first to the second; NULL where that is not a real number", 2),
    _real("exp", "e to the power"),
    _real("ln", "the natural logarithm; NULL at 0 and below"),
    _real("log10", "the logarithm to base 10; NULL at 0 and below"),
    _real("log2", "the logarithm to base 2; NULL at 0 and below"),
    _real("log", "the logarithm, to the first, of the second; NULL outside its domain", 2),
    _real("sin", "the sine; NULL of an infinity"),
    _real("cos", "the cosine; NULL of an infinity"),
    _real("tan", "the tangent; NULL of an infinity"),
    _real("asin", "the arc sine; NULL outside -1 to 1"),
    _real("acos", "the arc cosine; NULL outside -1 to 1"),
    _real("atan", "the arc tangent"),
    _real("atan2", "the angle of the point (second, first)", 2),
    _real("pi", "the circle's number", 0),
    _real("degrees", "radians as degrees"),
    _real("radians", "degrees as radians"),
)

_TIMES = (
    _field("year", "the year"),
    _field("month", "the month, 1 to 12"),
    _field("day", "the day of the month"),
    _field("hour", "the hour; 0 of a date"),
    _field("minute", "the minute; 0 of a date"),
    _field("second", "the whole second; 0 of a date"),
    _field("day_of_week", "the ISO day of the week, Monday 1 to Sunday 7"),
    _field("day_of_year", "the day of the year, from 1"),
    _field("week", "the ISO week"),
    _field("quarter", "the quarter, 1 to 4"),
    Function("epoch", (Family.LENGTH,), _REAL, "the seconds since 1970, or of an interval"),
    Function("date_trunc", (_UNIT, _TIME), s.truncated, "the unit's first instant"),
    Function("date_diff", (_UNIT, _TIME, _TIME), _COUNT, "how many of the unit's bounds lie between"),
    Function("make_date", (_INT,) * 3, s.always(DATE), "that year, month and day; NULL if there is none"),
)

FUNCTIONS: dict[str, Function] = {f.name: f for f in (*_ARITHMETIC, *_LOGIC, *_TEXTS, *_MATH, *_TIMES)}


def result_type(name: str, argument_types: Sequence[Type]) -> Type | Mismatch:
    """The type of the function's result for such arguments, or why there is none."""
    function = FUNCTIONS[name]
    if not function.accepts_count(len(argument_types)):
        return Mismatch(None, function.takes)
    for index, type_ in enumerate(argument_types):
        if not function.family(index).takes(type_):
            return Mismatch(index, function.takes)
    result = function.result(argument_types)
    return Mismatch(_first_stranger(function, argument_types), function.takes) if result is None else result


def _first_stranger(function: Function, types: Sequence[Type]) -> int:
    """The first argument that does not go with those before it."""
    rest = (NULL,) * len(types)
    ends = range(1, len(types) + 1)
    fits = [function.result((*types[:end], *rest[end:])) is not None for end in ends]
    return fits.index(False) if False in fits else len(types) - 1
