"""Feeds: a declared source and the Spark DataFrame its rows come from.

All feeds of a session become one DataFrame, so that one streaming query drives them all:

    @source | @time | @op | @sequence | 0@a | 0@b | 1@a …      each source has columns of its own

A feed that is alone has its columns as they are, and no column for the source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, DateType, TimestampNTZType, TimestampType

from slackwater.algebra import Relation
from slackwater.algebra.changes import OPS
from slackwater.algebra.types import TIMESTAMP
from slackwater.base.diagnostic import EngineError
from slackwater.base.time import INFINITY, SECONDS, Clock
from slackwater.bind.catalog import Source
from slackwater.kernels import relations
from slackwater.kernels.frames import FROM, TO, N, frame_schema
from slackwater.run.epochs import Arrivals
from slackwater.run.input import problems
from slackwater.run.input.misfits import ExpectedRows, Misfits, file_name, split_misfits
from slackwater.run.input.tags import AHEAD, PUNCTUATION, SOURCE, TIME, UNDECODED, UNTIL
from slackwater.run.input.undecoded import decoded
from slackwater.sources.misfits import line_with, why
from slackwater.sources.open_quotes import cut_field, open_lines, quoting_of
from slackwater.sources.readers import FILE, RAW, Reading
from slackwater.sources.spark_types import column, nullable
from slackwater.sources.zones import micros

TICK = -1
"""The source of rows that only advance the clock."""

Malformed = Callable[[str, Misfits | pl.DataFrame], None]
"""Handles rows of a source that cannot enter: those that do not fit, or times and columns of those that are
too far ahead. Raising refuses them."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A source, its rows, and how late a row of it may come."""

    source: Source
    frame: DataFrame
    delay: int = 0
    """How many chronons a row may be behind the largest time read so far."""
    until: str | None = None
    """The column with the end of a row."""
    punctuation: str | None = None
    """The column that is true in punctuations: rows after which no earlier row comes."""
    idle: float | None = None
    """After so many seconds without a row it holds no other source back."""
    columns: tuple[str, ...] | None = None
    """The columns that some query reads; None is all of them. The others are not fetched."""
    files: Reading | None = None
    """The files that the rows are read from, if any."""
    order: str | None = None
    """What puts the files in order."""
    sequence: str | None = None
    """The column that puts changes of one instant in order."""
    max_ahead: int | None = None
    """How many chronons a row may be ahead of the clock; rows further ahead are set aside."""
    is_ordered: bool = False
    """Whether the order of the rows counts, as in a list; within a file it always does."""
    zone: str | None = None
    """The zone of times that have none of their own; None is UTC."""
    clock: Clock = SECONDS
    is_always: bool = False
    """Whether the rows hold from the beginning of time: a table without times that does not grow."""

    reader: Mapping[str, str] = field(default_factory=dict)
    """The options of its files' format."""

    def why(self, raw: str) -> str | None:
        """Why a row could not be read; None where that is unknown."""
        return None if self.files is None else why(raw, self.files.kind, self.frame.schema, self.reader)

    def place(self, file: str, row: dict[str, Any], time: int | None) -> str:
        """The place of the row: its file, with the line where that is known."""
        if self.files is None or self.files.kind != "csv" or self.source.time is None:
            return file
        names = [name for name in self.frame.columns if name not in (RAW, FILE)]
        return line_with(file, {**row, self.source.time: time}, names, self.reader)

    @property
    def is_clocked(self) -> bool:
        """Whether a row's time is the time at which it arrives."""
        return self.source.time is None and bool(self.source.calendar) and not self.is_always

    @property
    def ops(self) -> tuple[str, ...] | None:
        """The changes that a row may be; None where rows are none: in streams, or with their own end."""
        plan = self.source.plan
        if not isinstance(plan, Relation) or self.until is not None:
            return None
        return OPS if plan.key else OPS[:2]

    @property
    def read(self) -> tuple[str, ...]:
        return self.source.plan.schema.names if self.columns is None else self.columns


def combined(feeds: Sequence[Feed], ticks: DataFrame | None = None) -> DataFrame:
    """One DataFrame for all feeds, and for ticks of the clock."""
    single = len(feeds) == 1 and ticks is None
    frames = [_tagged(feed, place, single=single) for place, feed in enumerate(feeds)]
    if ticks is not None:
        frames.append(ticks.select(f.lit(TICK).alias(SOURCE), f.lit(None).cast("long").alias(TIME)))
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame, allowMissingColumns=True)
    return whole


def _tagged(feed: Feed, place: int, *, single: bool) -> DataFrame:
    source = feed.source
    prefix = "" if single else f"{place}@"
    columns = [_column(feed, name).alias(prefix + name) for name in feed.read]
    tags = [*([] if single else [f.lit(place).alias(SOURCE)]), instant_of(feed).alias(TIME)]
    if feed.until is not None:
        tags.append(_chronons(feed, feed.until).alias(UNTIL))
    elif isinstance(source.plan, Relation):
        op = column(source.op) if source.op else f.lit("u" if source.plan.key else "+")
        tags.append(op.cast("string").alias(relations.OP))
        if feed.sequence is not None:
            tags.append(f.coalesce(_chronons(feed, feed.sequence), f.lit(-(2**63))).alias(relations.RANK))
        if feed.files is not None:
            tags.append(f.xxhash64(_file(feed)).alias(relations.PIECE))
    if feed.punctuation is not None:
        tags.append(column(feed.punctuation).cast("boolean").alias(PUNCTUATION))
    if feed.max_ahead is not None:
        # The batch's time, which Spark logs: the same when the batch is repeated.
        limit = f.unix_micros(f.current_timestamp()) + feed.max_ahead
        tags.append((instant_of(feed) > limit).alias(AHEAD))
    tags += [column(name) for name in (RAW, FILE) if name in feed.frame.columns]
    return feed.frame.select(*tags, *columns)


def _file(feed: Feed) -> Column:
    """The file that a row is from."""
    return column(FILE) if FILE in feed.frame.columns else feed.frame.metadataColumn("_metadata").file_path


def instant_of(feed: Feed) -> Column:
    """The time of a row in chronons."""
    if feed.source.time is not None:
        return _chronons(feed, feed.source.time)
    if feed.is_always:
        return f.lit(feed.clock.begin).cast("long")
    if feed.is_clocked:
        # Spark logs a batch's time before the batch, so it is the same when the batch is repeated.
        return f.unix_micros(f.current_timestamp())
    raise EngineError(problems.NO_TIME.at(name=feed.source.name))


def _chronons(feed: Feed, name: str) -> Column:
    kind = kind_of(feed.frame, name)
    is_time = isinstance(kind, DateType | TimestampType | TimestampNTZType)
    return micros(column(name), kind, feed.zone) if is_time else column(name).cast("long")


def _column(feed: Feed, name: str) -> Column:
    """A column as it enters; a time without a zone that is declared as an instant gets the source's zone.

    Beside other sources a column is NULL in their rows, and Arrow refuses that in a column without NULLs.
    """
    kind = kind_of(feed.frame, name)
    is_declared = feed.source.plan.schema.type_of(name) == TIMESTAMP
    if is_declared and feed.zone is not None and isinstance(kind, DateType | TimestampNTZType):
        return f.timestamp_micros(micros(column(name), kind, feed.zone))
    wide = nullable(kind)
    return column(name) if wide == kind else column(name).cast(wide)


def kind_of(frame: DataFrame, name: str) -> DataType:
    """Spark's type of an existing column."""
    return next(field.dataType for field in frame.schema.fields if field.name.lower() == name.lower())


def arrivals(
    batch: pa.Table,
    feeds: Sequence[Feed],
    seen: dict[str, int],
    malformed: Malformed | None = None,
    number: int = 0,
) -> dict[str, Arrivals]:
    """The arrivals of a batch, by source. `seen` is the largest time of each source so far; it is updated."""
    frame = pl.from_arrow(decoded(batch))
    assert isinstance(frame, pl.DataFrame)
    place_in_all = pl.int_range(pl.len(), dtype=pl.Int64) + (number << 32)
    frame = frame.with_columns(place_in_all.alias(relations.SEQUENCE))
    arrived: dict[str, Arrivals] = {}
    for place, feed in enumerate(feeds):
        source_rows = frame.filter(pl.col(SOURCE) == place) if SOURCE in frame.columns else frame
        name = feed.source.name
        if SOURCE in frame.columns:
            source_rows = source_rows.rename(
                {f"{place}@{column_name}": column_name for column_name in feed.read}
            )
            if UNDECODED in frame.columns:
                source_rows = source_rows.with_columns(pl.col(UNDECODED).str.strip_prefix(f"{place}@"))
        _refuse_cut(source_rows, feed)
        source_rows, misfits = split_misfits(
            source_rows, ExpectedRows(name, feed.read, feed.clock, feed.ops, feed.why, feed.place)
        )
        if misfits is not None:
            if malformed is None:
                raise EngineError(misfits.diagnostic)
            malformed(name, misfits)
        rows = _without_punctuations(_near(source_rows, feed, malformed), feed, seen)
        begin = feed.clock.begin
        watermark = max(begin, seen.get(name, begin) - feed.delay)
        arrived[name] = Arrivals(_elements(rows, feed), watermark)
    return arrived


def _refuse_cut(rows: pl.DataFrame, feed: Feed) -> None:
    """Raise EngineError for a row of CSV that is cut in a quoted field, unless it is seen to be malformed."""
    if feed.files is None or feed.files.kind != "csv" or FILE not in rows.columns:
        return
    malformed = set(rows[RAW].drop_nulls())
    for path in map(file_name, rows[FILE].drop_nulls().unique(maintain_order=True)):
        quoting = quoting_of(path, feed.reader)
        for number, line in open_lines(path, quoting) if quoting is not None else ():
            if line not in malformed:
                raise EngineError(cut_field(feed.source.name, f"{path}:{number}", line))


def _near(rows: pl.DataFrame, feed: Feed, aside: Malformed | None) -> pl.DataFrame:
    """The rows that are not too far ahead of the clock; the others are set aside."""
    if feed.max_ahead is None:
        return rows
    far = rows.filter(pl.col(AHEAD).fill_null(False))
    if far.height and aside is not None:
        aside(feed.source.name, far.select(TIME, *feed.read))
    return rows.filter(~pl.col(AHEAD).fill_null(False))


def _without_punctuations(rows: pl.DataFrame, feed: Feed, seen: dict[str, int]) -> pl.DataFrame:
    """Note the largest time, of punctuations where the source has them; returns the rows that are data."""
    punctuations = rows
    if feed.punctuation is not None:
        punctuations = rows.filter(pl.col(PUNCTUATION).fill_null(False))
        rows = rows.filter(~pl.col(PUNCTUATION).fill_null(False))
    largest = punctuations[TIME].max()
    if isinstance(largest, int):
        seen[feed.source.name] = max(seen.get(feed.source.name, largest), largest)
    return rows


def _elements(rows: pl.DataFrame, feed: Feed) -> pl.DataFrame:
    source = feed.source
    schema = frame_schema(source.plan.schema)
    row = {name: kind for name, kind in schema.items() if not name.startswith("@")}
    columns = [
        (pl.col(name) if name in feed.read else pl.lit(None)).cast(kind).alias(name)
        for name, kind in row.items()
    ]
    end = pl.lit(INFINITY, pl.Int64) if feed.until is None else pl.col(UNTIL).fill_null(INFINITY)
    times = [pl.col(TIME).cast(pl.Int64).alias(FROM), end.cast(pl.Int64).alias(TO)]
    tags = [] if feed.ops is None else [pl.col(relations.OP), pl.col(relations.SEQUENCE), *_order(feed)]
    return rows.select(*columns, *times, pl.lit(1, pl.Int64).alias(N), *tags)


def _order(feed: Feed) -> list[pl.Expr]:
    """The order of changes of one instant, and the piece within which the order of rows counts."""
    rank = pl.lit(0) if feed.sequence is None else pl.col(relations.RANK)
    each_row = pl.lit(0) if feed.is_ordered else pl.col(relations.SEQUENCE)
    piece = each_row if feed.files is None else pl.col(relations.PIECE)
    return [rank.cast(pl.Int64).alias(relations.RANK), piece.cast(pl.Int64).alias(relations.PIECE)]
