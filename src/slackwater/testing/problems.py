"""What can be wrong with a `.cqt` file."""

from __future__ import annotations

from slackwater.base.problem import Problem

CQT_UNKNOWN_BLOCK = Problem(
    "cqt-unknown-block",
    '"{word}" does not begin a block',
    label="not a block",
    hint="Begin a block with {known} or {last}.",
    means="The line does not begin a block.",
)
CQT_BAD_DECLARATION = Problem(
    "cqt-bad-declaration",
    "this is not the declaration of a {kind}",
    label="cannot be parsed",
    hint="For example: {kind} trades (symbol STRING, price INT){key}.",
    means="The line does not declare a stream or relation.",
)
CQT_BAD_TYPE = Problem(
    "cqt-bad-type",
    "there is no type {word}",
    label="not a column type",
    hint="Use BOOLEAN, INT, BIGINT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE, TIMESTAMP, ARRAY, STRUCT "
    "or MAP.",
    means="There is no such type.",
)
CQT_DUPLICATE_SOURCE = Problem(
    "cqt-duplicate-source",
    '"{word}" is already a stream, relation or view of this case',
    label="already declared",
    hint='Choose another name, or begin a new case with "case".',
    means="The name is already in use in this case.",
)
CQT_DUPLICATE_COLUMN = Problem(
    "cqt-duplicate-column",
    'column "{word}" is named twice',
    label="already named",
    means="A column is named twice. Rename one.",
)
CQT_UNKNOWN_KEY = Problem(
    "cqt-unknown-key",
    'the key names "{word}", which is not a column',
    label="not a column",
    detail="The columns are {known}.",
    means="The key names a column that is not declared. Correct its name.",
)
CQT_MISSING_HEADING = Problem(
    "cqt-missing-heading",
    "the table has no heading",
    label="no line with the names of the columns",
    hint="Begin the table with: {heading}.",
    means="The table has no heading.",
)
CQT_WRONG_HEADING = Problem(
    "cqt-wrong-heading",
    "the heading does not match the columns",
    label="other columns, or another order",
    hint="Write: {heading}.",
    means="The heading does not match the columns.",
)
CQT_WRONG_CELLS = Problem(
    "cqt-wrong-cells",
    "this row has {count} cell{s}, and the heading has {expected}",
    hint="Put a string that contains a bar in double quotes.",
    means="A row has more or fewer cells than the heading.",
)
CQT_BAD_CELL = Problem(
    "cqt-bad-cell",
    'the cell is not a value of column "{column}" of type {type}',
    label="{why}",
    means="A cell does not hold a value of its column's type. Correct the cell or the type.",
)
CQT_BAD_TIME = Problem(
    "cqt-bad-time",
    '"{word}" is not an instant',
    label="not a whole number, 0 or greater",
    detail="Time begins at instant 0 and counts chronons.",
    means="The first cell of a row is not an instant. Write a whole number, 0 or greater.",
)
CQT_BAD_OP = Problem(
    "cqt-bad-op",
    '"{word}" is not an op',
    label="not one of {allowed}",
    means="The op of a row is not one of those allowed here. The label lists them.",
)
CQT_BAD_CHRONON = Problem(
    "cqt-bad-chronon",
    "this is not a length of time",
    label="not a number and a unit",
    hint="For example: chronon 1 second.",
    means="The chronon is not a number and a unit.",
)
CQT_SECOND_CHRONON = Problem(
    "cqt-second-chronon",
    "the chronon is set twice in this case",
    label="already set",
    hint="Remove one of them.",
    means="A case sets the chronon twice. All its sources share one chronon.",
)
CQT_SECOND_UNTIL = Problem(
    "cqt-second-until",
    "the last instant is set twice in this case",
    label="already set",
    hint="Remove one of them.",
    means="A case has two lines `until`.",
)
CQT_LATE_UNTIL = Problem(
    "cqt-late-until",
    '"until" comes after a query',
    label="a query is above it",
    hint="Move it before the first query: it holds for all queries of the case.",
    means="The line `until` holds for all queries of its case and stands before them.",
)
CQT_AFTER_UNTIL = Problem(
    "cqt-after-until",
    "the answer is not computed at this instant",
    label="after {last}, the last instant of this case",
    hint='Check an earlier instant, or change the line "until".',
    means="A check is at an instant after the one that the line `until` names.",
)
CQT_NO_NAME = Problem(
    "cqt-no-name",
    '"{word}" needs {what}',
    label="nothing follows",
    means="The first line of a block is incomplete, for example without the name of a view. Complete it.",
)
CQT_NOT_A_NAME = Problem(
    "cqt-not-a-name",
    '"{word}" is not a name',
    label="letters, digits and _ only",
    means="A name may have letters, digits and _ only. Rename it.",
)
CQT_NO_TEXT = Problem(
    "cqt-no-text",
    "this {word} has no text",
    label="expected its text on the next line",
    hint="Write the text on the next line, without a blank line before it.",
    means="A query or view has no text.",
)
CQT_UNEXPECTED_WORDS = Problem(
    "cqt-unexpected-words",
    "unexpected words at the end of the line",
    label="not expected",
    means="The line should end before these words. Remove them.",
)
CQT_STRAY_CHECK = Problem(
    "cqt-stray-check",
    '"{word}" checks the query before it, and there is none',
    label="no query in this case yet",
    means="A check comes before the first query of its case. Move it below the query that it checks.",
)
CQT_NO_QUERY = Problem(
    "cqt-no-query",
    "this case has no query",
    label="no query in this case",
    hint='Add a "query".',
    means="A case has no query.",
)
CQT_NO_CHECK = Problem(
    "cqt-no-check",
    "this query has no checks",
    label="no check below it",
    hint='Add "at", "changes", "tagged", "emits" or "error".',
    means="A query has no checks.",
)
CQT_MIXED_CHECKS = Problem(
    "cqt-mixed-checks",
    "a query that must fail has no answers to check",
    label="next to other checks",
    hint="Keep either the error or the other checks.",
    means="A query has an `error` and other checks.",
)
CQT_WRONG_CHECK = Problem(
    "cqt-wrong-check",
    '"{word}" does not check a {kind}',
    label="the query gives a {kind}",
    hint="{instead}",
    means="Relations are checked with `at`, `changes` and `tagged`, streams with `emits`. This query "
    "gives the other kind.",
)
