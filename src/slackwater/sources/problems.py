"""What can be wrong with the data of a source, and with its location."""

from __future__ import annotations

from slackwater.base.problem import Problem

MISSING_COLUMN = Problem(
    "missing-column",
    'the data of "{name}" has no column "{column}"',
    label="{role}",
    detail="It has {known}.",
    hint="Use the name of a column of the data.",
    means="The declaration or the call names a column for the time, the key or a value, and the "
    "data has no such column.",
)
NO_HEADER = Problem(
    "no-header",
    'the first line of "{file}" has none of the columns of "{name}"',
    label="declared here",
    detail="The line is {line}; the columns are {columns}.",
    hint="If the file has no header, write WITH (header = FALSE): its columns are then the time, "
    "the op and the declared columns, in this order.",
    means="The first line of a CSV file is read as its header, and it has none of the declared columns.",
)
OTHER_SEPARATOR = Problem(
    "other-separator",
    'the first line of "{file}" has one column, and "{name}" has several',
    label="declared here",
    detail="The line is {line}.",
    hint="If this is the separator, write WITH (sep = '{separator}').",
    means="The first line of a CSV file has one column where several are declared, so it probably "
    "uses another separator.",
)
OTHER_ENCODING = Problem(
    "other-encoding",
    '"{file}" is not in {expected}, the encoding of "{name}"',
    label="declared here",
    detail="Its first bytes are those of {actual}.",
    hint="Write encoding = '{actual}'.",
    means="A text file begins with bytes of another encoding than the one of its source, which is UTF-8 "
    "by default.",
)
OTHER_LINE_END = Problem(
    "other-line-end",
    'the first line of "{file}" does not end in the lineSep of "{name}"',
    label="declared here",
    detail="The lineSep is {end}, and the text before the first one is {line}.",
    hint="Remove lineSep: lines that end in LF or CRLF need none.",
    means="The lines of the file do not end in the separator of the option lineSep.",
)
WRONG_TYPE = Problem(
    "wrong-type",
    'column "{column}" of "{name}" is declared as {declared}, and the data has {actual}',
    label="declared here",
    hint="Declare it as {actual}, or cast it in the data.",
    means="A column of the data has a type that does not fit the declared one.",
)
WRONG_TIME_TYPE = Problem(
    "wrong-time-type",
    'the time of "{name}" is {actual}, and must be {expected}',
    label='column "{column}"',
    hint="Use integer time in all sources of a session, or timestamps in all of them.",
    means="The sources of a session all have integer time or all have timestamps, and "
    "this source has the other kind.",
)
UNZONED_TIME = Problem(
    "unzoned-time",
    'column "{column}" of "{name}" is a {type}, which cannot be compared with instants',
    label="declared here",
    detail="Times without a zone are UTC in slackwater, but {zone} in the Spark session.",
    hint="Set the zone: timezone = 'UTC', or timezone = '{zone}'.",
    means="A column has times without a zone and is compared with instants, which have one. "
    "The zone of the times is not known.",
)
UNKNOWN_COLUMN_TYPE = Problem(
    "unknown-column-type",
    'column "{column}" has the unsupported type {type}',
    hint="Cast the column, or drop it, before you register the data.",
    means="The data has a column of a type that is not supported.",
)
DUPLICATE_COLUMN = Problem(
    "duplicate-column",
    'the data of "{name}" has several columns of the same name: {columns}',
    detail="Names are not case-sensitive.",
    hint="Rename one of them in the data.",
)
TOO_LARGE = Problem(
    "too-large",
    'column "{column}" has integers that do not fit into 64 bits',
    detail="A bigint is between -9223372036854775808 and 9223372036854775807.",
    hint="Use a decimal (decimal.Decimal in Python) or a string.",
    means="A column has integers that do not fit into a BIGINT.",
)
UNSUPPORTED_DATA = Problem(
    "unsupported-data",
    "data of the type {kind} cannot be read",
    hint="Pass a Spark, pandas, Polars or Arrow table, a list of dicts or tuples, or a path.",
    means="The data is neither a table, nor rows, nor a path.",
)
UNEVEN_ROWS = Problem(
    "uneven-rows",
    "these rows do not make a table",
    detail="{why}",
    hint="Use the same columns in every row, each with values of one type.",
    means="The rows have different columns, or one column has values of different types.",
)
NO_DATA = Problem(
    "no-data",
    'source "{name}" has no data',
    label="declared without FROM",
    hint="Add FROM 'path' to the declaration, or register its data with s.stream or s.relation "
    "(--source on the command line).",
    means="A source is declared without FROM, and no data was registered for it before the query "
    "was started.",
)
TAKEN_NAME = Problem(
    "taken-name",
    '"{name}" is a view',
    hint="Choose another name for the data.",
    means="Data is registered under the name of a view. A view is computed, so it takes no data.",
)
DECLARED_OTHERWISE = Problem(
    "declared-otherwise",
    'the {clause} of "{name}" is "{value}" in the call and {declared} in the declaration',
    label="declared here",
    hint="Remove {clause}=…, or change the declaration.",
    means="The call and the declaration of a source name different time, key or op columns.",
)
MISSING_PATH = Problem(
    "missing-path",
    'there is no file or folder "{path}"',
    label="its rows come from there",
    hint="Check the path; it is relative to the current folder.",
    means="The path of a source does not exist, or a pattern matches no file.",
)
UNKNOWN_FORMAT = Problem(
    "unknown-format",
    'there is no format "{format}"',
    hint="Write FORMAT and one of {formats}.",
)
NO_FORMAT = Problem(
    "unknown-format",
    'the format of "{path}" is not known',
    hint="Write FORMAT and one of {formats}.",
)
KEY_WITH_UNTIL = Problem(
    "key-with-until",
    "a relation cannot have both a key and until",
    hint="Remove the key, or remove until.",
    means="A relation has both a key and an `until` column with the end of each row. Rows with an "
    "end are not replaced by key.",
)
BAD_ADDRESS = Problem(
    "bad-address",
    '"{address}" is not the address of a socket',
    hint="Write host and port, for example localhost:9999.",
    means="The address of a socket source is not of the form host:port.",
)
MIXED_TIME = Problem(
    "mixed-time",
    '"{name}" has another kind of time than the sources declared before it',
    detail="Timestamps and times of arrival cannot be compared with integer time.",
    hint="Convert one of the time columns in the data, or use another session.",
)
MIXED_CLOCKS = Problem(
    "mixed-clocks",
    '"{name}" has no TIME, so its rows have the time of their arrival; other sources have integer time',
    label="without TIME",
    hint="Declare the column that holds its time.",
    means="The rows of a source without TIME have the time of their arrival, and the other sources have "
    "integer time. The two cannot be compared.",
)
RESERVED_COLUMN = Problem(
    "reserved-column",
    'column "{column}" begins with @, which is reserved',
    hint="Rename the column in the data.",
    means="Column names that begin with @ are reserved for internal use.",
)
UNKNOWN_VIEW = Problem(
    "unknown-view",
    'there is no view "{name}"',
    hint="There are {views}.",
    means="No view has this name.",
)
NO_RECORD = Problem(
    "no-record",
    'the XML source "{name}" has no RECORD',
    label="declared here",
    hint="Declare it with the path of its records: CREATE STREAM s (a INT) TIME t INT FROM XML "
    "'file.xml' RECORD '/list/record'.",
    means="An XML source needs the path of the elements that are its rows.",
)
CUT_FIELD = Problem(
    "cut-field",
    'a quoted field of "{source}" is not closed in its line',
    detail="The line is {line!r}. The file is read line by line, so the field would be cut off.",
    hint="Set multiLine = TRUE if fields contain line breaks, or close the quote.",
    means="A quoted field of a CSV file is not closed in its line. Files are read line by line "
    "unless `multiLine` is set.",
)
