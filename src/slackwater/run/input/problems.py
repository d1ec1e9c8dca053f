"""What can be wrong with the rows that arrive."""

from __future__ import annotations

from slackwater.base.problem import Problem

LATE_ROW = Problem(
    "late-row",
    'a row of "{source}" came too late',
    detail="The row is {row}, of {time}: that time is past.{more}",
    hint="Allow more delay, or say late = 'set aside' to go on without such rows.",
    means="A row arrived later than the source's delay allows, and the source says `late = 'fail'`.",
)
UNWRITABLE_ASIDE = Problem(
    "unwritable-aside",
    'rows of "{source}" that are to be set aside cannot be written',
    detail="{why}.",
    hint="Nothing that was committed is lost: remove the cause and start again.",
    means="Late or malformed rows are to be set aside in the checkpoint, and the file for them "
    "cannot be written.",
)
NO_TIME = Problem(
    "no-time",
    '"{name}" says nothing of its time',
    hint="Declare the column that holds it: CREATE STREAM … TIME column.",
    means="The rows of a source need a time, and nothing says which column holds it.",
)
BAD_INSTANT = Problem(
    "bad-instant",
    'a row of "{name}" has no instant',
    detail="The row is {row}: {why}.",
    hint="Correct the row, or say malformed = 'set aside' to go on without such rows.",
    means="The time of a row is missing, or is before the first or after the last instant there is.",
)
EMPTY_INTERVAL = Problem(
    "empty-interval",
    'a row of "{name}" ends before it begins',
    detail="The row is {row}: {why}, which is not in it.",
    hint="Correct the row, or say malformed = 'set aside' to go on without such rows.",
    means="The end of a row is not later than its beginning, so the row would never hold.",
)
FAR_VALUE = Problem(
    "far-value",
    'a row of "{name}" has a time that no query can read',
    detail="The row is {row}: {why}.",
    hint="Correct the row, or say malformed = 'set aside' to go on without such rows.",
    means="A date or timestamp lies outside of the years 1 to 9999, which are those a query can read.",
)
UNDECODED_TEXT = Problem(
    "malformed-row",
    'a row of "{name}" has a text that is not UTF-8',
    detail="The row is {row}: {why}.",
    hint="Correct the row, or say malformed = 'set aside' to go on without such rows.",
    means="A row of a file does not fit the declared columns: a value cannot be read in its type, "
    "fields are missing, or the text is not in the file's encoding.",
)
MALFORMED_ROW = Problem(
    "malformed-row",
    'a row of "{name}" does not fit its columns',
    detail="The row is {row!r}.{why}{more}",
    hint="Correct the row, or say malformed = 'set aside' to go on without such rows.",
)
