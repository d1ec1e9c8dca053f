"""What can be wrong with UNNEST, explode and LATERAL."""

from __future__ import annotations

from slackwater.base.problem import Problem

NOT_AN_ARRAY = Problem(
    "not-an-array",
    "{function} takes an array, not a value of type {type}",
    label="of type {type}",
    hint="Name a column that is declared as ARRAY<…> or MAP<…>.",
    means="UNNEST, explode and posexplode make rows of the elements of an array or the entries of a map, "
    "inline of the fields of the structs in an array.",
)
ONE_ARRAY = Problem(
    "not-an-array",
    "{function} takes one array, not {count} values",
    label="one array",
    hint="UNNEST(a, b) reads several arrays side by side.",
)
NOT_STRUCTS = Problem(
    "not-an-array",
    "{function} takes an array of structs, not a value of type {type}",
    label="of type {type}",
    hint="Write explode for the elements of an array or map.",
)
ORDINALITY = Problem(
    "not-an-array",
    "{function} has no WITH ORDINALITY",
    label="only after UNNEST",
    hint="Write posexplode(array), whose first column is the position, or UNNEST(array) WITH ORDINALITY.",
)
NO_TABLE_FUNCTION = Problem(
    "unknown-function",
    'there is no function "{name}" that makes rows',
    label="no table function",
    detail="Known are {known}.",
    hint="Declare it: CREATE FUNCTION {name} (…) RETURNS TABLE (…) LANGUAGE PYTHON AS 'module:function'.",
)
BAD_SERIES = Problem(
    "bad-series",
    "{function} takes whole numbers that are constants",
    label="not such numbers",
    hint="Write generate_series(first, last), generate_series(first, last, step) or range(end): "
    "generate_series(1, 10).",
    means="generate_series(first, last, step) and range(first, end, step) make a row for each number; range "
    "ends before its end. The numbers are constants or parameters, so that the rows are known before any "
    "data is.",
)
ENDLESS_SERIES = Problem(
    "bad-series", "the step of {function} must not be 0", label="has no end", hint="Write 1, or another step."
)
LONG_SERIES = Problem(
    "bad-series",
    "{function} makes at most {most} rows",
    label="more than that",
    hint="Declare a relation with these numbers, or write a longer step.",
)
LATERAL_JOIN = Problem(
    "lateral-join",
    "a {kind} join cannot be with what depends on its left side",
    label="depends on the rows before it",
    hint="Write CROSS JOIN, or LEFT JOIN … ON condition.",
    means="UNNEST and LATERAL are computed for each row before them in FROM, so no row of theirs is without "
    "one of those: only inner and left joins have a meaning. USING and NATURAL have to be written as ON.",
)
MISPLACED_EXPLODE = Problem(
    "misplaced-explode",
    "{function} makes several rows of one and cannot be part of an expression",
    label="not a value",
    hint="Write it in FROM: FROM t, UNNEST(t.array) AS u(x), and use x here.",
    means="explode, posexplode and UNNEST stand in FROM, or alone as an item of a select list without GROUP "
    "BY and aggregates, at most once in it.",
)
SEVERAL_EXPLODES = Problem(
    "misplaced-explode",
    "a select list has at most one function that makes rows",
    label="the second one",
    hint="Write them in FROM: FROM t, UNNEST(t.a) AS u(x), UNNEST(t.b) AS v(y).",
)
GROUPED_EXPLODE = Problem(
    "misplaced-explode",
    "{function} cannot be in a select list with GROUP BY or aggregates",
    label="rows are made before they are grouped, or after",
    hint="Write it in FROM to group its rows, or make the grouped query a subquery in FROM.",
)
