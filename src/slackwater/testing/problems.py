"""What can be wrong with a `.cqt` file."""

from __future__ import annotations

from slackwater.base.problem import Problem

CQT_UNKNOWN_BLOCK = Problem(
    "cqt-unknown-block",
    '"{word}" begins no block',
    label="not a block",
    hint="A block begins with {known} or {last}.",
    means="The line begins no block.",
)
CQT_BAD_DECLARATION = Problem(
    "cqt-bad-declaration",
    "this does not declare a {kind}",
    label="cannot be read",
    hint="For example: {kind} trades (symbol STRING, price INT){key}.",
    means="The line does not declare a stream or relation.",
)
CQT_BAD_TYPE = Problem(
    "cqt-bad-type",
    "there is no type {word}",
    label="not a type of a column",
    hint="Use BOOLEAN, INT, BIGINT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE, TIMESTAMP or ARRAY.",
    means="There is no such type.",
)
CQT_DUPLICATE_SOURCE = Problem(
    "cqt-duplicate-source",
    '"{word}" is already a stream, relation or view of this case',
    label="declared before",
    hint='Choose another name, or begin a new story with "case".',
    means="The name is taken in this case.",
)
CQT_DUPLICATE_COLUMN = Problem(
    "cqt-duplicate-column",
    'column "{word}" is named twice',
    label="named before",
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
    hint="Begin the table with: {wanted}.",
    means="The table has no heading.",
)
CQT_WRONG_HEADING = Problem(
    "cqt-wrong-heading",
    "the heading does not name the columns there are",
    label="other columns, or another order",
    hint="Write: {wanted}.",
    means="The heading does not name the columns there are.",
)
CQT_WRONG_CELLS = Problem(
    "cqt-wrong-cells",
    "this row has {given} cell{s}, the heading {wanted}",
    hint="A bar inside a string needs double quotes.",
    means="A row has more or fewer cells than the heading.",
)
CQT_BAD_CELL = Problem(
    "cqt-bad-cell",
    'column "{column}" holds {type} here',
    label="{why}",
    means="A cell does not hold a value of its column's type. Correct the cell or the type.",
)
CQT_BAD_TIME = Problem(
    "cqt-bad-time",
    '"{word}" is not an instant',
    label="not a whole number from 0 on",
    detail="Time begins at instant 0 and counts chronons.",
    means="The first cell of a row is not an instant. Write a whole number from 0 on.",
)
CQT_BAD_OP = Problem(
    "cqt-bad-op",
    '"{word}" is not a change',
    label="not one of {allowed}",
    means="The change of a row is none of those allowed here. The label lists them.",
)
CQT_BAD_CHRONON = Problem(
    "cqt-bad-chronon",
    "this is not a length of time",
    label="not a number and a unit",
    hint="For example: chronon 1 second.",
    means="Not a number and a unit.",
)
CQT_SECOND_CHRONON = Problem(
    "cqt-second-chronon",
    "a case has one chronon",
    label="the second one",
    hint="All sources share one time.",
    means="A case has one chronon.",
)
CQT_NO_NAME = Problem(
    "cqt-no-name",
    '"{word}" needs {what}',
    label="nothing follows",
    means="A block lacks the word after its first, such as the name of a query. Add it.",
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
    label="the query stands on the lines below",
    hint="No blank line may come between.",
    means="A query or view without its text.",
)
CQT_UNEXPECTED_WORDS = Problem(
    "cqt-unexpected-words",
    "nothing may follow here",
    label="not expected",
    means="Words stand where the line should end. Remove them.",
)
CQT_STRAY_CHECK = Problem(
    "cqt-stray-check",
    '"{word}" checks the query before it, and there is none',
    label="no query in this case yet",
    means="A check stands before any query of its case. Move it below the query that it checks.",
)
CQT_NO_QUERY = Problem(
    "cqt-no-query",
    "this case asks nothing",
    label="no query in this case",
    hint='Add a "query".',
    means="A case that asks nothing.",
)
CQT_NO_CHECK = Problem(
    "cqt-no-check",
    "nothing is said of this query's answer",
    label="no check under it",
    hint='Add "at", "changes", "emits" or "error".',
    means="A query of which nothing is said.",
)
CQT_LONELY_ERROR = Problem(
    "cqt-lonely-error",
    "a query that must be refused has no answers",
    label="beside other checks",
    hint="Keep the error or the answers.",
    means="An `error` beside other checks.",
)
CQT_WRONG_CHECK = Problem(
    "cqt-wrong-check",
    '"{word}" does not check a {kind}',
    label="the query gives a {kind}",
    hint="{instead}",
    means="Relations are checked with `at` and `changes`, streams with `emits`, and this query "
    "gives the other kind.",
)
