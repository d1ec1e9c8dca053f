"""Files as Spark reads them: one file, a pattern, or a folder that grows.

Rows of CSV and JSON that do not fit the columns come with their raw text in `RAW` and their file in
`FILE`; nothing is turned into NULL in silence.
"""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import StringType, StructField, StructType

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.places import is_remote
from slackwater.base.span import Span
from slackwater.language.options import FORMATS, Use, format_by_name, wrong_option
from slackwater.schema.records import steps
from slackwater.sources import frame_errors as errors
from slackwater.sources.encodings import check_encoding, settle_lines
from slackwater.sources.headers import by_header, demand
from slackwater.sources.texts import CORRUPT, FILE, RAW, file_of, is_kept, marked, settle

__all__ = ["FILE", "RAW", "Location", "Reading", "RecordQuery", "read"]

_MOST_BYTES = {
    "parquet": 5 << 20, "orc": 5 << 20,
    "csv": 32 << 20, "json": 32 << 20, "text": 32 << 20, "xml": 32 << 20,
}  # fmt: skip
"""How much of a backlog one batch takes in the driver, about half a million narrow rows: more gains no speed
and costs memory. Once caught up, a batch takes whatever has arrived."""
_FOREVER = "36500d"
"""Spark, unless set otherwise, leaves out files that are a week older than the newest it has seen."""
_STREAMING = ("maxfilespertrigger", "maxbytespertrigger", "maxfileage", "latestfirst", "cleansource")
_PATTERNS = "__globPaths__"
"""Spark's own option: whether a path is a glob pattern."""
_LENIENT = {"ignoreCorruptFiles": "true", "ignoreMissingFiles": "true"}
"""Errors of a file are reported by the streaming read, not by earlier scans for times."""
_ZONE = "timezone"
"""An option of slackwater that Spark's text readers have, too."""

Reader = DataFrameReader | DataStreamReader


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """An XQuery over each record of XML files; its answer fills the last columns.

    The first of these says whether there is an answer at all.
    """

    text: str
    columns: int
    documents: tuple[tuple[str, str | bytes], ...] = ()
    """The name and the content of each document beside the records."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where rows are, and in which format."""

    name: str
    path: str
    format: str | None = None
    options: Mapping[str, str] | None = None
    origin: Span | None = None
    inherited: Collection[str] = ()
    """Options that were declared for another location: those of another format are ignored."""
    query: RecordQuery | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Files as a source: the rows as a stream, and the rows of existing files as a table."""

    frame: DataFrame
    """The rows, streaming."""
    path: str
    static: Callable[[Sequence[str], bool], DataFrame]
    """The rows at these paths, each with its file in `FILE`; the flag says whether paths are patterns."""
    whole: Callable[[], DataFrame]
    """The rows of the existing files, as a static table."""
    kind: str
    """The format of the files."""
    again: Callable[[Sequence[str]], DataFrame]
    """The rows of files that were read before, as a static table; a missing file is an error."""
    is_trimmed: bool = False
    """Whether options let Spark leave files out."""

    def listed(self) -> list[str]:
        """The addresses of the existing files, as Spark lists them."""
        if not _is_local(self.path):
            return sorted(self.static([self.path], True).inputFiles())
        # Not as a pattern: Spark logs a warning with a stack trace where it takes one for a folder.
        paths = [self.path] if os.path.exists(self.path) else glob.glob(self.path)
        return sorted(self.static(paths, False).inputFiles()) if paths else []

    def may_have(self, path: str) -> bool:
        """Whether a file can be one of these, by its name."""
        return path == self.path or path.startswith(f"{self.path}/") or fnmatch.fnmatchcase(path, self.path)

    def table(self, files: Sequence[str]) -> DataFrame:
        """The rows of these files."""
        return self.static(files, False)


def read(
    spark: SparkSession, location: Location, columns: StructType | None, width: int = 1
) -> DataFrame | Reading:
    """The rows as a streaming DataFrame; without columns, those of the files.

    A batch of a backlog is `width` times as large as the driver would want it.
    """
    kind = (location.format or "").lower()
    kind = kind if kind in ("rate", "socket") else _format(location)
    options = _reader_options(location, kind)
    if kind == "rate":
        return spark.readStream.format("rate").options(**options).load()
    if kind == "socket":
        return _lines(spark, location, columns)
    schema = _schema(spark, location, kind, options, columns)
    option_names = {key.lower() for key in options}
    if not {"maxfilespertrigger", "maxbytespertrigger"} & option_names:
        options["maxBytesPerTrigger"] = str(_MOST_BYTES[kind] * width)
    if "maxfileage" not in option_names:
        options["maxFileAge"] = _FOREVER
    path = _streamable(location.path)
    keeps = is_kept(location.name, options)
    make = (
        _records(spark, location, schema, options)
        if kind == "xml"
        else partial(_rows, kind, schema, keeps, options)
    )
    at_rest = {key: value for key, value in options.items() if key.lower() not in _STREAMING}
    if _is_local(path) and os.path.isdir(path):
        at_rest["basePath"] = path

    def static(paths: Sequence[str], is_pattern: bool) -> DataFrame:
        patterns = {_PATTERNS: str(is_pattern).lower()}
        return make(spark.read.options(**{**at_rest, **_LENIENT, **patterns}), list(paths), is_marked=True)

    def again(paths: Sequence[str]) -> DataFrame:
        plain = {**at_rest, _PATTERNS: "false"}
        return make(spark.read.options(**plain), list(paths), is_marked=kind == "xml")

    return Reading(
        make(spark.readStream.options(**options), path, is_marked=kind == "xml"),
        os.path.abspath(location.path) if _is_local(location.path) else location.path,
        static,
        lambda: make(spark.read.options(**at_rest), [path]),
        kind,
        again,
        is_trimmed=bool({"maxfileage", "latestfirst"} & option_names),
    )


def _rows(
    kind: str,
    schema: StructType,
    keeps: bool,
    options: Mapping[str, str],
    reader: Reader,
    path: str | list[str],
    *,
    is_marked: bool = False,
) -> DataFrame:
    """The rows of files; marked, each with its file."""
    if kind in ("csv", "json"):
        whole = StructType([*schema.fields, StructField(CORRUPT, StringType())])
        reader = reader.option("columnNameOfCorruptRecord", CORRUPT).option("mode", "PERMISSIVE")
        rows = reader.format(kind).schema(whole).load(path)  # type: ignore[arg-type]
        return marked(rows, schema, decoded=kind == "csv", keeps=keeps, options=options)
    if kind == "text":
        lines = reader.format("text").load(path)  # type: ignore[arg-type]
        lines = lines.withColumnRenamed("value", schema.names[0])
        return marked(lines, schema, decoded=False, keeps=keeps, options=options)
    frame = reader.format(kind).schema(schema).load(path)  # type: ignore[arg-type]
    return frame.select("*", file_of(frame)) if is_marked else frame


def _reader_options(location: Location, kind: str) -> dict[str, str]:
    """The options of that format; raises EngineError with unknown options and those of other formats."""
    options: dict[str, str] = {}
    mistakes: list[Diagnostic] = []
    for name, value in (location.options or {}).items():
        wrong = wrong_option(name, Use("source", kind))
        if wrong is None:
            options[name] = value
        elif name not in location.inherited:
            mistakes.append(_placed(wrong, location))
    if mistakes:
        raise EngineError(mistakes)
    return options


def _placed(wrong: Diagnostic, location: Location) -> Diagnostic:
    if location.origin is not None:
        return replace(wrong, span=location.origin, label="declared here")
    return replace(wrong, label="", where=f'source "{location.name}"')


def _records(
    spark: SparkSession, location: Location, schema: StructType, options: dict[str, str]
) -> Callable[..., DataFrame]:
    """What reads the records of XML files."""
    # Imported here: XQuery is half a second of start-up that files of other kinds do not need.
    from slackwater.sources.xml.frames import XmlRows, xml_frame

    path = steps(options.pop("record", ""))
    options.pop("schema", None)
    zone = next((value for key, value in options.items() if key.lower() == _ZONE), None)
    if path is None:
        raise EngineError(errors.no_record(location.name, location.origin))
    is_mounted = _is_local(location.path) and _has_local_files(spark)
    return partial(xml_frame, XmlRows(path, schema, RAW, FILE, location.query, zone, is_mounted))


def _has_local_files(spark: SparkSession) -> bool:
    """Whether a plain path is one of the machine's own filesystem for Spark, too."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    return str(hadoop.get("fs.defaultFS", "file:///")).startswith("file:")


def _lines(spark: SparkSession, location: Location, columns: StructType | None) -> DataFrame:
    """The lines that a TCP server sends, as one column of text."""
    host, _, port = location.path.rpartition(":")
    if not host or not port.isdecimal():
        raise EngineError(errors.bad_address(location.name, location.path))
    frame = spark.readStream.format("socket").option("host", host).option("port", port).load()
    return frame.select(f.col("value").alias(columns.names[0] if columns else "value"))


def _format(location: Location) -> str:
    """The declared format, or that of the first file's suffix; raises EngineError."""
    if not _is_there(location.path):
        raise EngineError(errors.missing_path(location.name, location.path, location.origin))
    kind = location.format
    if kind is None:
        first = _first(location.path) or location.path
        kind = format_by_name(first)
    if kind is None or kind.lower() not in FORMATS:
        raise EngineError(errors.unknown_format(location.name, location.path, location.format, FORMATS))
    return kind.lower()


def _is_local(path: str) -> bool:
    return not is_remote(path)


def _is_there(path: str) -> bool:
    return not _is_local(path) or os.path.isdir(path) or bool(glob.glob(path))


def _first(path: str) -> str | None:
    """The oldest file at a path: the one that is read first."""
    if not _is_local(path):
        return None
    matches = [Path(match) for match in glob.glob(path)]
    files = [file for match in matches for file in (match.rglob("*") if match.is_dir() else [match])]
    shown = [file for file in files if file.is_file() and not file.name.startswith((".", "_"))]
    return str(min(shown, key=lambda file: (file.stat().st_mtime_ns, file.name))) if shown else None


def _streamable(path: str) -> str:
    """Spark streams folders and patterns; one file is a pattern that only it fits."""
    if not _is_local(path):
        return path
    # The current folder of Spark may be another one.
    path = os.path.abspath(path)
    if os.path.isfile(path):
        folder, name = os.path.split(path)
        escaped = "".join(f"[{char}]" if char in "*?{}" else char for char in name)
        return os.path.join(folder, f"[{escaped[0]}]{escaped[1:]}" if escaped[0] != "[" else escaped)
    return path


def _schema(
    spark: SparkSession, location: Location, kind: str, options: dict[str, str], columns: StructType | None
) -> StructType:
    """The columns in the order of the files, with the declared types."""
    if kind == "xml":
        if columns is None:
            raise EngineError(errors.no_record(location.name, location.origin))
        return columns
    if kind == "text":
        return columns or StructType([StructField("value", StringType())])
    first = _first(location.path)
    if kind in ("csv", "json"):
        settle_lines(location.name, kind, options)
        if first is not None:
            check_encoding(location.name, location.origin, first, options)
    if kind == "csv":
        settle(options, location.path)
    if kind in ("csv", "json") and _ZONE not in {key.lower() for key in options}:
        options["timeZone"] = "UTC"
    if columns is None or (kind in ("parquet", "orc") and first):
        stored = _inferred(spark, location, kind, options)
        return stored if columns is None else _of_names(location, columns, stored)
    if kind == "csv" and options["header"].lower() == "true":
        options["enforceSchema"] = "false"
        name, origin = location.name, location.origin
        return columns if first is None else by_header(name, origin, first, options, columns)
    return columns


def _inferred(spark: SparkSession, location: Location, kind: str, options: dict[str, str]) -> StructType:
    reader = spark.read.format(kind).options(**options)
    reader = reader.option("inferSchema", "true") if kind == "csv" else reader
    path = os.path.abspath(location.path) if _is_local(location.path) else location.path
    return reader.load(path).schema


def _of_names(location: Location, columns: StructType, stored: StructType) -> StructType:
    """The columns of the files that are declared, by name."""
    known = {field.name.lower(): field for field in stored.fields}
    demand(location.name, location.origin, columns, stored.names)
    return StructType([known[field.name.lower()] for field in columns.fields])
