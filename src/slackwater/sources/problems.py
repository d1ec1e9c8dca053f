"""What can be wrong with data that is handed over, and with where it comes from."""

from __future__ import annotations

from slackwater.base.problem import Problem

MISSING_COLUMN = Problem(
    "missing-column",
    'the data of "{name}" has no column "{column}"',
    label="{role}",
    detail="It has {known}.",
    hint="Name a column the data has.",
    means="The declaration or the call names a column for the time, the key or a value, and the "
    "data has none of that name.",
)
NO_HEADER = Problem(
    "no-header",
    'the first line of "{file}" names none of the columns of "{name}"',
    label="declared here",
    detail="The line is {line}; the columns are {columns}.",
    hint="If the file has no header, write WITH (header = FALSE): its columns are then the time, "
    "the op, and those declared, in this order.",
    means="The first line of a CSV file is read as its header, and none of the declared columns is in it.",
)
OTHER_SEPARATOR = Problem(
    "other-separator",
    'the first line of "{file}" is one column, and "{name}" has several',
    label="declared here",
    detail="The line is {line}.",
    hint="If its columns are separated so, write WITH (sep = '{written}').",
    means="The first line of a CSV file has one column where several are declared, so it probably "
    "uses another separator.",
)
OTHER_ENCODING = Problem(
    "other-encoding",
    '"{file}" is not in {said}, as the files of "{name}" are to be',
    label="declared here",
    detail="Its first bytes are those of {found}.",
    hint="Write encoding = '{found}'.",
    means="A text file begins with bytes of another encoding than is said; unless something is said, that is "
    "UTF-8.",
)
OTHER_LINE_END = Problem(
    "other-line-end",
    'the first line of "{file}" does not end in the lineSep of "{name}"',
    label="declared here",
    detail="The lineSep is {end}, and before the first one stands {line}.",
    hint="Drop lineSep: lines that end in a line feed, with or without a carriage return, need none.",
    means="The option lineSep says that lines end otherwise than those of the file do.",
)
WRONG_TYPE = Problem(
    "wrong-type",
    'column "{column}" of "{name}" is declared {declared}, and the data has {given}',
    label="declared here",
    hint="Declare it {given}, or cast it in the data.",
    means="A column of the data has a type that does not fit the declared one.",
)
WRONG_TIME_TYPE = Problem(
    "wrong-time-type",
    'the time of "{name}" is {given}, and must be {wanted}',
    label='column "{column}"',
    hint="All sources of a session count time in one way: in whole numbers, or in timestamps.",
    means="All sources of a session count time in one way, in whole numbers or in timestamps, and "
    "this source counts in the other.",
)
UNZONED_TIME = Problem(
    "unzoned-time",
    'column "{column}" of "{name}" is a {given}, which instants cannot be compared with',
    label="declared here",
    detail="Times without a zone count as UTC here, and Spark's session takes them for {zone}.",
    hint="Say which zone it is: timezone = 'UTC', or timezone = '{zone}'.",
    means="A column has times without a zone, and is compared with instants, which have one. "
    "Nothing says which zone the times are in.",
)
UNKNOWN_COLUMN_TYPE = Problem(
    "unknown-column-type",
    'column "{column}" has the type {given}, which no query can read',
    hint="Cast it, or leave it out before the data enters.",
    means="The data has a column of a type that no query can read.",
)
DUPLICATE_COLUMN = Problem(
    "duplicate-column",
    'the data of "{name}" has columns of one name: {columns}',
    detail="Names are the same in upper and in lower case.",
    hint="Rename one of them in the data.",
)
TOO_LARGE = Problem(
    "too-large",
    'column "{column}" has integers that 64 bits with a sign cannot hold',
    detail="A bigint lies between -9223372036854775808 and 9223372036854775807.",
    hint="Give the column as a decimal (decimal.Decimal in Python) or as a text.",
    means="A column has integers that do not fit into a BIGINT.",
)
STRANGE_DATA = Problem(
    "strange-data",
    "data of the type {kind} cannot be read",
    hint="Hand over a Spark, pandas, Polars or Arrow table, a list of dicts or tuples, or a path.",
    means="What was handed over is not a table, not rows and not a path.",
)
UNEVEN_ROWS = Problem(
    "uneven-rows",
    "these rows do not make a table",
    detail="{why}",
    hint="Give every row the same columns, each with values of one type.",
    means="Rows that were handed over have different columns, or one column has values of different types.",
)
NO_DATA = Problem(
    "no-data",
    'nothing says where the rows of "{name}" come from',
    label="declared without FROM",
    hint="Add FROM 'path' to the declaration, or hand the data over.",
    means="A source is declared without FROM, and no data was handed over for it before the query "
    "is started.",
)
TAKEN_NAME = Problem(
    "taken-name",
    '"{name}" is a view',
    hint="Give the data another name.",
    means="Data was handed over under the name of a view. Views are computed, so they take no data.",
)
DECLARED_OTHERWISE = Problem(
    "declared-otherwise",
    'the {clause} of "{name}" is given as "{given}", and its declaration has {there}',
    label="declared here",
    hint="Drop {clause}=…, or change the declaration.",
    means="Data for a declared source names another time, key or op column than its declaration does.",
)
MISSING_PATH = Problem(
    "missing-path",
    'there is no file or folder "{path}"',
    label="its rows come from there",
    hint="Check the path; it is taken from the current folder.",
    means="The path of a source does not exist, or a pattern matches no file.",
)
UNKNOWN_FORMAT = Problem(
    "unknown-format",
    'there is no format "{given}"',
    hint="Say FORMAT and one of {formats}.",
)
NO_FORMAT = Problem(
    "unknown-format",
    'nothing says what format "{path}" has',
    hint="Say FORMAT and one of {formats}.",
)
KEY_WITH_UNTIL = Problem(
    "key-with-until",
    "rows that carry their own end are not replaced, so they need no key",
    hint="Leave the key out, or the column that says until when.",
    means="A relation has both a key and a column that says until when its rows hold. With an end "
    "of their own, rows are not replaced by key.",
)
BAD_ADDRESS = Problem(
    "bad-address",
    '"{given}" is no address of a socket',
    hint="Write host and port, for example localhost:9999.",
    means="The address of a socket source is not of the form host:port.",
)
MIXED_TIME = Problem(
    "mixed-time",
    '"{name}" counts time in another way than the sources declared before it',
    detail="Timestamps, and rows by the clock, cannot be compared with times in whole numbers.",
    hint="Convert one of the time columns before it enters, or connect() another session.",
)
MIXED_CLOCKS = Problem(
    "mixed-clocks",
    '"{name}" has no TIME, so its rows count by the clock, and other sources count in whole numbers',
    label="without TIME",
    hint="Declare the column that holds its time.",
    means="A source without TIME counts its rows by the clock, and the other sources count time in "
    "whole numbers. The two cannot be compared.",
)
RESERVED_COLUMN = Problem(
    "reserved-column",
    'column "{column}" begins with @, and such names are ours',
    hint="Rename it before the data enters.",
    means="Column names that begin with @ are reserved for internal use.",
)
UNKNOWN_VIEW = Problem(
    "unknown-view",
    'there is no view "{name}"',
    hint="There are {views}.",
    means="A view is asked for by a name that no view has.",
)
NO_RECORD = Problem(
    "no-record",
    'nothing says which elements of the XML are the rows of "{name}"',
    label="declared here",
    hint="Declare it with the path of its records: CREATE STREAM s (a INT) TIME t INT FROM XML "
    "'file.xml' RECORD '/list/record'.",
    means="Nothing says which elements of the XML are the rows of the source.",
)
CUT_FIELD = Problem(
    "cut-field",
    'a quoted field of "{source}" does not end in its line',
    detail="The line is {line!r}. Lines are read one by one, so the field would be cut short.",
    hint="Say multiLine = TRUE where fields have line breaks in them, or close the quote.",
    means="A quoted field of a CSV file is not closed in its line. Files are read line by line "
    "unless `multiLine` is set.",
)
