"""What can be wrong with the meaning of a query."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

UNKNOWN_SOURCE = Problem(
    "unknown-source",
    'stream, relation or view "{name}" does not exist',
    label="not declared",
    detail="Declared are {declared}.",
    hint="Declare it with CREATE STREAM, CREATE RELATION or CREATE VIEW.",
    means="No stream, relation or view has this name.",
)
UNKNOWN_COLUMN = Problem(
    "unknown-column",
    'column "{name}" does not exist',
    label="no such column here",
    detail="{columns}",
    means="No source of the query has this column. The detail lists the columns there are; correct the name.",
)
COLUMN_WITHOUT_FROM = Problem(
    "unknown-column",
    'column "{name}" does not exist',
    label="no such column here",
    detail="There is nothing to take a column from: the query has no FROM.",
)
EMPTY_SELECT_LIST = Problem(
    "empty-select-list",
    "SELECT names no column",
    label="nothing is selected",
    hint="Write SELECT * for all.",
    means="The select list has no columns.",
)
UNKNOWN_ALIAS = Problem(
    "unknown-alias",
    '"{name}" is not one of the sources of this query',
    label="not in FROM",
    detail="FROM names {known}.",
    means="The name before the dot is not in FROM. Use the alias that FROM gives the source.",
)
AMBIGUOUS_COLUMN = Problem(
    "ambiguous-column",
    'column "{name}" could be more than one',
    label="found in {aliases}",
    hint='Say which one, for example "{first}.{name}".',
    means="The column could be that of several sources.",
)
DUPLICATE_ALIAS = Problem(
    "duplicate-alias",
    'two sources of this query are both called "{name}"',
    label="already used in this FROM",
    hint="Give one of them another name with AS.",
    means="Two sources of the query have one name.",
)
DUPLICATE_COLUMN = Problem(
    "duplicate-column",
    'column "{name}" is declared twice',
    label="declared before",
    hint="Rename one of them.",
    means="A column is declared twice, or two columns of the data have one name.",
)
DUPLICATE_SOURCE = Problem(
    "duplicate-source",
    '"{name}" already exists',
    label="declared before",
    hint="Choose another name; a declaration is not replaced.",
    means="The name is taken.",
)
UNKNOWN_TYPE = Problem(
    "unknown-type",
    "there is no type {name}",
    label="not a type of a column",
    hint="Use BOOLEAN, INT, BIGINT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE or TIMESTAMP.",
    means="There is no such type of a column or value. Use one of the types in "
    "[language.md](language.md#types), or in an XQuery one of the `xs:` types.",
)
UNKNOWN_FUNCTION = Problem(
    "unknown-function",
    'function "{name}" does not exist',
    label="no such function",
    hint="docs/functions.md lists the functions there are.",
    means="There is no such function. [functions.md](functions.md) lists those of CQL, "
    "[xquery.md](xquery.md) those of XQuery.",
)
WRONG_FORM = Problem(
    "wrong-arguments",
    "{name} does not take these arguments",
    label="wrong arguments",
    hint="docs/functions.md says what it takes.",
    means="The function exists, and does not take this number or these types of arguments. Cast an "
    "argument, or see [functions.md](functions.md).",
)
CLOCK_FUNCTION = Problem(
    "clock-function",
    "{name} depends on when it is computed",
    label="not the same at every evaluation",
    detail="An answer is exact at every instant of the data's time, whenever it is computed.",
    hint="For what is recent write a window, [RANGE 5 MINUTES]; the time of a row is its time column.",
    means="The function depends on when it is computed.",
)
WRONG_ARGUMENTS = Problem(
    "wrong-arguments",
    "{name} does not take ({types})",
    label="wrong arguments",
    detail="{takes}",
)
TYPE_MISMATCH = Problem(
    "type-mismatch",
    "{what} {one} and {other} do not go together",
    label="no common type",
    hint="Convert one of them, for example CAST(… AS {one}).",
    means="Two types have no type in common.",
)
IMPOSSIBLE_CAST = Problem(
    "impossible-cast",
    "a value of type {source} cannot become one of type {target}",
    label="this is {source}",
    means="No value of the one type can become one of the other. Cast in two steps, through "
    "STRING, or take another column.",
)
NOT_BOOLEAN = Problem(
    "not-boolean",
    "{clause} takes a condition, not a value of type {given}",
    label="this is {given}",
    hint="Compare it with something.",
    means="A condition is expected, not a value.",
)
UNKNOWN_UNIT = Problem(
    "unknown-unit",
    '"{name}" is not a unit of time',
    label="no such unit",
    detail="The units are {known}.",
    means="This is not a unit of time that the function knows. The detail lists the units.",
)
BAD_LITERAL = Problem(
    "bad-literal",
    "{text} is not a value that can be used here",
    label="{why}",
    means="The literal is too large for its type, or is not a value that can be used, such as an "
    "interval of months. The label says why.",
)
NOT_GROUPED = Problem(
    "not-grouped",
    '"{name}" has many values in a group',
    label="neither grouped by nor aggregated",
    hint="Add it to GROUP BY, or aggregate it, for example MAX(…).",
    means="The column is neither grouped by nor aggregated.",
)
MISPLACED_AGGREGATE = Problem(
    "misplaced-aggregate",
    "an aggregate cannot stand in {place}",
    label="not allowed here",
    hint="Filter groups with HAVING; aggregate an aggregate in a query around this one.",
    means="An aggregate cannot stand here.",
)
WINDOW_ON_RELATION = Problem(
    "window-on-relation",
    '"{name}" is a relation and takes no window',
    label="a window turns a stream into a relation",
    hint="Drop the window, or make a stream of the relation first: (Istream(…)) [Range …].",
    means="A relation takes no window.",
)
WINDOW_ON_CHANGING_QUERY = Problem(
    "window-on-changing-query",
    "this subquery gives a relation that may lose rows, so a window on it has no one meaning",
    label="not known to be monotonic",
    detail="Only where rows are never taken back is an omitted Istream put in (CQL, section 6.4).",
    hint="Say which stream is meant: (Istream(…)) [Range …], or Dstream or Rstream.",
    means="A window on a subquery that may lose rows has no one meaning.",
)
CORRELATED_WINDOW = Problem(
    "correlated-window",
    "a window in a subquery depends on a row outside",
    label="what is below looks at {names} of the enclosing query",
    detail="A window is kept once for the whole query; it cannot be another one for each row.",
    hint="Move the condition on the outer column above the window.",
    means="A window in a subquery depends on a row of the enclosing query.",
)
LONG_DURATION = Problem(
    "bad-window",
    "{duration} is too long",
    label="the longest is {longest}",
    hint="Write a shorter one; [RANGE UNBOUNDED] keeps everything.",
)
MANY_ROWS = Problem(
    "bad-window",
    "this number of rows is too large",
    label="the largest is {most}",
    hint="Write a smaller one; [ROWS UNBOUNDED] keeps everything.",
)
UNEVEN_DURATION = Problem(
    "uneven-duration",
    "{duration} is not a whole number of chronons",
    label="one chronon is {chronon}",
    hint="Use a multiple of the chronon, or a finer one: SET CHRONON 1 MILLISECOND.",
    means="The length is not a whole number of chronons.",
)
COLUMN_COUNT = Problem(
    "column-count",
    "{what} needs the same number of columns on both sides, not {left} and {right}",
    label="{left} here and {right} there",
    means="The two sides of a set operation or comparison, or a list and what it names, have "
    "different numbers of columns. Select the same number on both sides.",
)
SUBQUERY_COLUMNS = Problem(
    "subquery-columns",
    "this subquery must give {wanted} column{s}, not {count}",
    label="gives {names}",
    means="A subquery that is compared with a value must give as many columns as the value has. "
    "Select only these.",
)
ROW_COMPARISON = Problem(
    "row-comparison",
    "rows of several columns can be compared with = and <> only, not {operator}",
    label="several columns",
    means="Rows of several columns have no order, so they are compared with = and <> only. Compare "
    "the columns one by one.",
)
UNSUPPORTED_CLAUSE = Problem(
    "unsupported-clause",
    "{clause} is not part of CQL",
    label="not supported",
    detail="{why}",
    hint="{instead}",
    means="The clause is not part of the language, because it has no meaning for a relation that "
    "changes, or none here. The hint says what to write instead.",
)
UNSUPPORTED_EXPRESSION = Problem(
    "unsupported-expression",
    "{what} cannot be used in a query",
    label="not supported",
    hint="docs/language.md lists what an expression may be.",
    means="The expression is not part of the language. The hint, or "
    "[language.md](language.md#what-is-refused), says what to write instead.",
)
WINDOW_FUNCTION = Problem(
    "unsupported-expression",
    "a window function (OVER) cannot be used in a query",
    label="not supported",
    hint="{instead}",
)
BAD_ORDINAL = Problem(
    "bad-ordinal",
    "there is no column {place} to group by",
    label="the select list has {count}",
    means="GROUP BY names a place that the select list does not have. Places count from 1; name "
    "the column instead.",
)
CALENDAR_CHRONON = Problem(
    "calendar-chronon",
    "the chronon of timestamps is always one microsecond",
    label="a source with a timestamp has been declared",
    hint="Drop SET CHRONON; durations may be written in any unit.",
    means="SET CHRONON where time is a timestamp's.",
)
LATE_CHRONON = Problem(
    "late-chronon",
    "this changes how long a chronon is, after durations have been measured",
    label="it was {chronon} so far",
    detail="One program has one time; a view above already counts by the former chronon.",
    hint="Put it before the first view or query.",
    means="The chronon changes after durations have been measured.",
)
UNITLESS_CHRONON = Problem(
    "unitless-chronon",
    "a chronon is a length of time, with a unit",
    label="a number without a unit counts chronons",
    hint="For example SET CHRONON 100 MILLISECONDS.",
    means="SET CHRONON without a unit.",
)
MIXED_TIME = Problem(
    "mixed-time",
    '"{name}" counts time in another way than the sources declared before it',
    label="one is a timestamp, another an integer",
    detail="All sources share one time, or instants of one could not be compared with another's.",
    hint="Convert one of the time columns before it enters.",
    means="One source has timestamps, another integer time.",
)
UNKNOWN_FORMAT = Problem(
    "unknown-format",
    'there is no format "{name}"',
    label="no such format",
    detail="The formats are {known}.",
    means="The format is not one that can be read, or neither FORMAT nor the file's ending says which it is.",
)
BAD_TIME_COLUMN = Problem(
    "bad-time-column",
    '"{name}" cannot be the time: it is {given}',
    label="neither an integer nor a timestamp",
    hint="Declare it as TIMESTAMP, or as an integer type that counts chronons.",
    means="The time is neither an integer nor a timestamp.",
)
UNKNOWN_KEY_COLUMN = Problem(
    "unknown-key-column",
    'the key names "{name}", which is not a column',
    label="not declared",
    detail="The columns are {names}.",
    means="The key names a column that is not declared. Declare the column, or correct the name.",
)
NOT_ONE_QUERY = Problem(
    "not-one-query",
    "one query is expected here, not {found}",
    label="this is {found}",
    means="One query is expected here, and there is none, a declaration or several statements. "
    "Give exactly one SELECT.",
)
DEFAULT_WINDOW = Problem(
    "default-window",
    '[Range Unbounded] is applied to "{name}"',
    label="a stream without a window",
    detail="A stream where a relation is needed is taken from its beginning (CQL, section 6.4).",
    severity=Severity.NOTE,
    means="A note: a stream stands without a window where a relation is needed, so `[Range "
    "Unbounded]` is applied. Write a window if another one is meant.",
)
DEFAULT_ISTREAM = Problem(
    "default-istream",
    "Istream is applied to {what}",
    label="its rows are never taken back",
    detail="A monotonic result is given as the stream of its new rows (CQL, section 6.4).",
    severity=Severity.NOTE,
    means="A note: the answer only grows, so Istream is applied and the answer is a stream. Write "
    "Istream, Dstream or Rstream to say which is meant.",
)
NO_SUCH_ELEMENT = Problem(
    "no-such-element",
    'a record has no element or attribute "{name}" with a value of its own',
    label="not in the schema",
    means="A column is declared that no element or attribute of the record can fill, by the "
    "schema. Correct the column's name.",
)
NO_COLUMNS = Problem(
    "no-columns",
    "nothing says which columns there are",
    label="declared without columns",
    hint="List them, (name TYPE, …), or let a schema tell them: FROM XML '…' RECORD '/…' WITH "
    "(schema = '…').",
    means="A source is declared without columns, and no schema has them.",
)
BAD_RECORD = Problem(
    "bad-record",
    '"{record}" is no path to a record',
    label="declared here",
    hint="Write the names of the elements from the root on: RECORD '/photons/photon'.",
    means="A record of XML is named by its path from the root.",
)

DEFAULT_UNIT = Problem(
    "default-unit",
    "the length is {length}",
    label="a number without a unit",
    detail="Where time is a timestamp, a chronon is a microsecond.",
    hint="Write the unit that is meant: [RANGE 5 MINUTES].",
    severity=Severity.NOTE,
    means="A window over timestamps is given as a number without a unit, so it counts microseconds.",
)
