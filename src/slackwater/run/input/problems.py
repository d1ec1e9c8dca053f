"""What can be wrong with the rows that arrive."""

from __future__ import annotations

from slackwater.base.problem import Problem

LATE_ROW = Problem(
    "late-row",
    'a row of "{source}" is late',
    detail="The row is {row}, of {time}, which is before the watermark.{more}",
    hint="Increase delay, or set late = 'set aside' to continue without late rows.",
    means="A row arrived later than the delay of its source allows, and the source has `late = 'fail'`.",
)
UNWRITABLE_ASIDE = Problem(
    "unwritable-aside",
    'late or malformed rows of "{source}" cannot be written',
    detail="{why}.",
    hint="Remove the cause and start again. Committed epochs are not lost.",
    means="Late and malformed rows are set aside in files of the checkpoint, and such a file "
    "cannot be written.",
)
NO_TIME = Problem(
    "no-time",
    '"{name}" has no time column',
    hint="Declare the time column: CREATE STREAM … TIME column.",
    means="The rows of a source need a time, and the source has no time column.",
)
BAD_INSTANT = Problem(
    "bad-instant",
    'a row of "{name}" has no valid time',
    detail="The row is {row}: {why}.",
    hint="Correct the row, or set malformed = 'set aside' to continue without such rows.",
    means="The time of a row is missing, or outside the range of instants.",
)
EMPTY_INTERVAL = Problem(
    "empty-interval",
    'the end of a row of "{name}" is not after its time',
    detail="The row is {row}: {why}. The end is exclusive.",
    hint="Correct the row, or set malformed = 'set aside' to continue without such rows.",
    means="The end of a row is not later than its time, so the row would never be valid.",
)
FAR_VALUE = Problem(
    "far-value",
    'a row of "{name}" has a date or timestamp out of range',
    detail="The row is {row}: {why}.",
    hint="Correct the row, or set malformed = 'set aside' to continue without such rows.",
    means="A date or timestamp is outside the years 1 to 9999.",
)
UNDECODED_TEXT = Problem(
    "malformed-row",
    'a row of "{name}" has a string that is not UTF-8',
    detail="The row is {row}: {why}.",
    hint="Correct the row, or set malformed = 'set aside' to continue without such rows.",
    means="A row of a file does not fit the declared columns: a value is not of the column's type, "
    "fields are missing, or the bytes are not in the encoding of the file.",
)
MALFORMED_ROW = Problem(
    "malformed-row",
    'a row of "{name}" does not fit its columns',
    detail="The row is {row!r}.{why}{more}",
    hint="Correct the row, or set malformed = 'set aside' to continue without such rows.",
)
