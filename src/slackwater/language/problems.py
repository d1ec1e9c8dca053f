"""What can be wrong with the options of a source."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNKNOWN_OPTION = Problem(
    "unknown-option",
    'there is no option "{name}"',
    label="no such option",
    detail="A {kind} takes {ours}{also}.",
    hint="See the options of a source in docs/guide.md.",
    means="A source has no such option.",
)
USELESS_OPTION = Problem(
    "useless-option",
    'the option "{name}" has no effect here',
    label="no effect",
    detail="{why}",
    hint="{instead}",
    means="An option has no effect here, so it was probably meant for something else. "
    "Remove it, or do what the hint says.",
)
REPEATED_OPTION = Problem(
    "repeated-option",
    'the option "{name}" is given twice',
    label="already given",
    hint="Remove one of them.",
    means="An option is given twice.",
)
BAD_OPTION = Problem(
    "bad-option",
    '"{value}" is not a valid value of the option "{option}"',
    label="not a valid value",
    hint="{expected}",
    means="The value of an option is not valid. The hint lists what the option takes.",
)
