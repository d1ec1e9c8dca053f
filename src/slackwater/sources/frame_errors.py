"""What can be wrong with a source: one function for each diagnostic."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.types import Type
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.language.problems import BAD_OPTION
from slackwater.sources import problems


def missing_column(
    name: str, column: str, role: str, columns: Iterable[str], origin: Span | None = None
) -> Diagnostic:
    known = list(columns)
    return problems.MISSING_COLUMN.at(
        origin,
        where=f'source "{name}"',
        name=name,
        column=column,
        known=quoted(known),
        role=role,
        hint=did_you_mean(column, known),
    )


def no_header(name: str, file: str, line: str, columns: list[str], origin: Span | None = None) -> Diagnostic:
    return problems.NO_HEADER.at(
        origin,
        where=file,
        file=file,
        name=name,
        line=_shown(line),
        columns=quoted(columns),
    )


def other_separator(name: str, file: str, line: str, sep: str, origin: Span | None = None) -> Diagnostic:
    separator = {"\t": "\\t"}.get(sep, sep)
    return problems.OTHER_SEPARATOR.at(
        origin, where=file, file=file, name=name, line=_shown(line), separator=separator
    )


def other_line_end(name: str, file: str, end: str, line: str, origin: Span | None = None) -> Diagnostic:
    return problems.OTHER_LINE_END.at(
        origin, where=file, name=name, file=file, end=repr(end), line=_shown(line)
    )


def _shown(line: str) -> str:
    text = line.rstrip("\r\n")
    return repr(text if len(text) <= 80 else f"{text[:80]}…")


def wrong_type(
    name: str, column: str, actual: Type, declared: Type, origin: Span | None = None
) -> Diagnostic:
    return problems.WRONG_TYPE.at(
        origin,
        where=f'source "{name}"',
        column=column,
        name=name,
        declared=declared,
        actual=actual,
    )


def wrong_time_type(
    name: str, column: str, actual: str, expected: str, origin: Span | None = None
) -> Diagnostic:
    return problems.WRONG_TIME_TYPE.at(
        origin,
        where=f'source "{name}"',
        name=name,
        actual=actual,
        expected=expected,
        column=column,
    )


def unzoned_time(name: str, column: str, actual: str, zone: str, origin: Span | None = None) -> Diagnostic:
    return problems.UNZONED_TIME.at(
        origin, where=f'source "{name}"', column=column, name=name, type=actual, zone=zone
    )


def unknown_column_type(name: str, column: str, type_: str) -> Diagnostic:
    return problems.UNKNOWN_COLUMN_TYPE.at(where=f'source "{name}"', column=column, type=type_)


def duplicate_column(name: str, columns: Iterable[str]) -> Diagnostic:
    return problems.DUPLICATE_COLUMN.at(where=f'source "{name}"', name=name, columns=quoted(list(columns)))


def too_large(name: str, column: str, row: int | None = None) -> Diagnostic:
    return problems.TOO_LARGE.at(
        where=f'source "{name}"' + ("" if row is None else f", row {row}"), column=column
    )


def unsupported_data(name: str, data: object) -> Diagnostic:
    return problems.UNSUPPORTED_DATA.at(where=f'source "{name}"', kind=type(data).__name__)


def uneven_rows(name: str, why: str) -> Diagnostic:
    return problems.UNEVEN_ROWS.at(where=f'source "{name}"', why=why)


def no_data(name: str, origin: Span | None) -> Diagnostic:
    return problems.NO_DATA.at(origin, where=f'source "{name}"', name=name)


def taken_name(name: str) -> Diagnostic:
    return problems.TAKEN_NAME.at(where=f'source "{name}"', name=name)


def declared_otherwise(name: str, clause: str, value: str, declared: str, origin: Span | None) -> Diagnostic:
    there = f'"{declared}"' if declared not in ("", "None") else "none"
    return problems.DECLARED_OTHERWISE.at(
        origin,
        where=f'source "{name}"',
        clause=clause,
        name=name,
        value=value,
        declared=there,
    )


def missing_path(name: str, path: str, origin: Span | None) -> Diagnostic:
    return problems.MISSING_PATH.at(origin, where=f'source "{name}"', path=path)


def unknown_format(name: str, path: str, format_: str | None, known: Iterable[str]) -> Diagnostic:
    where, formats = f'source "{name}"', ", ".join(known)
    if format_:
        return problems.UNKNOWN_FORMAT.at(where=where, format=format_, formats=formats)
    return problems.NO_FORMAT.at(where=where, path=path, formats=formats)


def bad_option(where: str, option: str, value: str, hint: str) -> Diagnostic:
    return BAD_OPTION.at(where=where, value=value, option=option, expected=hint)


def key_with_until(name: str) -> Diagnostic:
    return problems.KEY_WITH_UNTIL.at(where=f'source "{name}"')


def bad_address(name: str, address: str) -> Diagnostic:
    return problems.BAD_ADDRESS.at(where=f'source "{name}"', address=address)


def mixed_time(name: str) -> Diagnostic:
    return problems.MIXED_TIME.at(where=f'source "{name}"', name=name)


def mixed_clocks(name: str, origin: Span | None) -> Diagnostic:
    return problems.MIXED_CLOCKS.at(origin, where=f'source "{name}"', name=name)


def unnamed_column(name: str, column: str) -> Diagnostic:
    return problems.RESERVED_COLUMN.at(where=f'source "{name}"', column=column)


def unknown_view(name: str, known: Iterable[str]) -> Diagnostic:
    views = list(known)
    return problems.UNKNOWN_VIEW.at(name=name, views=quoted(views), hint=did_you_mean(name, views))


def no_record(name: str, origin: Span | None = None) -> Diagnostic:
    return problems.NO_RECORD.at(origin, where=f'source "{name}"', name=name)
