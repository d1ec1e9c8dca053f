"""What can be wrong with the parameters of a text."""

from __future__ import annotations

from slackwater.base.problem import Problem

_HOW = 'Pass one: args={{"{name}": …}} in Python, --param {name}=… on the command line.'

MISSING_PARAMETER = Problem(
    "missing-parameter",
    'parameter ":{name}" has no value',
    label="no value",
    detail="There are values for {passed}.",
    hint=_HOW,
    means="The text has a parameter for which no value was passed. Pass it with `args=` or `--param`.",
)
UNUSED_PARAMETER = Problem(
    "unused-parameter",
    'there is no parameter ":{name}" in the text',
    detail="Its parameters are {known}.",
    hint="Do not pass {name}.",
    means="A value was passed for a parameter that the text does not have. Correct or remove the name.",
)
NOT_A_POSITION = Problem(
    "bad-parameter",
    'parameter ":{name}" cannot name a column in {clause}',
    label="a value, the same for every row",
    hint="Write the name of a column, or its position as a number.",
)
BAD_PARAMETER = Problem(
    "bad-parameter",
    'parameter ":{name}" cannot be {value}',
    label="takes {takes}",
    means="The value of a parameter has a type, or a size, that its place in the text does not take.",
)
