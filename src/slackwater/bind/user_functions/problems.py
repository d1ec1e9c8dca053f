"""What can be wrong with the functions of users."""

from __future__ import annotations

from slackwater.base.problem import Problem

BAD_FUNCTION = Problem(
    "bad-function",
    '"{path}" is not a function that can be imported',
    label="not a function",
    detail="{why}.",
    hint="Write the import path as 'module:function'; the module has to be where Python finds it.",
    means="A function of a user cannot be imported by its path, or what is there is not a function.",
)
BAD_AGGREGATE = Problem(
    "bad-function",
    '"{path}" is not an aggregate that can be imported',
    label="not an aggregate",
    detail="{why}.",
    hint="Write the import path, 'module:Class', of a class with the methods add(…) and finish().",
)
WRONG_SIGNATURE = Problem(
    "bad-function",
    '"{path}" cannot be called with {count}',
    label="declared with {count}",
    detail="It is {signature}.",
    hint="Declare as many arguments as it takes.",
)
NO_ARGUMENTS = Problem(
    "bad-function",
    'the aggregate "{path}" is declared without arguments',
    label="of no values",
    hint="Declare at least one argument, by which its method add is called.",
)
NOT_DETERMINISTIC = Problem(
    "bad-function",
    '"{path}" is declared as not deterministic',
    label="not deterministic",
    detail="An answer is computed again after a failure, and a row is retracted as it was inserted.",
    hint="Make it deterministic, or compute its values before the query.",
)
MISPLACED_TABLE_FUNCTION = Problem(
    "misplaced-explode",
    '"{name}" makes several rows of one and cannot be part of an expression',
    label="not a value",
    hint="Write it in FROM: FROM t, LATERAL {name}(t.x) AS f, and use its columns here.",
)
BUILT_IN_FUNCTION = Problem(
    "duplicate-function",
    'there is already a function "{name}"',
    label="a function of SQL",
    hint="Choose another name.",
    means="A function of a user has the name of another function.",
)
DUPLICATE_FUNCTION = Problem(
    "duplicate-function",
    'there is already a function "{name}"',
    label="already declared",
    hint="Choose another name, or write CREATE OR REPLACE FUNCTION.",
)
UNKNOWN_KIND = Problem(
    "bad-option",
    '"{value}" is not a valid value of the option "{option}"',
    label="not a valid value",
    hint="{expected}",
)
UNKNOWN_FUNCTION_OPTION = Problem(
    "unknown-option",
    'there is no option "{name}"',
    label="no such option",
    detail="A function takes {known}.",
    hint="Remove it.",
)
