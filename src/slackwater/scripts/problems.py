"""What can be wrong with a script of the STREAM prototype and its data files."""

from __future__ import annotations

from slackwater.base.problem import Problem

SCRIPT_UNKNOWN_KEY = Problem(
    "script-unknown-key",
    'a script has no "{key}" entries',
    label="not a key",
    hint="The keys are {keys}.",
    means="A script has no entries of this kind.",
)
SCRIPT_NO_KEY = Problem(
    "script-no-key",
    "this line belongs to no entry",
    label="no key before it",
    hint="Begin an entry with its key and a colon, for example query : select …",
    means="A line of a script belongs to no entry.",
)
SCRIPT_NO_VALUE = Problem(
    "script-no-value",
    '"{key}" has no value',
    label="nothing after the colon",
    means="An entry of a script is empty. Write its value after the colon.",
)
NOTHING_BEFORE = Problem(
    "script-misplaced",
    '"{key}" belongs to the "{before}" before it, and there is none',
    label="no {before} just before",
    means="The entry does not follow the entry that it belongs to. Move it directly after that entry.",
)
SECOND_FOLLOWER = Problem(
    "script-misplaced",
    'this {head} already has a "{key}"',
    label="a second {key}",
    hint="Keep one {key} for each {head}.",
)
SCRIPT_INCOMPLETE = Problem(
    "script-incomplete",
    'this {head} has no "{missing}"',
    label="no {missing} after it",
    hint='Write "{missing} : …" after it.',
    means="A table has no source, or a vquery no vtable.",
)
SCRIPT_NO_QUERY = Problem(
    "script-no-query",
    "the script has no query",
    means="A script has no query. Add a `query` entry.",
)
EMPTY_FILE = Problem(
    "empty-file",
    "the data file is empty",
    detail="Its first line gives the types of its columns.",
    hint="Write that line, for example i,i; no rows may follow it.",
    means="A data file has no first line with the types of its columns.",
)
WRONG_HEADER = Problem(
    "wrong-header",
    'the first line does not match the columns of "{table}"',
    detail="It is {line}; expected {expected}.",
    hint="Use i (integer), f (float), b (byte) and cN (text); the time comes first.",
    means="The first line of a data file does not match the columns of its table.",
)
UNREADABLE_TYPE = Problem(
    "unreadable-type",
    'a data file cannot hold column "{column}" of type {type}',
    hint="Declare it as integer, float, byte or char(n).",
    means="A data file cannot hold a column of this type.",
)
WRONG_CELL_COUNT = Problem(
    "wrong-cell-count",
    "{count} cell{s}, but the first line has {expected}",
    means="A line of a data file has too many or too few cells. Correct the line.",
)
BAD_CELL = Problem(
    "bad-cell",
    '{cell} in column "{column}": {why}',
    means="A cell of a data file does not hold a value of its column's type. Correct the cell, or "
    "the type in the first line.",
)
BAD_SIGN = Problem(
    "bad-sign",
    '{cell} in column "sign": neither + nor -',
    hint="Write + in the second column to insert the row, - to delete it.",
    means="The sign of a relation's line is neither + nor -.",
)
BAD_TIME = Problem(
    "bad-time",
    '{time} in column "time" is not an instant',
    detail="Instants are whole numbers from 0 to 9223372036854775806.",
    means="The time of a line is not an instant. Correct it.",
)
TIME_GOES_BACKWARDS = Problem(
    "time-goes-backwards",
    "time {time} comes after time {last}",
    hint="Sort the rows by their first column.",
    means="A line of a data file is earlier than the one before it.",
)
NUL_BYTE = Problem(
    "nul-byte",
    "the line has a NUL byte in it",
    hint="Check that the file is text, and complete.",
    means="A line of a data file has a NUL byte in it.",
)
