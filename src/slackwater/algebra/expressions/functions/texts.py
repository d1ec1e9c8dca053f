"""Functions of texts; where Spark and other systems differ, it is Spark's meaning."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.functions import spark
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, BOOLEAN, GREATEST, STRING

_TEXT, _INT = Family.TEXT, Family.INTEGER
_TRUTH = s.always(BOOLEAN)
_COUNT = s.always(BIGINT)
_WORDS = s.always(STRING)

FUNCTIONS = (
    Function(
        "like",
        (_TEXT,) * 3,
        _TRUTH,
        "whether it matches the pattern with % and _; no escape by default",
        optional=1,
        syntax="a LIKE b [ESCAPE c]",
        error="bad-pattern",
    ),
    Function(
        "ilike",
        (_TEXT,) * 3,
        _TRUTH,
        "as like, ignoring case",
        optional=1,
        syntax="a ILIKE b [ESCAPE c]",
        error="bad-pattern",
    ),
    Function("upper", (_TEXT,), _WORDS, "in upper case", also="`ucase`"),
    Function("lower", (_TEXT,), _WORDS, "in lower case", also="`lcase`"),
    Function(
        "length",
        (_TEXT,),
        _COUNT,
        "the number of code points",
        also="`len`, `char_length`",
        range=r.within(0, GREATEST),
        spark=spark.form("CAST(char_length({0}) AS BIGINT)"),
    ),
    Function(
        "trim",
        (_TEXT,) * 2,
        _WORDS,
        "without these characters (blanks) at both ends",
        optional=1,
        also="`btrim`; `trim(BOTH c FROM a)`",
        spark=spark.trimming("BOTH"),
    ),
    Function(
        "ltrim",
        (_TEXT,) * 2,
        _WORDS,
        "without these characters (blanks) at the start",
        optional=1,
        also="`trim(LEADING c FROM a)`",
        spark=spark.trimming("LEADING"),
    ),
    Function(
        "rtrim",
        (_TEXT,) * 2,
        _WORDS,
        "without these characters (blanks) at the end",
        optional=1,
        also="`trim(TRAILING c FROM a)`",
        spark=spark.trimming("TRAILING"),
    ),
    Function(
        "substring",
        (_TEXT, _INT, _INT),
        _WORDS,
        "that many characters from position start on; counted from the end if start is negative, 0 is 1",
        optional=1,
        also="`substr`, `mid`; `substring(a FROM b FOR c)`",
    ),
    Function(
        "concat",
        (_TEXT,),
        _WORDS,
        "the concatenation, of numbers, booleans and times as CAST writes them; NULL if an argument is NULL",
        variadic=True,
        spark=spark.call("concat"),
        also="`a || b`",
    ),
    Function(
        "replace",
        (_TEXT,) * 3,
        _WORDS,
        "with each occurrence of the second replaced by the third",
        spark=spark.call("replace"),
    ),
    Function("left", (_TEXT, _INT), _WORDS, "the first n characters; none if n is negative"),
    Function("right", (_TEXT, _INT), _WORDS, "the last n characters; none if n is negative"),
    Function(
        "starts_with",
        (_TEXT, _TEXT),
        _TRUTH,
        "whether the first begins with the second",
        also="`startswith`, `prefix`",
        spark=spark.call("startswith"),
    ),
    Function(
        "ends_with",
        (_TEXT, _TEXT),
        _TRUTH,
        "whether the first ends with the second",
        also="`endswith`, `suffix`",
        spark=spark.call("endswith"),
    ),
    Function(
        "contains",
        (_TEXT, _TEXT),
        _TRUTH,
        "whether the second occurs in the first",
        spark=spark.call("contains"),
    ),
    Function(
        "position",
        (_TEXT, _TEXT, _INT),
        _COUNT,
        "the position of the first in the second, from 1, at the third (1) or later; 0 if it does not occur",
        optional=1,
        also="`locate`; `position(a IN b)`; `strpos(b, a)`, `instr(b, a)`",
        range=r.within(0, GREATEST),
        spark=spark.located,
    ),
    Function("reverse", (_TEXT,), _WORDS, "the code points in reverse order", spark=spark.call("reverse")),
    Function(
        "lpad",
        (_TEXT, _INT, _TEXT),
        _WORDS,
        "truncated, or padded on the left (with blanks), to that length",
        optional=1,
    ),
    Function(
        "rpad",
        (_TEXT, _INT, _TEXT),
        _WORDS,
        "truncated, or padded on the right (with blanks), to that length",
        optional=1,
    ),
    Function("repeat", (_TEXT, _INT), _WORDS, "repeated n times; empty if n is negative"),
    Function(
        "split_part",
        (_TEXT, _TEXT, _INT),
        _WORDS,
        "the n-th part between delimiters, from the end if negative; empty if there is none",
    ),
)
