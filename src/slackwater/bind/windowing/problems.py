"""What can be wrong with TUMBLE, HOP, CUMULATE and SESSION."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

NOT_A_LENGTH = Problem(
    "bad-window-length",
    "the {part} of {function} must be a constant length of time",
    label="not a constant length of time",
    hint="Write an interval, INTERVAL '10' MINUTE, or a number for windows of a column of numbers.",
    means="A size, slide, step, gap or offset of TUMBLE, HOP, CUMULATE or SESSION is not a constant, is zero "
    "or negative, does not fit the type of the time column, or does not fit the other lengths.",
)
NOT_POSITIVE = Problem(
    "bad-window-length",
    "the {part} of {function} must be longer than 0",
    label="no window is so short",
    hint="Write a positive length, such as INTERVAL '10' MINUTE.",
)
UNEVEN_LENGTH = Problem(
    "bad-window-length",
    "the {part} of {function} is not a whole number of chronons",
    label="a chronon is {chronon}",
    hint="Write a multiple of it, or declare a shorter one: SET CHRONON 1 MILLISECOND.",
)
NO_UNIT = Problem(
    "bad-window-length",
    "the {part} of {function} has no unit",
    label="a length of time is needed: the column is a {type}",
    hint="Write an interval: INTERVAL '10' SECOND.",
)
NUMBERS = Problem(
    "bad-window-length",
    "the {part} of {function} is a length of time, and the column has whole numbers",
    label="what a number of the column counts is not known",
    detail="The time of this program is timestamps.",
    hint="Write a number, in the unit of the column, or convert the column: to_timestamp(…).",
)
DEFAULT_CHRONON = Problem(
    "default-chronon",
    "the {part} of {function} is {count} of the whole numbers of its column",
    label="a length of time beside whole numbers",
    detail="Whole numbers count chronons, and a chronon is {chronon} unless SET CHRONON says otherwise.",
    hint="Write SET CHRONON {stated} to state it, or the length as a number.",
    severity=Severity.NOTE,
    means="The window of a column of whole numbers has a length with a unit, and the program does not say "
    "what one of the numbers is, so they are taken to count chronons of one second.",
)
UNEVEN_STEPS = Problem(
    "bad-window-length",
    "the size of CUMULATE is not a multiple of its step",
    label="the last step would not be whole",
    hint="Choose a step that divides the size: INTERVAL '10' MINUTE, INTERVAL '1' HOUR.",
)
MANY_WINDOWS = Problem(
    "bad-window-length",
    "{function} would put each row into {count} windows",
    label="at most {most} are possible",
    hint="Choose a longer {part}, or a shorter size.",
)
NOT_A_TIME = Problem(
    "wrong-window-time",
    "{function} takes a time or a whole number, not {type}",
    label="neither a timestamp, a date nor an integer",
    hint="Name a column of times, or cast it in a subquery: CAST(text AS TIMESTAMP).",
    means="The time column of TUMBLE, HOP, CUMULATE or SESSION has a type that has no windows.",
)
WINDOW_COLUMN = Problem(
    "window-column",
    'the rows have a column "{name}" already',
    label="{function} adds columns of the names window_start and window_end",
    hint="Rename it in a subquery: TUMBLE((SELECT window_start AS earlier, … FROM …), ts, …).",
    means="The rows that TUMBLE, HOP, CUMULATE or SESSION is applied to have a column of the name of one "
    "that it adds.",
)
TWO_WINDOWS = Problem(
    "window-place",
    "GROUP BY has two windows",
    label="the second one",
    hint="Put one of them into FROM: SELECT … FROM TUMBLE(bid, ts, INTERVAL '10' MINUTE) GROUP BY ….",
    means="A window function stands at a place where it has no meaning: TUMBLE, HOP, SESSION, window and "
    "session_window group rows in GROUP BY, or are table functions in FROM; TUMBLE_START and the like "
    "belong to a window of GROUP BY with the same arguments.",
)
NO_SUCH_WINDOW = Problem(
    "window-place",
    "{function} is of no window of the GROUP BY",
    label="GROUP BY has no {group} with these arguments",
    hint="Write the window into GROUP BY, with the same arguments: GROUP BY {group}(…).",
)
NOT_GROUPED_BY = Problem(
    "window-place",
    "{function} groups rows, and is no value",
    label="not in GROUP BY",
    hint="Write it in GROUP BY, and select its start and end: {start}, {end}.",
)
WRONG_COUNT = Problem(
    "wrong-window-arguments",
    "{function} is called with the wrong number of arguments",
    label="{count}, where it takes {takes}",
    hint="Write {form}.",
    means="A window function of GROUP BY is called with too many or too few arguments.",
)
WINDOW_IN_SETS = Problem(
    "window-place",
    "a window in GROUP BY does not go with grouping sets",
    label="not with ROLLUP, CUBE or GROUPING SETS",
    hint="Use it as a table function, FROM TUMBLE(data, ts, …), and group by window_start and window_end.",
)
