"""CSV, JSON and lines of text as RFC 4180 and UTF-8 say: what Spark reads leniently is made visible.

1,"no""rth"    ─►  no"rth           a quote in quotes is written twice
2,             ─►  NULL             an empty field is NULL
3,""           ─►  (the empty text)
4,n\xf6rd      ─►  malformed        bytes that are not in the encoding
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StringType, StructField, StructType, TimestampType

from slackwater.base.diagnostic import EngineError
from slackwater.sources.frame_errors import bad_option
from slackwater.sources.spark_types import column

RAW, FILE = "@raw", "@file"
CORRUPT = "@corrupt"
REPLACEMENT = "\ufffd"
"""The character that Spark puts for bytes that are not in the encoding."""
_NULL = "\x01NULL\x01"
"""Spark distinguishes an empty field from `""` only where NULL is written as something that is not empty."""
_DEFAULTS = {"header": "true", "quote": '"', "escape": '"', "nullValue": _NULL, "emptyValue": ""}


def settle(options: dict[str, str], path: str) -> None:
    """Set the defaults of options for CSV; each option is left under one spelling."""
    defaults = {**_DEFAULTS, "sep": "\t" if path.endswith(".tsv") else ","}
    for name, default in defaults.items():
        keys = [key for key in options if key.lower() in (name.lower(), _ALSO.get(name))]
        values = [options.pop(key) for key in keys]
        options[name] = values[0] if values else default


_ALSO = {"sep": "delimiter"}


def is_kept(name: str, options: dict[str, str]) -> bool:
    """Whether rows with undecodable bytes stay as they are; takes the option out. Raises EngineError."""
    policy = next((options.pop(key) for key in list(options) if key.lower() == "undecodable"), "malformed")
    if policy.lower() not in ("malformed", "keep"):
        hint = "Write 'malformed' or 'keep'."
        raise EngineError(bad_option(f'source "{name}"', "undecodable", policy, hint))
    return policy.lower() == "keep"


def marked(
    frame: DataFrame, schema: StructType, *, decoded: bool, keeps: bool, options: Mapping[str, str]
) -> DataFrame:
    """The columns, and of rows that cannot be read as they say the raw text; each row with its file.

    The CSV reader has decoded its texts, with U+FFFD for what it could not decode. The other readers give the
    bytes of the file, which have to be checked before they become texts.
    """
    columns = [_text(field, decoded).alias(field.name.strip()) for field in schema.fields]
    raw = f.make_valid_utf8(column(CORRUPT)) if CORRUPT in frame.columns else f.lit(None).cast("string")
    if not keeps:
        raw = f.coalesce(raw, _undecodable(schema, decoded, options))
    return frame.select(*columns, raw.alias(RAW), file_of(frame))


def file_of(frame: DataFrame) -> Column:
    """The file of each row, also where the data has a column "_metadata"."""
    return frame.metadataColumn("_metadata").file_path.alias(FILE)


def _text(field: StructField, decoded: bool) -> Column:
    is_checked = decoded or not isinstance(field.dataType, StringType)
    return column(field.name) if is_checked else f.make_valid_utf8(column(field.name))


def _undecodable(schema: StructType, decoded: bool, options: Mapping[str, str]) -> Column:
    """The row as text if one of its texts could not be decoded, or NULL."""
    settings = {key.lower(): value for key, value in options.items()}
    texts = [column(field.name) for field in schema.fields if isinstance(field.dataType, StringType)]
    cells = [_cell(field, decoded, settings.get("timezone", "UTC")) for field in schema.fields]
    is_undecodable = f.lit(False)
    for text in texts:
        wrong = text.contains(REPLACEMENT) if decoded else ~f.is_valid_utf8(text)
        is_undecodable = is_undecodable | f.coalesce(wrong, f.lit(False))
    return f.when(is_undecodable, f.concat_ws(settings.get("sep", ","), *cells))


def _cell(field: StructField, decoded: bool, zone: str) -> Column:
    """The value as text; an instant in the zone of the file, not of Spark's session."""
    value = _text(field, decoded)
    if isinstance(field.dataType, TimestampType):
        value = f.convert_timezone(f.current_timezone(), f.lit(zone), value)
    return f.coalesce(value.cast("string"), f.lit(""))
