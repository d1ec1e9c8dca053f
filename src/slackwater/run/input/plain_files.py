"""Rows of Parquet files that the driver reads by itself, where that gives what Spark would read.

    Spark    decodes columns ─► rows ─► Arrow ─► Python
    here     decodes columns ─► Arrow

Spark still finds the files, divides them into batches and logs which files are a batch's. Only columns whose
stored type is the one that Spark reads are read here; all else, and what fails, is left to Spark.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import types as spark

from slackwater.base.places import is_remote
from slackwater.run.input.feeds import Feed, kind_of
from slackwater.run.input.filtered import is_plain, own_files
from slackwater.run.input.tags import TIME
from slackwater.sources.footers import is_of_other_calendar

_ARROW: dict[spark.DataType, tuple[pa.DataType, ...]] = {
    spark.BooleanType(): (pa.bool_(),),
    spark.ByteType(): (pa.int8(),),
    spark.ShortType(): (pa.int16(),),
    spark.IntegerType(): (pa.int32(),),
    spark.LongType(): (pa.int64(),),
    spark.FloatType(): (pa.float32(),),
    spark.DoubleType(): (pa.float64(),),
    spark.StringType(): (pa.string(), pa.large_string()),
    spark.DateType(): (pa.date32(),),
    spark.TimestampType(): (pa.timestamp("us", "UTC"),),
    spark.TimestampNTZType(): (pa.timestamp("us"),),
}
"""The stored types that are read as each of Spark's."""
_TIMES = (spark.IntegralType, spark.TimestampType, spark.TimestampNTZType)
_SETTINGS = {
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    "spark.sql.caseSensitive": "false",
}
"""Settings of Spark with which a column is read as it is stored, and found by its name."""
_OPTIONS = ("datetimerebasemode", "int96rebasemode", "mergeschema")


def can_read_here(feed: Feed) -> bool:
    """Whether the driver may read the files of a source by itself."""
    conf = feed.frame.sparkSession.conf
    time = feed.source.time
    return (
        is_plain(feed)
        and time is not None
        and isinstance(kind_of(feed.frame, time), _TIMES)
        and all(kind_of(feed.frame, name) in _ARROW for name in feed.read)
        and all(str(conf.get(name, value)) == value for name, value in _SETTINGS.items())
        and not any(name.lower() in _OPTIONS for name in feed.reader)
        and str(conf.get("spark.master", "")).startswith("local[")
    )


def read_here(feeds: Sequence[Feed], files: Sequence[str]) -> list[pa.Table] | None:
    """The rows of a batch by source, as Spark would transfer those of each alone; None where Spark has to."""
    if not files or not all(feed.is_read_here for feed in feeds):
        return None
    own = [own_files(feed, feeds, files) for feed in feeds]
    if sum(map(len, own)) != len(files):
        return None
    try:
        return [_rows(feed, paths) for feed, paths in zip(feeds, own, strict=True)]
    except (_LeftToSpark, OSError, pa.ArrowException):
        return None


class _LeftToSpark(Exception):
    """A file with columns that are not stored as Spark reads them."""


def _rows(feed: Feed, paths: Sequence[str]) -> pa.Table:
    assert feed.source.time is not None
    names = {field.name.lower(): field.name for field in feed.frame.schema.fields}
    columns = {name: names[name.lower()] for name in feed.read}
    time = names[feed.source.time.lower()]
    kinds = {name: kind_of(feed.frame, name) for name in (time, *columns.values())}
    parts = [_stored(path, kinds) for path in paths]
    empty = pa.schema((name, _ARROW[kind][0]) for name, kind in kinds.items()).empty_table()
    whole = pa.concat_tables([*parts, empty])
    table = {name: whole.column(stored) for name, stored in columns.items()}
    return pa.table({TIME: whole.column(time).cast(pa.int64()), **table})


def _stored(path: str, kinds: dict[str, spark.DataType]) -> pa.Table:
    """The columns of a file, as the types of Spark's that they are stored as."""
    if is_remote(path) or any(f"/{name.lower()}=" in path.lower() for name in kinds):
        raise _LeftToSpark
    with pq.ParquetFile(path) as file:
        stored = [name.lower() for name in file.schema_arrow.names]
        if is_of_other_calendar(file.metadata):
            raise _LeftToSpark
        for name, kind in kinds.items():
            is_there = name in file.schema_arrow.names and stored.count(name.lower()) == 1
            if not is_there or file.schema_arrow.field(name).type not in _ARROW[kind]:
                raise _LeftToSpark
        table = file.read(columns=list(kinds))
    return table.select(list(kinds)).cast(pa.schema((name, _ARROW[kind][0]) for name, kind in kinds.items()))
