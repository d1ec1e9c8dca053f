"""What can be wrong with the options of a source."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNKNOWN_OPTION = Problem(
    "unknown-option",
    'there is no option "{name}"',
    label="no such option",
    detail="A {kind} takes {ours}{also}.",
    hint="The guide lists the options of a source.",
    means="A source has no such option.",
)
USELESS_OPTION = Problem(
    "useless-option",
    'the option "{name}" does nothing here',
    label="without effect",
    detail="{why}",
    hint="{instead}",
    means="An option has no effect where it stands, so it was probably meant for something else. "
    "Leave it out, or do what the hint says.",
)
REPEATED_OPTION = Problem(
    "repeated-option",
    'the option "{name}" is given twice',
    label="given before",
    hint="Keep one of them.",
    means="An option is given twice.",
)
BAD_OPTION = Problem(
    "bad-option",
    '"{value}" is no value for the option "{option}"',
    label="no such value",
    hint="{wanted}",
    means="An option has a value that it cannot have. The hint says what it takes.",
)
