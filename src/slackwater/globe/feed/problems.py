"""What can be wrong with a file of rows that is published."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

LEFT_OUT = "The stream goes on without it."

NO_DECLARATION = Problem(
    "no-declaration",
    'no stream "{name}" is declared',
    hint="Pass --columns and --time, or a program with CREATE STREAM {name} (…) TIME …: --schema FILE.",
    means="A stream of rows is published with its columns and its time, from options or from a program.",
)
NO_TIME = Problem(
    "no-stream-time",
    'stream "{name}" has no time',
    hint="Name the column with the time of a row: TIME ts in its declaration, or --time.",
    means="Between peers, an epoch ends at an instant, so that each row needs a time.",
)
OTHER_CHRONON = Problem(
    "other-chronon",
    "in a network, whole numbers count seconds, and the program sets another chronon",
    hint="Use timestamps, or omit SET CHRONON.",
    means="Queries of a network share one clock: whole numbers are seconds, timestamps are instants.",
)
NO_INPUT = Problem(
    "no-input",
    'stream "{name}" names no file',
    hint="Pass it: --input FILE, or - for stdin; or declare it with FROM 'file.csv'.",
    means="Neither the declaration nor an option says where the rows of a stream are.",
)
NO_ROW_FORMAT = Problem(
    "no-row-format",
    '"{file}" is of no format that can be published: {formats}',
    hint="Pass --format, or name the file by its format.",
    means="The format of a file of rows is known by its ending or by an option.",
)
UNKNOWN_SETTING = Problem(
    "unused-option",
    'the option "{option}" of stream "{name}" has no effect here',
    hint="Use only {known}.",
    means="Some options of a declaration are for Spark's readers; a published file is read without Spark.",
)
BAD_ROW = Problem(
    "bad-row",
    "{place} is malformed: {why}",
    detail=LEFT_OUT,
    severity=Severity.WARNING,
    hint="Correct the row, and publish it again.",
    means="A row does not have the cells or values that were declared; the stream goes on without it.",
)
LATE_ROW = Problem(
    "late-published-row",
    "{place} is late: its time {time} is before {edge}, up to which the stream is complete",
    detail=LEFT_OUT,
    severity=Severity.WARNING,
    hint="Sort the rows by time, or declare how late they may be: WITH (delay = '5 seconds').",
    means="Rows may go back in time only as far as the declared delay; the stream goes on without the row.",
)
ROW_AHEAD = Problem(
    "row-ahead",
    "{place} is ahead of the clock: its time is {time}",
    detail=LEFT_OUT,
    severity=Severity.WARNING,
    hint="Correct the clock of what wrote the row, or raise max_ahead.",
    means="A row is further in the future than max_ahead allows; later rows would all be late after it.",
)
