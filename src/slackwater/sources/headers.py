"""The first line of a CSV file: which of its columns are read, or why it cannot be a header."""

from __future__ import annotations

import bz2
import csv
import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO, cast

from pyspark.sql.types import StringType, StructField, StructType

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Span
from slackwater.sources import frame_errors as errors
from slackwater.sources.encodings import encoding_of

_MOST = 1 << 20
"""How many characters of a file are searched for the end of its first line."""


def by_header(
    name: str, origin: Span | None, file: str, options: Mapping[str, str], schema: StructType
) -> StructType:
    """The columns of the header: those of the schema with their types, the others as texts.

    Raises EngineError where columns of the schema are missing.
    """
    try:
        line = _first_line(file, options)
    except (OSError, EOFError, LookupError):
        return schema  # Spark reports what is wrong with the file when it reads it.
    if "\n" in line.rstrip("\r\n"):
        raise EngineError(errors.other_line_end(name, file, _line_end(options) or "", line, origin))
    sep, quote = options["sep"], options["quote"] or '"'
    is_plain = len(sep) == 1 and len(quote) == 1
    heading = next(csv.reader([line], delimiter=sep, quotechar=quote), []) if is_plain else line.split(sep)
    names = [column.strip() for column in heading]
    if not any(names):
        return schema
    if mistake := _mistake(name, origin, file, line, names, schema):
        raise EngineError(mistake)
    check_names(name, names)
    demand(name, origin, schema, names)
    known = {field.name.lower(): field for field in schema.fields}
    return StructType(
        [
            StructField(
                heading_name, known[plain.lower()].dataType if plain.lower() in known else StringType()
            )
            for heading_name, plain in zip(heading, names, strict=True)
        ]
    )


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise EngineError for duplicate names, and for names that are reserved."""
    lowered = [column.lower() for column in columns]
    twice = [column for column in columns if column and lowered.count(column.lower()) > 1]
    mistakes = [errors.unnamed_column(name, column) for column in columns if column.startswith("@")]
    mistakes += [errors.duplicate_column(name, twice)] if twice else []
    if mistakes:
        raise EngineError(mistakes)


def demand(name: str, origin: Span | None, schema: StructType, names: list[str]) -> None:
    """Raise EngineError with every column of the schema that is not among the names."""
    known = {column.lower() for column in names}
    missing = [column for column in schema.names if column.lower() not in known]
    if missing:
        raise EngineError(
            [errors.missing_column(name, column, "declared here", names, origin) for column in missing]
        )


def _first_line(file: str, options: Mapping[str, str]) -> str:
    encoding = encoding_of(options)
    opener = {".gz": gzip.open, ".bz2": bz2.open}.get(Path(file).suffix, open)
    encoding = "utf-8-sig" if encoding == "UTF-8" else encoding
    with cast(TextIO, opener(file, "rt", encoding=encoding, errors="replace", newline="")) as lines:  # type: ignore[operator]
        end = _line_end(options)
        return lines.readline() if end is None else lines.read(_MOST).partition(end)[0]


def _line_end(options: Mapping[str, str]) -> str | None:
    return next((value for key, value in options.items() if key.lower() == "linesep"), None)


def _mistake(
    name: str, origin: Span | None, file: str, line: str, names: list[str], schema: StructType
) -> Diagnostic | None:
    """What is wrong with a first line that cannot be the header of these columns."""
    lowered = [column.lower() for column in names]
    missing = [column for column in schema.names if column.lower() not in lowered]
    other = next((sep for sep in (";", "\t", "|", ",") if sep in line), None)
    if missing and len(names) == 1 and len(schema.names) > 1 and other is not None:
        return errors.other_separator(name, file, line, other, origin)
    if len(missing) == len(schema.names):
        return errors.no_header(name, file, line, schema.names, origin)
    return None
