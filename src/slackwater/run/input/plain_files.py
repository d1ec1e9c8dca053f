"""Rows of Parquet files that are read by Arrow, where that gives what Spark would read.

    Spark    decodes columns ─► rows ─► Arrow ─► Python
    here     decodes columns ─► Arrow

Spark still finds the files, divides them into batches and logs which files are a batch's. Only columns whose
stored type is the one that Spark reads are read so; all else, and what fails, is left to Spark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import types as spark

from slackwater.base.diagnostic import EngineError
from slackwater.base.places import is_remote
from slackwater.kernels import relations
from slackwater.run.input.feeds import FIRST_RANK, Feed, default_op, is_moved
from slackwater.run.input.filtered import has_plain_files, own_files
from slackwater.run.input.intake import Intake
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


class LeftToSpark(EngineError):
    """A file that Arrow cannot read, or not as Spark does: Spark has to read the batch."""

    def __init__(self, diagnostics: tuple[()] = ()) -> None:
        super().__init__(diagnostics)


def can_read_by_arrow(feed: Feed) -> bool:
    """Whether the files of a source may be read without the JVM."""
    conf = feed.frame.sparkSession.conf
    return (
        has_plain_files(feed)
        and _has_plain_columns(feed.intake)
        and not any(is_moved(feed, name) for name in feed.read)
        and all(str(conf.get(name, value)) == value for name, value in _SETTINGS.items())
        and not any(name.lower() in _OPTIONS for name in feed.reader)
    )


def _has_plain_columns(intake: Intake) -> bool:
    kinds = {name.lower(): kind for name, kind in _kinds(intake).items()}
    op, sequence, time = _op(intake), intake.sequence, intake.source.time
    assert time is not None
    return (
        all(kind in _ARROW for kind in kinds.values())
        and isinstance(kinds[time.lower()], _TIMES)
        and (not op or isinstance(kinds[op.lower()], spark.StringType))
        # A sequence without a zone would have to be read in one.
        and (
            sequence is None or isinstance(kinds[sequence.lower()], spark.IntegralType | spark.TimestampType)
        )
    )


def read_here(feeds: Sequence[Feed], files: Sequence[str]) -> list[pa.Table] | None:
    """The rows of a batch by source, as Spark would transfer those of each alone; None where Spark has to."""
    own = files_by_feed(feeds, files)
    if own is None:
        return None
    try:
        return [_rows(feed.intake, paths) for feed, paths in zip(feeds, own, strict=True)]
    except LeftToSpark:
        return None


def files_by_feed(feeds: Sequence[Feed], files: Sequence[str]) -> list[list[str]] | None:
    """The files of a batch by source; None where some are not to be read by Arrow."""
    if not files or not all(feed.is_read_by_arrow for feed in feeds):
        return None
    own = [own_files(feed, feeds, files) for feed in feeds]
    return own if sum(map(len, own)) == len(files) else None


def _rows(intake: Intake, paths: Sequence[str]) -> pa.Table:
    kinds = _kinds(intake)
    parts: list[pa.Table] = []
    for path in paths:
        with opened(intake, path) as file:
            parts.append(_as_transferred(intake, file.read(columns=list(kinds)), path))
    return pa.concat_tables([*parts, _as_transferred(intake, _schema(kinds).empty_table(), "")])


def read_groups(intake: Intake, path: str, groups: Sequence[int], most_rows: int) -> Iterator[pa.Table]:
    """The rows of some row groups of a file, a part at a time; raises LeftToSpark."""
    with opened(intake, path) as file:
        for batch in file.iter_batches(most_rows, groups, list(_kinds(intake)), use_threads=False):
            yield _as_transferred(intake, pa.Table.from_batches([batch]), path)


@contextmanager
def opened(intake: Intake, path: str) -> Iterator[pq.ParquetFile]:
    """A file whose columns are stored as Spark reads them; raises LeftToSpark, also for what fails inside."""
    kinds = _kinds(intake)
    if is_remote(path) or any(f"/{name.lower()}=" in path.lower() for name in kinds):
        raise LeftToSpark
    try:
        with pq.ParquetFile(path) as file:
            _check(file, kinds)
            yield file
    except (OSError, pa.ArrowException) as error:
        raise LeftToSpark from error


def _check(file: pq.ParquetFile, kinds: dict[str, spark.DataType]) -> None:
    stored = [name.lower() for name in file.schema_arrow.names]
    if is_of_other_calendar(file.metadata):
        raise LeftToSpark
    for name, kind in kinds.items():
        is_there = name in file.schema_arrow.names and stored.count(name.lower()) == 1
        if not is_there or file.schema_arrow.field(name).type not in _ARROW[kind]:
            raise LeftToSpark


def _kinds(intake: Intake) -> dict[str, spark.DataType]:
    """The columns that are read, as the files name them, and their types in Spark."""
    names = (intake.source.time, _op(intake), intake.sequence, *intake.read)
    read = {name.lower() for name in names if name}
    return {field.name: field.dataType for field in intake.schema.fields if field.name.lower() in read}


def _op(intake: Intake) -> str | None:
    """The column that says what kind of change a row is."""
    return intake.source.op if intake.ops is not None else None


def _schema(kinds: dict[str, spark.DataType]) -> pa.Schema:
    return pa.schema((name, _ARROW[kind][0]) for name, kind in kinds.items())


def _as_transferred(intake: Intake, rows: pa.Table, path: str) -> pa.Table:
    """Rows as they are stored, with the columns that feeds have."""
    kinds = _kinds(intake)
    whole = rows.select(list(kinds)).cast(_schema(kinds))
    names = {name.lower(): name for name in kinds}

    def column(name: str) -> pa.ChunkedArray:
        return whole.column(names[name.lower()])

    assert intake.source.time is not None
    tags = {TIME: column(intake.source.time).cast(pa.int64())}
    if intake.ops is not None:
        op, default = _op(intake), default_op(intake.source)
        tags[relations.OP] = column(op) if op else pa.repeat(default, rows.num_rows)
        if intake.sequence is not None:
            rank = column(intake.sequence).cast(pa.int64())
            tags[relations.RANK] = pc.fill_null(rank, FIRST_RANK)
        tags[relations.PIECE] = pa.repeat(pa.scalar(_number(path), pa.int64()), rows.num_rows)
    return pa.table({**tags, **{name: column(name) for name in intake.read}})


def _number(path: str) -> int:
    """A number for a file, the same in every process."""
    return int.from_bytes(hashlib.blake2b(path.encode(), digest_size=8).digest(), "little", signed=True)
