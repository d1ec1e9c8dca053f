"""Feeds: a declared source and the Spark DataFrame its rows come from.

All feeds of a session become one DataFrame, so that one streaming query drives them all:

    @source | @time | @op | @sequence | 0@a | 0@b | 1@a …      each source has columns of its own

A feed that is alone has its columns as they are, and no column for the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, DateType, TimestampNTZType, TimestampType

from slackwater.algebra import Relation, Stream
from slackwater.algebra.changes import OPS
from slackwater.algebra.expressions import Expression
from slackwater.algebra.types import TIMESTAMP
from slackwater.base.diagnostic import EngineError
from slackwater.base.time import SECONDS, Clock
from slackwater.bind.catalog import Source
from slackwater.kernels import relations
from slackwater.run.input import problems
from slackwater.run.input.intake import Intake
from slackwater.run.input.tags import AHEAD, PUNCTUATION, SOURCE, TIME, UNTIL
from slackwater.sources.readers import FILE, RAW, Reading
from slackwater.sources.spark_types import column, nullable
from slackwater.sources.zones import micros

TICK = -1
"""The source of rows that only advance the clock."""
FIRST_RANK = -(2**63)
"""The rank of changes without a sequence."""


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
    read_ahead: int | None = None
    """How many rows with later times may come before a row; None where `delay` says how late rows are."""
    idle: float | None = None
    """After so many seconds without a row it holds no other source back."""
    columns: tuple[str, ...] | None = None
    """The columns that some query reads; None is all of them. The others are not fetched."""
    needed: Expression | None = None
    """What is true of every row that some query needs, where the JVM may drop the others."""
    is_read_by_arrow: bool = False
    """Whether its files are read without the JVM where that is possible, in the driver or in scan tasks."""
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

    @property
    def intake(self) -> Intake:
        """How its rows become elements."""
        return Intake(
            self.source, self.read, self.clock, self.frame.schema, self.ops,
            None if self.files is None else self.files.kind, self.reader, self.until, self.punctuation,
            self.max_ahead, self.sequence, self.is_ordered, self.is_clocked, self.read_ahead,
        )  # fmt: skip

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


def narrowed(feed: Feed, read: Mapping[str, tuple[str, ...]]) -> Feed:
    """A stream without the columns that no query reads.

    A relation's row is known by all its columns. Where rows may be malformed, all of a row is looked at.
    """
    name = feed.source.name
    if not isinstance(feed.source.plan, Stream) or RAW in feed.frame.columns or name not in read:
        return feed
    return replace(feed, columns=read[name])


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
        op = column(source.op) if source.op else f.lit(default_op(source))
        tags.append(op.cast("string").alias(relations.OP))
        if feed.sequence is not None:
            tags.append(f.coalesce(_chronons(feed, feed.sequence), f.lit(FIRST_RANK)).alias(relations.RANK))
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
    if is_moved(feed, name):
        return f.timestamp_micros(micros(column(name), kind, feed.zone))
    wide = nullable(kind)
    return column(name) if wide == kind else column(name).cast(wide)


def is_moved(feed: Feed, name: str) -> bool:
    """Whether a column is a time without a zone that becomes an instant in the source's zone."""
    is_declared = feed.source.plan.schema.type_of(name) == TIMESTAMP
    has_none = isinstance(kind_of(feed.frame, name), DateType | TimestampNTZType)
    return is_declared and feed.zone is not None and has_none


def default_op(source: Source) -> str:
    """The change that each row of a relation is, where no column says it."""
    assert isinstance(source.plan, Relation)
    return "u" if source.plan.key else "+"


def kind_of(frame: DataFrame, name: str) -> DataType:
    """Spark's type of an existing column."""
    return next(field.dataType for field in frame.schema.fields if field.name.lower() == name.lower())
