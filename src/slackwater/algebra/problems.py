"""What can be wrong while a query is answered, and with changes of relations."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

UNBOUNDED_STATE = Problem(
    "unbounded-state",
    "{state} of a stream for ever",
    label="no row ever leaves this window",
    detail="The state of the query grows for as long as it runs.",
    hint="Give the stream a window that rows leave, such as [RANGE 1 HOUR].",
    severity=Severity.WARNING,
    means="A warning of `slackwater check`: a join, a set operation, DISTINCT, MEDIAN or SESSION keeps rows "
    "that never leave their window, or an aggregate has groups for windows without end, so the state grows "
    "without bound. Windows by the time of the stream are over at some time, and leave the state.",
)
ARITHMETIC_OVERFLOW = Problem(
    "arithmetic-overflow",
    "the result does not fit into {type}",
    label="the result of {what} is too large here",
    hint="Cast the arguments to double, which has a larger range but is not exact.",
    means="A result does not fit into its type.",
)
SCALAR_SUBQUERY_ROWS = Problem(
    "scalar-subquery-rows",
    "a subquery used as a value has more than one row",
    label="{count} rows at this instant",
    hint="Aggregate the rows to one, or use IN or EXISTS.",
    means="A subquery used as a value has several rows.",
)
ENDLESS_STREAM = Problem(
    "endless-stream",
    "this Rstream would repeat its relation without end",
    label="the relation has rows at too many instants",
    detail="Rstream emits every row of the relation at every instant, and this relation never becomes empty.",
    hint="Apply Rstream to a [Now] window, or use Istream to emit only new rows.",
    means="An Rstream of a relation that never becomes empty has no end.",
)
ENDLESS_RECURSION = Problem(
    "endless-recursion",
    "this recursive query has no end after {rounds:,} rounds",
    label="each round makes new rows",
    detail="A recursive query is computed at each instant, round by round, until a round adds nothing.",
    hint="Bound it in the recursive part, for example WHERE depth < 100; over a graph with cycles use UNION, "
    "not UNION ALL, without a column that counts.",
    means="A recursive query does not come to an end at some instant: its rounds go on making rows.",
)
ENDLESS_SKIP = Problem(
    "endless-skip",
    "after a match the search cannot go on at {variable}",
    label="a match has no row of {variable} behind its first row",
    detail="From the first row of a match the same match would be found again.",
    hint="Write AFTER MATCH SKIP PAST LAST ROW or TO NEXT ROW, or choose a variable that every match has "
    "behind its first row.",
    means="AFTER MATCH SKIP TO names a variable of which a match has no row, or only its first row.",
)
BAD_CAST = Problem(
    "bad-cast",
    "the value {value!r} is not of type {type}",
    label="a {source} is cast here",
    hint="Use TRY_CAST to get NULL for such values.",
    means="A value cannot be converted to the type it is cast to. In CQL use `TRY_CAST`, which "
    "gives NULL for such values; in XQuery test with `castable as` first.",
)
CAST_TOO_LARGE = Problem(
    "bad-cast",
    "the value {value} does not fit into {type}",
    label="a {source} is cast here",
    hint="Use TRY_CAST to get NULL for such values.",
)
UNKNOWN_UNIT = Problem(
    "unknown-unit",
    '"{unit}" is not a unit of time',
    detail="The units are {units}.",
)
ORDER_FAILED = Problem(
    "order-failed",
    'the function of the order "{name}" failed: {why}',
    label="compared by this order",
    detail="It is called with four Polars columns of equal length, r and s of the one pair and of the other.",
    hint="Return a column of booleans of that length: true where the first pair is at least as good.",
    means="The Python function of an order, which `session.register_order` registered, raised an error, or "
    "did not return a column of booleans.",
)
FUNCTION_FAILED = Problem(
    "function-failed",
    'the function "{name}" failed: {why}',
    label="called here",
    detail="It was called with ({row}).",
    hint="Correct the function, or keep such rows from it with WHERE or CASE.",
    means="The Python function of a user raised an error, or did not return a value of its type for a row.",
)
AGGREGATE_FAILED = Problem(
    "function-failed",
    'the aggregate "{name}" failed{method}: {why}',
    label="called here",
    detail="{called}.",
    hint="Correct the aggregate, or keep such rows from it with WHERE or FILTER.",
)
BAD_ESCAPE = Problem(
    "bad-pattern",
    'the escape "{escape}" is not one character',
    hint="Write the escape character twice to mean the character itself.",
)
CUT_PATTERN = Problem(
    "bad-pattern",
    'the pattern "{pattern}" ends with its escape',
    hint="Write the escape character twice to mean the character itself.",
    means="A pattern of LIKE ends with its escape, or the escape is not one character.",
)
DUPLICATE_KEY = Problem(
    "duplicate-key",
    "the relation already has a row with this key",
    label="inserted again",
    detail="At {time} the relation has {row}.",
    hint='Replace it with "u", or delete it first.',
    means="A row is inserted, and the relation already has a row with its key.",
)
ABSENT_ROW = Problem(
    "absent-row",
    "there is no row {row} to delete at {time}",
    label="not in the relation",
    hint="Delete a row with the same values as it was inserted with, and after it was inserted.",
    means="A row is deleted that the relation does not have.",
)
AMBIGUOUS_UPDATE = Problem(
    "ambiguous-update",
    "two rows have the same key at the same instant, and their order is undefined",
    label="one of them",
    detail="At {time} they are {one} and {other}. "
    "The order of files, or of the rows of a DataFrame, is not used.",
    hint="Name a column that orders the changes: sequence = 'column'.",
    means="Two rows have the same key at one instant, and nothing defines which of them is the last.",
)
UPDATE_WITHOUT_KEY = Problem(
    "update-without-key",
    'a relation without a key has no updates ("u")',
    label="no key to find the row that is replaced",
    hint='Declare a key, or write "-" and "+".',
    means="An update (`u`) is used on a relation without a key.",
)
BAD_OP = Problem(
    "bad-op",
    '"{op}" is not an op',
    label="neither +, - nor u",
    hint='Write "+" to insert, "-" to delete, "u" to replace the row with that key.',
    means="The op of a change is neither `+`, `-` nor `u`.",
)
