"""docs/functions.md, written from the tables of functions and aggregates.

The page is what `page()` gives; `make golden` rewrites it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from slackwater.algebra.expressions import nested as n
from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.aggregates import AGGREGATES, Aggregate
from slackwater.algebra.expressions.functions import FAMILIES
from slackwater.algebra.expressions.higher import HIGHER
from slackwater.algebra.expressions.over import OVER_FUNCTIONS
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DOUBLE,
    INT,
    INTERVAL,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    Type,
    array,
    decimal,
    map_of,
)

_RULES: dict[Callable[..., Any], str] = {
    s.added: "BIGINT, DECIMAL, DOUBLE, TIMESTAMP or INTERVAL",
    s.subtracted: "BIGINT, DECIMAL, DOUBLE, TIMESTAMP or INTERVAL",
    s.multiplied: "BIGINT, DECIMAL, DOUBLE or INTERVAL",
    s.divided: "BIGINT of integers, else DOUBLE",
    s.remaindered: "BIGINT, DECIMAL or DOUBLE",
    s.number: "BIGINT of integers, else as given",
    s.whole: "BIGINT of integers, DECIMAL without fraction, DOUBLE",
    s.rounded: "BIGINT of integers, DECIMAL, DOUBLE",
    s.word: "BIGINT of BIGINT, else INT",
    s.structured: "STRUCT",
    n.listed: "ARRAY of them",
    n.repeated: "ARRAY of them",
    n.element: "an element",
    n.as_first: "as the first",
    n.alike: "as given",
    n.inner_array: "an element",
    n.zipped: "ARRAY of STRUCT",
    n.mapped: "MAP of them",
    n.mapped_arrays: "MAP of them",
    n.mapped_entries: "MAP of them",
    n.keys_of: "ARRAY of keys",
    n.values_of: "ARRAY of values",
    n.entries: "ARRAY of STRUCT<key, value>",
    s.zoned: "TIMESTAMP_NTZ of TIMESTAMP, TIMESTAMP of TIMESTAMP_NTZ",
    s.shared: "the type all fit into",
    s.when_first_two_comparable: "as the first",
}
_BOUND = {"field": "that of the field", "from_json": "that of the schema", "map_value": "a value"}
"""Types that depend on constants, or on parts of the arguments."""
_SAMPLES: dict[Family, Type] = {
    Family.ARRAY: array(INT),
    Family.WORDS: array(STRING),
    Family.NESTED: array(INT),
    Family.COLLECTION: array(INT),
    Family.MAP: map_of(INT, INT),
    Family.ANY: INT,
    Family.BOOLEAN: BOOLEAN,
    Family.INTEGER: INT,
    Family.NUMBER: INT,
    Family.TEXT: STRING,
    Family.BINARY: BINARY,
    Family.CODED: STRING,
    Family.CODE: STRING,
    Family.UNIT: STRING,
    Family.PATTERN: STRING,
    Family.REPLACEMENT: STRING,
    Family.GROUP: INT,
    Family.FORMAT: STRING,
    Family.ZONE: STRING,
    Family.PRINTF: STRING,
    Family.DIGITS: STRING,
    Family.PRINTED: STRING,
    Family.INTERVAL: INTERVAL,
    Family.MOMENT: STRING,
    Family.TIME: TIMESTAMP,
    Family.LENGTH: TIMESTAMP,
}
_HEAD = """\
# Functions

Names are not case-sensitive. A function of NULL is NULL unless its meaning says otherwise (as for `AND`,
`OR`, `COALESCE` and `IS NULL`); division by zero and a function outside its domain give NULL; an integer
or decimal that is too large for its type is an error. How values are compared, and expressions that are
not functions (`CASE`, `CAST`, subqueries), are described in [language.md](language.md#expressions).

This page is generated from the tables of the program.
"""

_AGGREGATES = """\
## Aggregates

Aggregates ignore NULLs. `agg(DISTINCT a)` counts each value once, `agg(a) FILTER (WHERE c)` only the rows
where c is true; `count(*)` counts rows. Sums, means and variances are exact and rounded once, so that
removing a row restores exactly the previous result.
"""


_HIGHER = """\
## Functions of functions

A function is written `x -> …` or `(x, y) -> …`; its names hide columns. It is called for the elements in
their order, and only as far as its values are needed. A call is NULL where an array or map in it is.
"""


_OVER = """\
## Window functions

Written `f(…) OVER (PARTITION BY … ORDER BY … frame)`; every aggregate is one, too. A frame is for aggregates
and the functions of frames. `IGNORE NULLS` after `lag`, `lead` and the functions of frames counts only rows
whose x is not NULL. See [language.md](language.md#window-functions).
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for title, functions in FAMILIES.items():
        parts.append(f"## {title}\n")
        parts.append(_table(map(_function_row, functions)))
    parts += [_HIGHER, _higher_table()]
    parts += [_AGGREGATES, _table(map(_aggregate_row, AGGREGATES.values()))]
    parts += [_OVER, _over_table(), _UNITS]
    return "\n".join(parts)


def names_in(text: str) -> list[str]:
    """The names of the functions and aggregates that a page lists, in order."""
    return [
        line.split("`")[1] for line in text.split("\n") if line.startswith("| `") and line.count(" | ") >= 4
    ]


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    head = ("name", "written", "takes", "gives", "meaning", "also written", "error")
    lines = [head, ("---",) * len(head), *rows]
    return (
        "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
        + "\n"
    )


def _function_row(function: Function) -> tuple[str, ...]:
    takes = function.takes.partition(" takes ")[2].rstrip(".")
    return (
        f"`{function.name}`",
        f"`{_call(function)}`",
        takes,
        _result(function),
        function.meaning,
        function.also,
        _error(function.error),
    )


def _call(function: Function) -> str:
    if function.syntax:
        return function.syntax
    letters = "abcdefg"[: len(function.parameters)]
    needed = letters[: len(letters) - function.optional]
    inside = ", ".join(needed) + "".join(f" [, {letter}]" for letter in letters[len(needed) :])
    inside = inside if needed else inside.replace(" [, ", "[", 1)
    return f"{function.name}({inside}{', …' if function.variadic else ''})"


def _result(function: Function) -> str:
    if function.result in _RULES:
        return _RULES[function.result]
    if function.name in _BOUND:
        return _BOUND[function.name]
    result = function.result([_SAMPLES[family] for family in function.parameters])
    assert result is not None
    return str(result).upper()


def _aggregate_row(aggregate: Aggregate) -> tuple[str, ...]:
    takes = aggregate.takes.partition(" takes ")[2].rstrip(".")
    gives = {str(aggregate.result(type_)).upper() for type_ in (BIGINT, DOUBLE, decimal(5, 2))}
    if len(gives) == 1:
        result = gives.pop()
    elif aggregate.result(STRING) == STRING:
        result = "as given"
    else:
        result = "BIGINT of integers, DECIMAL(38, s), DOUBLE"
    if aggregate.syntax and aggregate.parameter is not Family.PAIR:
        result = {"string_agg": "STRING", "array_agg": "ARRAY of them", "percentile": "DOUBLE"}.get(
            aggregate.name, "as given"
        )
    call, error = f"`{aggregate.syntax or f'{aggregate.name}(a)'}`", _error(aggregate.error)
    return f"`{aggregate.name}`", call, takes, result, aggregate.meaning, aggregate.also, error


def _higher_table() -> str:
    """Three columns, as `_over_table`."""
    lines = ["| written | gives | meaning |", "|---|---|---|"]
    for function in HIGHER.values():
        also = f"; also {function.also}" if function.also else ""
        lines.append(f"| `{function.syntax}` | {function.gives} | {function.meaning}{also} |")
    return "\n".join(lines) + "\n"


def _over_table() -> str:
    """Three columns: `names_in` lists functions that may stand alone."""
    lines = ["| written | gives | meaning |", "|---|---|---|"]
    for function in OVER_FUNCTIONS.values():
        result = function.result(UNKNOWN)
        gives = "as given" if result == UNKNOWN else str(result).upper()
        lines.append(f"| `{function.signature}` | {gives} | {function.meaning} |")
    return "\n".join(lines) + "\n"


def _error(code: str) -> str:
    return f"[{code}](errors.md#{code})" if code else ""


_UNITS = f"""\
## Units

The units of `date_trunc` and `date_diff` are {", ".join(f"`{unit}`" for unit in s.UNITS)}, singular or
plural, in quotes or bare. A week begins on Monday.

```cqt
stream S (t TIMESTAMP)
time | t
1    | 2026-01-31 12:30:00

query
SELECT DATE_TRUNC('month', t) AS first, DATE_DIFF('day', t, TIMESTAMP '2026-02-02 00:00:00') AS days,
  t + INTERVAL '45' MINUTE AS later
FROM S [NOW]

at 1
first               | days | later
2026-01-01 00:00:00 | 2    | 2026-01-31 13:15:00
```
"""
