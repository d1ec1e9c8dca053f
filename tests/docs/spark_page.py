"""docs/spark_functions.md: for every function of Spark SQL whether it is supported, or why it is not.

The page is what `page()` gives; `make golden` rewrites it. The names are those in `spark_names.txt`, which a
test compares with the Spark that is installed.
"""

from __future__ import annotations

from pathlib import Path

from slackwater.bind.functions import CLOCK_FUNCTIONS, known_functions
from slackwater.bind.refused import REFUSED

NAMES = Path(__file__).with_name("spark_names.txt")
OPERATORS = frozenset(
    ["and", "or", "not", "in", "between", "like", "ilike", "case", "when", "cast", "if", "div", "any", "some"]
)
"""Names of syntax, not of calls."""
WINDOW_FUNCTIONS = frozenset(
    [
        "cume_dist",
        "dense_rank",
        "first_value",
        "lag",
        "last_value",
        "lead",
        "nth_value",
        "ntile",
        "percent_rank",
        "rank",
        "row_number",
        "counter_diff",
    ]
)
TABLE_FUNCTIONS = frozenset(
    [
        "explode",
        "explode_outer",
        "inline",
        "inline_outer",
        "json_tuple",
        "posexplode",
        "posexplode_outer",
        "range",
        "stack",
        "variant_explode",
        "variant_explode_outer",
    ]
)
IN_THE_LANGUAGE = frozenset(["window", "window_time", "session_window", "grouping", "grouping_id"])
"""Names that belong to clauses: windows of time and grouping sets."""
DIFFERENT: dict[str, str] = {
    "acos": "NULL outside its domain, where Spark gives NaN; so are asin, acosh, atanh, sqrt, cot, csc",
    "any_value": "the least",
    "ceil": "of a DOUBLE a DOUBLE; takes no number of digits; so are ceiling and floor",
    "date_diff": "three arguments count boundaries of the unit; Spark counts whole units",
    "dayofweek": "the ISO day, Monday 1 to Sunday 7; Spark counts from Sunday, 1",
    "div": "as `a DIV b`, or by its name",
    "isnan": "of any number",
    "locate": "NULL if the position is NULL, where Spark gives 0",
    "log": "of one argument to base 10; Spark's is the natural logarithm, `ln`",
    "sign": "gives -1, 0 or 1 as BIGINT; so is signum",
    "regexp_like": "the regular expressions of Java without references to groups, looking around and flags "
    "inside; `$` is the end of the text; constants only; so are the other functions with such a pattern",
    "date_format": "the letters y M d D E a H h K k m s S Q, in a constant format; so is to_timestamp",
    "to_char": "of times only; `format_number` and `format_string` write numbers; so is to_varchar",
    "to_date": "without a format, the texts that CAST takes; so is to_timestamp",
    "unix_timestamp": "with an argument",
    "array_agg": "in the order of the values, or of ORDER BY; so is collect_list",
    "approx_count_distinct": "exact",
    "approx_percentile": "exact, of one share; so is percentile_approx",
    "collect_set": "in the order of the values",
    "listagg": "without WITHIN GROUP in the order of the texts; so is string_agg",
    "min_by": "of several values the least; so is max_by",
    "mode": "of several values the least",
    "/": "of integers the whole quotient, toward zero; `try_divide` gives a DOUBLE",
    "bitmap_construct_agg": "positions other than 0 to 32767 are left out",
    "format_string": "a constant format of %s %b %d %o %x %e %f, of texts, booleans, integers and doubles; "
    "so is printf",
    "get_json_object": "NULL of a text nested more than 200 deep; so are the other functions of JSON",
    "hash": "by the types that values have here, where most integers are BIGINT; so is xxhash64",
    "hmac": "NULL of an empty key",
    "percentile": "of one share, without a frequency",
    "parse_url": "the third argument is a name, no regular expression; so is try_parse_url",
    "time_bucket": "without months and years",
    "to_number": "a constant format; so is try_to_number",
    "try_add": "integers are too large beyond 64 bits; so are try_subtract and try_multiply",
    "try_sum": "NULL only if the sum is too large, not one on the way to it",
    "typeof": "the type that the value has here",
    "array_insert": "NULL of a place further than 1000000; so are array_repeat and sequence of more elements",
    "element_at": "NULL outside, and of the place 0",
    "from_json": "of two arguments; dates and times as CAST takes them",
    "aggregate": "its state has the type that the start and the function's values fit into; so is reduce",
    "array_sort": "NULL if the function is; a merge sort where the function is no order",
    "transform": "places are BIGINT; so are those of filter",
    "get": "NULL outside; so is `a[i]`",
    "sequence": "of integers",
    "size": "NULL of NULL; so is cardinality",
    "to_json": "of one argument",
    "map": "entries are in the order of their keys; NULL if a key is there twice; so are other maps",
}
"""Where a supported function differs from Spark's, besides the types of integers and errors."""

_HEAD = """\
# Functions of Spark SQL

Every function of Spark SQL {count} by its name: whether it is supported, with Spark's meaning, or
why it is not. [functions.md](functions.md) describes the supported ones. Everywhere:

* A value that ends Spark in an error in its ANSI mode (a text that is no date, a number outside the domain)
  gives NULL, as the `try_` variant of the function does: one row does not end a continuous query. An integer
  or decimal that is too large for its type is an error.
* Integers that functions give are BIGINT, where Spark often gives INT.
* The time zone is UTC.
* Bags have no order: aggregates that collect values sort them.

This page is generated. Its names are those of Spark {version}, which a test compares.
"""


def names() -> list[str]:
    return NAMES.read_text(encoding="utf-8").split()


def kind(name: str) -> str:
    """What the name is here: supported, or why it is not."""
    if not name[0].isalpha():
        return "supported" if name in _SIGNS else f"not supported: {_INSTEAD[name]}"
    if name in known_functions() or name in OPERATORS or name == "unix_timestamp":
        return "supported"
    if name in CLOCK_FUNCTIONS:
        return "not supported: its value depends on when, or how often, it is computed"
    if name in WINDOW_FUNCTIONS:
        return "a window function, see [language.md](language.md)"
    if name in IN_THE_LANGUAGE:
        return "part of a clause, see [language.md](language.md)"
    if name in TABLE_FUNCTIONS:
        return "a table function, see [language.md](language.md)"
    why = REFUSED[name].rstrip(".")
    return f"not supported: {why if why.startswith('XML') else why[:1].lower() + why[1:]}"


_INSTEAD = {">>>": "write shiftrightunsigned(a, b)"}
_SIGNS = frozenset(
    [
        "!",
        "!=",
        "%",
        "&",
        "*",
        "+",
        "-",
        "/",
        "<",
        "<<",
        "<=",
        "<=>",
        "<>",
        "=",
        "==",
        ">",
        ">=",
        ">>",
        "^",
        "|",
        "||",
        "~",
    ]
)


def page() -> str:
    rows = [f"| `{_escaped(name)}` | {_row(name)} |" for name in names()]
    supported = sum(kind(name) == "supported" for name in names())
    head = _HEAD.format(count=f"({supported} of {len(names())} are supported)", version="4.3")
    return "\n".join([head, "| name | here |", "| --- | --- |", *rows, ""])


def _escaped(name: str) -> str:
    return name.replace("|", "\\|")


def _row(name: str) -> str:
    return f"{kind(name)}; {DIFFERENT[name]}" if name in DIFFERENT else kind(name)
