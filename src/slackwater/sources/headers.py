"""The first line of a CSV file: which of its columns are wanted, or why it can be no header."""

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
"""So many characters of a file are looked at for the end of its first line."""


def by_header(
    name: str, origin: Span | None, file: str, options: Mapping[str, str], wanted: StructType
) -> StructType:
    """The columns as the header writes them, those wanted with their types and the others as texts.

    Raises EngineError where wanted columns are missing.
    """
    try:
        line = _first_line(file, options)
    except (OSError, EOFError, LookupError):
        return wanted  # Spark says what is wrong with the file when it reads it.
    if "\n" in line.rstrip("\r\n"):
        raise EngineError(errors.other_line_end(name, file, _line_end(options) or "", line, origin))
    sep, quote = options["sep"], options["quote"] or '"'
    is_plain = len(sep) == 1 and len(quote) == 1
    heading = next(csv.reader([line], delimiter=sep, quotechar=quote), []) if is_plain else line.split(sep)
    names = [each.strip() for each in heading]
    if not any(names):
        return wanted
    if mistake := _mistake(name, origin, file, line, names, wanted):
        raise EngineError(mistake)
    check_names(name, names)
    demand(name, origin, wanted, names)
    known = {field.name.lower(): field for field in wanted.fields}
    return StructType(
        [
            StructField(written, known[plain.lower()].dataType if plain.lower() in known else StringType())
            for written, plain in zip(heading, names, strict=True)
        ]
    )


def check_names(name: str, columns: Sequence[str]) -> None:
    """Refuse columns whose names could be confused with each other or with ours; raises EngineError."""
    lowered = [each.lower() for each in columns]
    twice = [each for each in columns if each and lowered.count(each.lower()) > 1]
    mistakes = [errors.unnamed_column(name, each) for each in columns if each.startswith("@")]
    mistakes += [errors.duplicate_column(name, twice)] if twice else []
    if mistakes:
        raise EngineError(mistakes)


def demand(name: str, origin: Span | None, wanted: StructType, given: list[str]) -> None:
    """Raise EngineError with every wanted column that is not given."""
    known = {each.lower() for each in given}
    missing = [each for each in wanted.names if each.lower() not in known]
    if missing:
        raise EngineError(
            [errors.missing_column(name, each, "declared here", given, origin) for each in missing]
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
    name: str, origin: Span | None, file: str, line: str, names: list[str], wanted: StructType
) -> Diagnostic | None:
    """What is wrong with a first line that can be no header of these columns."""
    lowered = [each.lower() for each in names]
    missing = [each for each in wanted.names if each.lower() not in lowered]
    other = next((sep for sep in (";", "\t", "|", ",") if sep in line), None)
    if missing and len(names) == 1 and len(wanted.names) > 1 and other is not None:
        return errors.other_separator(name, file, line, other, origin)
    if len(missing) == len(wanted.names):
        return errors.no_header(name, file, line, wanted.names, origin)
    return None
