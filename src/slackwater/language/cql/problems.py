"""What can be wrong with the text of a query."""

from __future__ import annotations

from slackwater.base.problem import Problem

_WINDOWS = "expected Range, Rows, Now, Unbounded, Partition By, Sliding or Fixed"

UNEXPECTED = Problem(
    "syntax",
    'unexpected "{word}"',
    means="The text cannot be read from the marked place on. Correct it there, or just before: a "
    "missing comma, quote or bracket shows at the word after it.",
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
    "the statement cannot be read",
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
    "a query in FROM stands in parentheses",
    hint="Write FROM (SELECT ...).",
)
MISPLACED = Problem(
    "syntax",
    "{what} cannot stand here",
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
    means="A statement, a chain of views or functions, or a document is nested more deeply than "
    "can be handled. Split it.",
)
UNSUPPORTED_STATEMENT = Problem(
    "unsupported-statement",
    "{words} is not a statement of this language",
    detail="A statement is a query, CREATE STREAM, CREATE RELATION, CREATE VIEW or SET CHRONON.",
    means="The text begins like a statement of another system. Data comes from sources, and "
    "answers leave through targets, so there is no INSERT or UPDATE.",
)
SEVERAL_ITEMS = Problem(
    "stream-operator-place",
    "{name} must be the only item of its select list",
    hint="Put the whole list into it: SELECT {name}(a, b).",
    means="Istream, Dstream or Rstream stands where it cannot.",
)
OPERATOR_IN_EXPRESSION = Problem(
    "stream-operator-place",
    "{name} cannot stand inside an expression",
    label="it makes a stream of a relation, not a value",
    hint="Write SELECT {name}(...) or {name}(SELECT ...).",
)
BAD_COUNT = Problem(
    "bad-window",
    "a number of rows is a positive whole number",
    label="not one",
    means="What stands in the brackets or bars is not a window, or its size is not one. Give a "
    "positive length with a unit, `[RANGE 5 MINUTES]`, or a positive number of rows, `[ROWS "
    "10]`.",
)
NEGATIVE_LENGTH = Problem(
    "bad-window",
    "a window cannot be shorter than nothing",
    label="negative",
)
ZERO_LENGTH = Problem(
    "bad-window",
    "this length must be longer than nothing",
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
