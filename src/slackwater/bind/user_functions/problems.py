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
