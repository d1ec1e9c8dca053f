"""What can be wrong with data that is handed over, one function each."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.types import Type
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span


def missing_column(
    name: str, column: str, role: str, given: Iterable[str], origin: Span | None = None
) -> Diagnostic:
    known = list(given)
    return Diagnostic(
        "missing-column",
        f'the data of "{name}" has no column "{column}"',
        origin,
        role,
        detail=f"It has {quoted(known)}.",
        hint=did_you_mean(column, known) or "Name a column the data has.",
        where=None if origin else f'source "{name}"',
    )


def no_header(name: str, file: str, line: str, columns: list[str], origin: Span | None = None) -> Diagnostic:
    return Diagnostic(
        "no-header",
        f'the first line of "{file}" names none of the columns of "{name}"',
        origin,
        "declared here",
        detail=f"The line is {_shown(line)}; the columns are {quoted(columns)}.",
        hint="If the file has no header, write WITH (header = FALSE): its columns are then the time, the op, "
        "and those declared, in this order.",
        where=None if origin else file,
    )


def other_separator(name: str, file: str, line: str, sep: str, origin: Span | None = None) -> Diagnostic:
    written = {"\t": "\\t"}.get(sep, sep)
    return Diagnostic(
        "other-separator",
        f'the first line of "{file}" is one column, and "{name}" has several',
        origin,
        "declared here",
        detail=f"The line is {_shown(line)}.",
        hint=f"If its columns are separated so, write WITH (sep = '{written}').",
        where=None if origin else file,
    )


def _shown(line: str) -> str:
    text = line.rstrip("\r\n")
    return repr(text if len(text) <= 80 else f"{text[:80]}…")


def wrong_type(name: str, column: str, given: Type, declared: Type, origin: Span | None = None) -> Diagnostic:
    return Diagnostic(
        "wrong-type",
        f'column "{column}" of "{name}" is declared {declared}, and the data has {given}',
        origin,
        "declared here",
        hint=f"Declare it {given}, or cast it in the data.",
        where=None if origin else f'source "{name}"',
    )


def wrong_time_type(
    name: str, column: str, given: str, wanted: str, origin: Span | None = None
) -> Diagnostic:
    return Diagnostic(
        "wrong-time-type",
        f'the time of "{name}" is {given}, and must be {wanted}',
        origin,
        f'column "{column}"',
        hint="All sources of a session count time in one way: in whole numbers, or in timestamps.",
        where=None if origin else f'source "{name}"',
    )


def unzoned_time(name: str, column: str, given: str, zone: str, origin: Span | None = None) -> Diagnostic:
    return Diagnostic(
        "unzoned-time",
        f'column "{column}" of "{name}" is a {given}, which instants cannot be compared with',
        origin,
        "declared here",
        detail=f"Times without a zone count as UTC here, and Spark's session takes them for {zone}.",
        hint=f"Say which zone it is: timezone = 'UTC', or timezone = '{zone}'.",
        where=None if origin else f'source "{name}"',
    )


def unknown_column_type(name: str, column: str, given: str) -> Diagnostic:
    return Diagnostic(
        "unknown-column-type",
        f'column "{column}" has the type {given}, which no query can read',
        where=f'source "{name}"',
        hint="Cast it, or leave it out before the data enters.",
    )


def duplicate_column(name: str, columns: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "duplicate-column",
        f'the data of "{name}" has columns of one name: {quoted(list(columns))}',
        where=f'source "{name}"',
        detail="Names are the same in upper and in lower case.",
        hint="Rename one of them in the data.",
    )


def too_large(name: str, column: str, row: int | None = None) -> Diagnostic:
    return Diagnostic(
        "too-large",
        f'column "{column}" has integers that 64 bits with a sign cannot hold',
        where=f'source "{name}"' + ("" if row is None else f", row {row}"),
        detail="A bigint lies between -9223372036854775808 and 9223372036854775807.",
        hint="Give the column as a decimal (decimal.Decimal in Python) or as a text.",
    )


def strange_data(name: str, given: object) -> Diagnostic:
    return Diagnostic(
        "strange-data",
        f"data of the type {type(given).__name__} cannot be read",
        where=f'source "{name}"',
        hint="Hand over a Spark, pandas, Polars or Arrow table, a list of dicts or tuples, or a path.",
    )


def uneven_rows(name: str, why: str) -> Diagnostic:
    return Diagnostic(
        "uneven-rows",
        "these rows do not make a table",
        where=f'source "{name}"',
        detail=why,
        hint="Give every row the same columns, each with values of one type.",
    )


def no_data(name: str, origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "no-data",
        f'nothing says where the rows of "{name}" come from',
        origin,
        "declared without FROM",
        hint="Add FROM 'path' to the declaration, or hand the data over.",
        where=None if origin else f'source "{name}"',
    )


def taken_name(name: str) -> Diagnostic:
    return Diagnostic(
        "taken-name", f'"{name}" is a view', where=f'source "{name}"', hint="Give the data another name."
    )


def declared_otherwise(name: str, clause: str, given: str, declared: str, origin: Span | None) -> Diagnostic:
    there = f'"{declared}"' if declared not in ("", "None") else "none"
    return Diagnostic(
        "declared-otherwise",
        f'the {clause} of "{name}" is given as "{given}", and its declaration has {there}',
        origin,
        "declared here",
        hint=f"Drop {clause}=…, or change the declaration.",
        where=None if origin else f'source "{name}"',
    )


def missing_path(name: str, path: str, origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "missing-path",
        f'there is no file or folder "{path}"',
        origin,
        "its rows come from there",
        hint="Check the path; it is taken from the current folder.",
        where=None if origin else f'source "{name}"',
    )


def unknown_format(name: str, path: str, given: str | None, known: Iterable[str]) -> Diagnostic:
    said = f'there is no format "{given}"' if given else f'nothing says what format "{path}" has'
    return Diagnostic(
        "unknown-format", said, where=f'source "{name}"', hint=f"Say FORMAT and one of {', '.join(known)}."
    )


def bad_option(where: str, option: str, value: str, wanted: str) -> Diagnostic:
    return Diagnostic(
        "bad-option", f'"{value}" is no value for the option "{option}"', where=where, hint=wanted
    )


def key_with_until(name: str) -> Diagnostic:
    return Diagnostic(
        "key-with-until",
        "rows that carry their own end are not replaced, so they need no key",
        where=f'source "{name}"',
        hint="Leave the key out, or the column that says until when.",
    )


def bad_address(name: str, given: str) -> Diagnostic:
    return Diagnostic(
        "bad-address",
        f'"{given}" is no address of a socket',
        where=f'source "{name}"',
        hint="Write host and port, for example localhost:9999.",
    )


def mixed_time(name: str) -> Diagnostic:
    return Diagnostic(
        "mixed-time",
        f'"{name}" counts time in another way than the sources declared before it',
        where=f'source "{name}"',
        detail="Timestamps, and rows by the clock, cannot be compared with times in whole numbers.",
        hint="Convert one of the time columns before it enters, or connect() another session.",
    )


def mixed_clocks(name: str, origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "mixed-clocks",
        f'"{name}" has no TIME, so its rows count by the clock, and other sources count in whole numbers',
        origin,
        "without TIME",
        hint="Declare the column that holds its time.",
        where=None if origin else f'source "{name}"',
    )


def unnamed_column(name: str, column: str) -> Diagnostic:
    return Diagnostic(
        "reserved-column",
        f'column "{column}" begins with @, and such names are ours',
        where=f'source "{name}"',
        hint="Rename it before the data enters.",
    )


def unknown_view(name: str, known: Iterable[str]) -> Diagnostic:
    views = list(known)
    return Diagnostic(
        "unknown-view",
        f'there is no view "{name}"',
        hint=did_you_mean(name, views) or f"There are {quoted(views)}.",
    )


def no_record(name: str, origin: Span | None = None) -> Diagnostic:
    return Diagnostic(
        "no-record",
        f'nothing says which elements of the XML are the rows of "{name}"',
        origin,
        "declared here",
        hint="Declare it with the path of its records: "
        "CREATE STREAM s (a INT) TIME t INT FROM XML 'file.xml' RECORD '/list/record'.",
        where=None if origin else f'source "{name}"',
    )
