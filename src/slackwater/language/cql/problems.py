"""What can be wrong with the text of a query."""

from __future__ import annotations

from slackwater.base.problem import Problem

_WINDOWS = "expected Range, Rows, Now, Unbounded, Partition By, Sliding, Fixed or Session"

UNEXPECTED = Problem(
    "syntax",
    'unexpected "{word}"',
    means="The text has a syntax error at the marked place, or just before it: a "
    "missing comma, quote or bracket is reported at the word after it.",
)
UNEXPECTED_END = Problem(
    "syntax",
    "unexpected end of statement",
)
NEVER_CLOSED = Problem(
    "syntax",
    "{what} is never closed",
    label="opened here",
)
NEVER_OPENED = Problem(
    "syntax",
    'unexpected "{word}"',
    label="nothing to close",
)
UNREADABLE = Problem(
    "syntax",
    "the statement cannot be parsed",
)
NOT_A_NAME = Problem(
    "syntax",
    "unexpected {word!r}",
    label="not a name",
    hint="Put names with unusual characters in double quotes.",
)
NOT_A_NUMBER = Problem(
    "syntax",
    '"{word}" is not a number',
)
BARE_SUBQUERY = Problem(
    "syntax",
    "a query in FROM needs parentheses",
    hint="Write FROM (SELECT ...).",
)
MISPLACED = Problem(
    "syntax",
    "{what} is not allowed here",
)
REPEATED_CLAUSE = Problem(
    "syntax",
    "{name} is given twice",
    label="already given",
)
CLAUSE_OF_RELATIONS = Problem(
    "syntax",
    "a stream has no {name}",
    label="only a relation has one",
)
TOO_DEEP = Problem(
    "too-deep",
    "the statement is nested too deeply",
    hint="Name the inner queries with CREATE VIEW or WITH.",
    means="A statement, a chain of views or functions, or a document is nested too deeply. Split it.",
)
UNSUPPORTED_STATEMENT = Problem(
    "unsupported-statement",
    "{words} is not a statement of this language",
    detail="A statement is a query, CREATE or DROP of a STREAM, RELATION, VIEW, SINK or FUNCTION, SHOW, "
    "DESCRIBE, INSERT INTO a sink or SET CHRONON.",
    means="The text begins like a statement of another system. Rows come from sources and "
    "answers go to sinks, so there is no INSERT of values and no UPDATE.",
)
PIVOT_WITHOUT_LIST = Problem(
    "pivot-without-list",
    "PIVOT needs a list of the values that become columns",
    label="no list of values",
    detail="The columns of an answer are known before any data is read, and stay the same.",
    hint="Write the values: kind IN ('a', 'b').",
    means="PIVOT makes a column of each value in a list of constants; without one, or with a query in its "
    "place, the columns would depend on the data.",
)
SEVERAL_ITEMS = Problem(
    "stream-operator-place",
    "{name} must be the only item of its select list",
    hint="Put the whole list into it: SELECT {name}(a, b).",
    means="Istream, Dstream or Rstream is used where it is not allowed.",
)
OPERATOR_IN_EXPRESSION = Problem(
    "stream-operator-place",
    "{name} is not allowed inside an expression",
    label="gives a stream, not a value",
    hint="Write SELECT {name}(...) or {name}(SELECT ...).",
)
BAD_COUNT = Problem(
    "bad-window",
    "the number of rows must be a positive whole number",
    label="not a positive whole number",
    means="The text in the brackets or bars is not a window, or its size is not valid. Write a "
    "positive length with a unit, `[RANGE 5 MINUTES]`, or a positive number of rows, `[ROWS "
    "10]`.",
)
NEGATIVE_LENGTH = Problem(
    "bad-window",
    "the length of a window cannot be negative",
    label="negative",
)
ZERO_LENGTH = Problem(
    "bad-window",
    "this length must be greater than zero",
    label="zero",
)
UNKNOWN_UNIT = Problem(
    "bad-window",
    '"{word}" is not a unit of time',
    label="no such unit",
    detail="The units are {units}.",
)
NOT_A_LENGTH = Problem(
    "bad-window",
    "this is not a length of time",
    hint="Write a number and a unit: 5 MINUTES.",
)
NOT_A_WINDOW = Problem(
    "bad-window",
    '"{word}" does not begin a window',
    label=_WINDOWS,
    hint="For example [RANGE 5 MINUTES].",
)
NO_WINDOW = Problem(
    "bad-window",
    "a window is missing",
    label=_WINDOWS,
    hint="For example [RANGE 5 MINUTES].",
)
