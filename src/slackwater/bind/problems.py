"""What can be wrong with the meaning of a query."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

UNKNOWN_SOURCE = Problem(
    "unknown-source",
    'stream, relation or view "{name}" does not exist',
    label="not declared",
    detail="Declared: {declared}.",
    hint="Declare it with CREATE STREAM, CREATE RELATION or CREATE VIEW.",
    means="No stream, relation or view has this name.",
)
UNKNOWN_COLUMN = Problem(
    "unknown-column",
    'column "{name}" does not exist',
    label="no such column here",
    detail="{columns}",
    means="No source of the query has this column. The detail lists their columns; correct the name.",
)
COLUMN_WITHOUT_FROM = Problem(
    "unknown-column",
    'column "{name}" does not exist',
    label="no such column here",
    detail="The query has no FROM, so it has no columns.",
)
EMPTY_SELECT_LIST = Problem(
    "empty-select-list",
    "the select list is empty",
    label="no columns",
    hint="Write SELECT * for all columns.",
    means="The select list has no columns.",
)
UNKNOWN_ALIAS = Problem(
    "unknown-alias",
    '"{name}" is not one of the sources of this query',
    label="not in FROM",
    detail="FROM has {known}.",
    means="The name before the dot is not in FROM. Use the alias that FROM gives the source.",
)
AMBIGUOUS_COLUMN = Problem(
    "ambiguous-column",
    'column "{name}" is ambiguous',
    label="a column of {aliases}",
    hint='Qualify it, for example "{first}.{name}".',
    means="Several sources of the query have a column of this name.",
)
DUPLICATE_ALIAS = Problem(
    "duplicate-alias",
    'two sources of this query are both called "{name}"',
    label="already used in this FROM",
    hint="Give one of them an alias with AS.",
    means="Two sources of the query have the same name.",
)
DUPLICATE_COLUMN = Problem(
    "duplicate-column",
    'column "{name}" is declared twice',
    label="already declared",
    hint="Rename one of them.",
    means="A column is declared twice, or two columns of the data have the same name.",
)
DUPLICATE_SOURCE = Problem(
    "duplicate-source",
    '"{name}" already exists',
    label="already declared",
    hint="Choose another name, or write CREATE OR REPLACE.",
    means="The name is already in use.",
)
UNKNOWN_TYPE = Problem(
    "unknown-type",
    "there is no type {name}",
    label="not a column type",
    hint="Use BOOLEAN, INT, BIGINT, DOUBLE, DECIMAL(p, s), STRING, BINARY, DATE, TIMESTAMP, "
    "ARRAY<…>, STRUCT<…> or MAP<…>.",
    means="There is no such type. Use one of the types in "
    "[language.md](language.md#types), or in an XQuery one of the `xs:` types.",
)
UNKNOWN_FUNCTION = Problem(
    "unknown-function",
    'function "{name}" does not exist',
    label="no such function",
    hint="See the list of functions in docs/functions.md.",
    means="There is no such function. [functions.md](functions.md) lists those of CQL, "
    "[xquery.md](xquery.md) those of XQuery.",
)
REFUSED_FUNCTION = Problem(
    "refused-function",
    'function "{name}" of Spark is not supported',
    label="not supported",
    detail="{why}",
    hint="See the list of Spark's functions in docs/spark_functions.md.",
    means="The function exists in Spark SQL and is not supported here; the error and "
    "[spark_functions.md](spark_functions.md) say why.",
)
WRONG_FORM = Problem(
    "wrong-arguments",
    "{name} does not take these arguments",
    label="wrong arguments",
    hint="See its arguments in docs/functions.md.",
    means="The function does not take this number or these types of arguments. Cast an "
    "argument, or see [functions.md](functions.md).",
)
CLOCK_FUNCTION = Problem(
    "clock-function",
    "{name} depends on when the query runs",
    label="not deterministic",
    detail="An answer depends only on the data and its event time, not on when it is computed.",
    hint="For recent rows use a window, [RANGE 5 MINUTES], or compare NOW, the instant of the answer, in "
    "WHERE; for the time of a row use its time column.",
    means="The function is not deterministic: its value depends on when the query runs.",
)
WRONG_ARGUMENTS = Problem(
    "wrong-arguments",
    "{name} does not take ({types})",
    label="wrong arguments",
    detail="{takes}",
)
TYPE_MISMATCH = Problem(
    "type-mismatch",
    "{what} {left} and {right} are not compatible",
    label="no common type",
    hint="Convert one of them, for example CAST(… AS {left}).",
    means="Two values have no common type.",
)
IMPOSSIBLE_CAST = Problem(
    "impossible-cast",
    "cannot cast {source} to {target}",
    label="this is {source}",
    means="There is no cast between the two types. Cast in two steps, through STRING, or use another column.",
)
NOT_BOOLEAN = Problem(
    "not-boolean",
    "{clause} takes a condition, not a value of type {type}",
    label="this is {type}",
    hint="Write a comparison, for example … > 0.",
    means="A condition is expected, not a value.",
)
UNKNOWN_UNIT = Problem(
    "unknown-unit",
    '"{name}" is not a unit of time',
    label="no such unit",
    detail="The units are {known}.",
    means="The function does not have this unit of time. The detail lists its units.",
)
BAD_LITERAL = Problem(
    "bad-literal",
    "{text} is not a valid literal",
    label="{why}",
    means="The literal is too large for its type, or not a value of it, such as an "
    "interval of months. The label says why.",
)
NOT_GROUPED = Problem(
    "not-grouped",
    '"{name}" has several values in a group',
    label="neither grouped by nor aggregated",
    hint="Add it to GROUP BY, or aggregate it, for example MAX(…).",
    means="The column is neither grouped by nor aggregated.",
)
MISPLACED_AGGREGATE = Problem(
    "misplaced-aggregate",
    "an aggregate is not allowed in {place}",
    label="not allowed here",
    hint="Filter groups with HAVING; aggregate over an aggregate in an outer query.",
    means="An aggregate is not allowed here.",
)
WINDOW_ON_RELATION = Problem(
    "window-on-relation",
    '"{name}" is a relation and takes no window',
    label="a window turns a stream into a relation",
    hint="Remove the window, or make the relation a stream first: (Istream(…)) [Range …].",
    means="A relation takes no window.",
)
WINDOW_ON_CHANGING_QUERY = Problem(
    "window-on-changing-query",
    "a window needs a stream, and this subquery gives a relation that may lose rows",
    label="not known to be monotonic",
    detail="Istream is the default only for relations that never lose rows (CQL, section 6.4).",
    hint="Write the stream operator: (Istream(…)) [Range …], or Dstream or Rstream.",
    means="A window on a subquery that may lose rows is ambiguous: write Istream, Dstream or Rstream.",
)
CORRELATED_WINDOW = Problem(
    "correlated-window",
    "a window in a subquery depends on a row of the enclosing query",
    label="its input uses {names} of the enclosing query",
    detail="A window is computed once for the whole query, not once for each outer row.",
    hint="Move the condition on the outer column out of the input of the window.",
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
    hint="Use a multiple of the chronon, or a shorter chronon: SET CHRONON 1 MILLISECOND.",
    means="The length is not a whole number of chronons.",
)
COLUMN_COUNT = Problem(
    "column-count",
    "{what} needs the same number of columns on both sides, not {left} and {right}",
    label="{left} here and {right} there",
    means="The two sides of a set operation or comparison, or a column list and its query, have "
    "different numbers of columns. Use the same number on both sides.",
)
VALUE_COUNT = Problem(
    "column-count",
    "every row of VALUES needs the same number of values, not {first} and {count}",
    label="{count} here and {first} in the first row",
)
SUBQUERY_COLUMNS = Problem(
    "subquery-columns",
    "this subquery must give {expected} column{s}, not {count}",
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
    means="The clause is not part of the language, because it has no meaning for a changing "
    "relation, or none here. The hint says what to write instead.",
)
UNSUPPORTED_EXPRESSION = Problem(
    "unsupported-expression",
    "{what} cannot be used in a query",
    label="not supported",
    hint="See the expressions in docs/language.md.",
    means="The expression is not part of the language. The hint, or "
    "[language.md](language.md#what-is-not-supported), says what to write instead.",
)
BAD_ORDINAL = Problem(
    "bad-ordinal",
    "{clause} {place} is not a position in the select list",
    label="the select list has {count}",
    means="GROUP BY or ORDER BY names a position that the select list does not have. Positions count from 1; "
    "name the column instead.",
)
CALENDAR_CHRONON = Problem(
    "calendar-chronon",
    "the chronon of timestamps is always one microsecond",
    label="a source with a timestamp has been declared",
    hint="Remove SET CHRONON; durations may be written in any unit.",
    means="SET CHRONON is used with sources that have timestamps.",
)
LATE_CHRONON = Problem(
    "late-chronon",
    "SET CHRONON after a duration was used",
    label="the chronon is {chronon} so far",
    detail="A program has one chronon, and a view above already uses it.",
    hint="Move SET CHRONON before the first view or query.",
    means="SET CHRONON changes the chronon after durations were measured in it.",
)
UNITLESS_CHRONON = Problem(
    "unitless-chronon",
    "the length of the chronon needs a unit",
    label="a number without a unit",
    hint="For example SET CHRONON 100 MILLISECONDS.",
    means="SET CHRONON needs a length with a unit.",
)
MIXED_TIME = Problem(
    "mixed-time",
    '"{name}" has another kind of time than the sources declared before it',
    label="one is a timestamp, another an integer",
    detail="All sources share one time, so that their instants can be compared.",
    hint="Convert one of the time columns in the data.",
    means="One source has timestamps, another integer time.",
)
UNKNOWN_FORMAT = Problem(
    "unknown-format",
    'there is no format "{name}"',
    label="no such format",
    detail="The formats are {known}.",
    means="The format is unknown, or neither FORMAT nor the file extension says which it is.",
)
BAD_TIME_COLUMN = Problem(
    "bad-time-column",
    '"{name}" cannot be the time column: its type is {type}',
    label="neither an integer nor a timestamp",
    hint="Declare it as TIMESTAMP, or as an integer type that counts chronons.",
    means="The time column is neither an integer nor a timestamp.",
)
UNKNOWN_KEY_COLUMN = Problem(
    "unknown-key-column",
    'the key names "{name}", which is not a column',
    label="not declared",
    detail="The columns are {names}.",
    means="The key names a column that is not declared. Declare the column, or correct the name.",
)
UNKNOWN_COUNTED_COLUMN = Problem(
    "unknown-counted-column",
    'distinct_values names "{name}", which is not a column',
    label="not declared",
    detail="The columns are {names}.",
    means="The option `distinct_values` names a column that is not declared. Correct the name.",
)
NOT_ONE_QUERY = Problem(
    "not-one-query",
    "expected one query, not {content}",
    label="this is {content}",
    means="One query is expected here, and the text has none, a declaration or several statements. "
    "Write exactly one SELECT.",
)
DEFAULT_WINDOW = Problem(
    "default-window",
    '[Range Unbounded] is applied to "{name}"',
    label="a stream without a window",
    detail="It is the default window of a stream where a relation is needed (CQL, section 6.4).",
    severity=Severity.NOTE,
    means="A note: a stream is used without a window where a relation is needed, so `[Range "
    "Unbounded]` is applied. Write a window if you need another one.",
)
DEFAULT_ISTREAM = Problem(
    "default-istream",
    "Istream is applied to {what}",
    label="its rows are never removed",
    detail="It is the default for a monotonic relation (CQL, section 6.4).",
    severity=Severity.NOTE,
    means="A note: the answer only grows, so Istream is applied and the answer is a stream. Write "
    "Istream, Dstream or Rstream to choose.",
)
NO_SUCH_ELEMENT = Problem(
    "no-such-element",
    'a record has no element or attribute "{name}" with a single value',
    label="not in the schema",
    means="By the schema, a record has no element or attribute of this name, or it may occur several "
    "times, or it contains other elements. Correct the name of the column.",
)
NO_COLUMNS = Problem(
    "no-columns",
    "the source has no columns",
    label="declared without columns",
    hint="List them, (name TYPE, …), or name a schema that has them: FROM XML '…' RECORD '/…' WITH "
    "(schema = '…').",
    means="A source is declared without columns, and without a schema that has them.",
)
BAD_RECORD = Problem(
    "bad-record",
    '"{record}" is not the path of a record',
    label="declared here",
    hint="Write the path of the element from the root: RECORD '/photons/photon'.",
    means="RECORD takes the path of an element from the root.",
)

DEFAULT_UNIT = Problem(
    "default-unit",
    "the length is {length}",
    label="a number without a unit",
    detail="With timestamps, a chronon is a microsecond.",
    hint="Write a unit: [RANGE 5 MINUTES].",
    severity=Severity.NOTE,
    means="The length of a window over timestamps has no unit, so it is in microseconds.",
)
