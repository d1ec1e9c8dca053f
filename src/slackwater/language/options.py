"""The options of a source, for WITH (…) or as keyword arguments.

    WITH (header = TRUE, delay = '5 seconds', malformed = 'set aside')

Options that are not in `OPTIONS` belong to Spark's reader of one format. A name in neither list is an error,
and so is an option without effect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from slackwater.base.diagnostic import Diagnostic, quoted
from slackwater.base.near import nearest
from slackwater.language import problems

TABLE = "table"
"""The format of data passed in memory: nothing is read from files."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of Slackwater. `example` and `meaning` are its line in the guide."""

    name: str
    example: str
    meaning: str
    formats: tuple[str, ...] = ()
    """The formats that have it; empty for every source."""
    for_relations: bool = False
    for_files: bool = False
    needs_time: bool = False
    """Whether it has an effect only with a time column."""


OPTIONS = (
    Option(
        "delay", "`delay = '5 seconds'`",
        "how late a row may arrive: the watermark is the latest time minus this; default 0",
        needs_time=True,
    ),
    Option(
        "order", "`order = 'time'`, `'name'` or `'modified'`",
        "files: the order that the watermark follows, see below",
        for_files=True, needs_time=True,
    ),
    Option(
        "idle", "`idle = '1 minute'`",
        "after so long without a row, the source no longer holds back the watermark",
    ),
    Option(
        "max_ahead", "`max_ahead = '1 day'`",
        "rows further ahead of the clock than this are set aside, so that they do not make all others late",
        needs_time=True,
    ),
    Option(
        "punctuation", "`punctuation = 'column'`",
        "rows with TRUE in this column are watermarks, not data: no earlier row follows",
        needs_time=True,
    ),
    Option(
        "read_ahead", "`read_ahead = 10`",
        "instead of `delay`: how many rows with later times may come before a row",
        needs_time=True,
    ),
    Option(
        "until", "`until = 'column'`",
        "relations: a row is valid from its time until the time in this column, exclusive",
        for_relations=True, needs_time=True,
    ),
    Option(
        "sequence", "`sequence = 'column'`",
        "relations: the column that orders changes of one instant, a number or a timestamp",
        for_relations=True, needs_time=True,
    ),
    Option(
        "timezone", "`timezone = 'Europe/Berlin'`", "the zone of times without one; default UTC",
    ),
    Option(
        "late", "`late = 'set aside'` or `'fail'`",
        "what happens to rows that arrive later than `delay` allows; default `'set aside'`",
        needs_time=True,
    ),
    Option(
        "malformed", "`malformed = 'fail'` or `'set aside'`",
        "what happens to rows that do not fit the columns, or have an invalid time, end or op; "
        "default `'fail'`",
    ),
    Option(
        "undecodable", "`undecodable = 'malformed'` or `'keep'`",
        "CSV, JSON, text: what happens to rows with bytes that are not in the encoding; "
        "default `'malformed'`",
        formats=("csv", "json", "text"),
    ),
    Option(
        "rate", "`rate = '1000 per second'`",
        "for estimates: rows of a stream, or replaced rows of a relation, in that time",
    ),
    Option(
        "row_count", "`row_count = 5000`", "relations, for estimates: rows at an instant", for_relations=True,
    ),
    Option(
        "distinct_values", "`distinct_values = 'symbol 500, venue 12'`",
        "for estimates: different values of columns",
    ),
    Option("row_bytes", "`row_bytes = 120`", "for estimates: bytes of a row"),
    Option("record", "`record = '/list/record'`", "XML: the elements that are the rows", formats=("xml",)),
    Option(
        "schema", "`schema = 'file.xsd'`",
        "XML: the DTD or XML Schema that names are checked against", formats=("xml",),
    ),
)  # fmt: skip

_FILES = (
    "maxFilesPerTrigger", "maxBytesPerTrigger", "maxFileAge", "maxCachedFiles", "discardCachedInputRatio",
    "fileNameOnly", "cleanSource", "sourceArchiveDir", "pathGlobFilter", "recursiveFileLookup", "basePath",
    "ignoreCorruptFiles", "ignoreMissingFiles",
)  # fmt: skip
_TEXTS = (
    "dateFormat", "timestampFormat", "timestampNTZFormat", "locale", "samplingRatio",
    "enableDateTimeParsingFallback",
)  # fmt: skip
READERS: dict[str, tuple[str, ...]] = {
    "csv": (
        *_FILES, *_TEXTS, "header", "sep", "delimiter", "quote", "escape", "encoding", "charset", "comment",
        "nullValue", "emptyValue", "nanValue", "positiveInf", "negativeInf", "ignoreLeadingWhiteSpace",
        "ignoreTrailingWhiteSpace", "lineSep", "multiLine", "maxColumns", "maxCharsPerColumn",
        "inputBufferSize", "charToEscapeQuoteEscaping", "unescapedQuoteHandling", "preferDate",
    ),
    "json": (
        *_FILES, *_TEXTS, "encoding", "charset", "lineSep", "multiLine", "allowComments",
        "allowUnquotedFieldNames", "allowSingleQuotes", "allowNumericLeadingZeros",
        "allowBackslashEscapingAnyCharacter", "allowUnquotedControlChars", "allowNonNumericNumbers",
        "primitivesAsString", "prefersDecimal", "dropFieldIfAllNull", "inferTimestamp",
    ),
    "parquet": (*_FILES, "mergeSchema", "datetimeRebaseMode", "int96RebaseMode"),
    "orc": (*_FILES, "mergeSchema"),
    "text": (*_FILES, "wholetext", "lineSep"),
    "xml": _FILES,
    "rate": ("rowsPerSecond", "rampUpTime", "numPartitions"),
    "socket": (),
}  # fmt: skip
"""The options of Spark's readers, by format."""
FORMATS = tuple(READERS)
_ENDINGS = {
    "csv": "csv", "tsv": "csv", "json": "json", "jsonl": "json", "ndjson": "json", "parquet": "parquet",
    "orc": "orc", "xml": "xml", "txt": "text", "text": "text", "log": "text",
}  # fmt: skip

_ELSEWHERE = {
    "mode": "Write malformed = 'fail' or malformed = 'set aside'.",
    "columnnameofcorruptrecord": "Write malformed = 'set aside'; such rows are written to the checkpoint.",
    "inferschema": "Remove it: types are inferred exactly where no columns are declared.",
    "enforceschema": "Remove it: a header is always compared with the columns.",
    "latestfirst": "Remove it: after the newest file, all rows of older files would be late.",
    "watermark": "Write delay = '5 seconds'.",
    "withwatermark": "Write delay = '5 seconds'.",
    "time": "Write TIME column after the columns, or time='column'.",
    "key": "Write KEY (column) after the columns of a relation, or s.relation(…, key='column').",
    "op": "Write OP column after the columns of a relation, or s.relation(…, op='column').",
    "format": "Write FORMAT csv, or format='csv'.",
    "columns": "Write the columns after the name: CREATE STREAM s (a INT), or columns=['a'].",
    "path": "Write FROM 'path', or pass the path as the data.",
    "host": "The address is the path: FROM 'host:port' FORMAT socket.",
    "port": "The address is the path: FROM 'host:port' FORMAT socket.",
}
"""Hints for options of these names in other systems."""
_ARGUMENTS = ("time", "key", "format", "columns")
"""Words that are not options but clauses of the declaration, or arguments in Python."""


@dataclass(frozen=True, slots=True)
class Use:
    """What is known of a source when its options are checked; None is not known yet."""

    kind: str
    format: str | None = None
    has_time: bool | None = None


def wrong_option(name: str, use: Use) -> Diagnostic | None:
    """The error of an option that is unknown or without effect; the caller adds the span."""
    lowered = name.lower()
    ours = {option.name: option for option in OPTIONS}.get(lowered)
    if ours is not None:
        why = _uselessness(ours, use)
        return None if why is None else useless_option(name, *why)
    if is_read(lowered, use.format):
        return None
    if lowered in _ELSEWHERE:
        return unknown_option(name, use, _ELSEWHERE[lowered])
    formats = [format for format in FORMATS if is_read(lowered, format)]
    if formats and use.format == TABLE:
        return useless_option(name, "The rows are in memory; no file is read.", "Remove it.")
    if formats:
        return useless_option(
            name, f"It is an option of {_listed(formats)}, and this source is {use.format}.", "Remove it."
        )
    near = nearest(name, [*_names(use), *_ARGUMENTS])
    hint = None if near is None else " ".join((f'Did you mean "{near}"?', _ELSEWHERE.get(near, ""))).strip()
    return unknown_option(name, use, hint)


def format_by_name(path: str) -> str | None:
    """The format by the ending of a file's name."""
    return _ENDINGS.get(PurePath(path).suffix.lstrip(".").lower())


def is_read(name: str, format: str | None) -> bool:
    """Whether Spark's reader of the format has the option; of any format if it is None."""
    formats = FORMATS if format is None else (format,)
    return any(name.lower() == option.lower() for kind in formats for option in READERS.get(kind, ()))


def _uselessness(option: Option, use: Use) -> tuple[str, str] | None:
    """Why an option has no effect for the source, and what to do."""
    if option.for_relations and use.kind == "stream":
        why = "A row of a stream has an instant and no end."
        why = "A row of a stream does not replace another row." if option.name == "sequence" else why
        why = "The rows of a stream depend on its windows." if option.name == "row_count" else why
        return why, "Remove it, or declare a relation."
    if option.formats and use.format is not None and use.format not in option.formats:
        return (
            f"It is an option of {_listed([*option.formats])}, and this source is {_format_name(use)}.",
            "Remove it.",
        )
    if option.for_files and use.format in (TABLE, "rate", "socket"):
        return "The rows of this source are not read from files.", "Remove it."
    if option.needs_time and use.has_time is False:
        why = "This source has no time column, so no row is early or late."
        return why, "Remove it, or name the column that holds the time."
    return None


def _format_name(use: Use) -> str:
    return "data in memory" if use.format == TABLE else use.format or "of another format"


def _names(use: Use) -> Iterator[str]:
    yield from (option.name for option in OPTIONS if _uselessness(option, use) is None)
    for kind in FORMATS if use.format is None else (use.format,):
        yield from READERS.get(kind, ())


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def unknown_option(name: str, use: Use, hint: str | None) -> Diagnostic:
    ours = [option.name for option in OPTIONS if _uselessness(option, use) is None]
    also = f", and those of Spark's {use.format} reader" if READERS.get(use.format or "") else ""
    return problems.UNKNOWN_OPTION.at(name=name, kind=use.kind, ours=quoted(ours), also=also, hint=hint)


def useless_option(name: str, why: str, hint: str) -> Diagnostic:
    return problems.USELESS_OPTION.at(name=name, why=why, instead=hint)


def repeated_option(name: str) -> Diagnostic:
    return problems.REPEATED_OPTION.at(name=name)
