"""Batches without rows that no query needs: the JVM drops them, next to the scan.

    rows of Parquet ─► needed, late or malformed ─► Arrow
         └ footers: how many there are, and their largest time

What is dropped would be an element that no step needs. How many rows there are and their largest time is in
the footers of the files, so watermarks and counts are those of all rows. Footers also count rows that are
malformed: where one turns up, the batch is computed again from all its rows (`MalformedRow`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, DoubleType, FloatType, TimestampNTZType

from slackwater.algebra import Stream
from slackwater.algebra.expressions import Column, Expression
from slackwater.algebra.types import Type
from slackwater.base.places import is_remote
from slackwater.physical.pushdown.spelling import spark_name, spelled
from slackwater.run.input.feeds import Feed, kind_of
from slackwater.run.input.intake import Seen
from slackwater.run.input.tags import SOURCE, TIME
from slackwater.run.watermarks import SourceTime
from slackwater.sources.footers import FooterTimes, times_in_footer
from slackwater.sources.spark_types import BITS, spark_type

LEAST_ROWS = 20_000
"""In a smaller batch planning the filter takes longer than it saves."""
_LENIENT = ("ignoreCorruptFiles", "ignoreMissingFiles")
_FAR = {
    "date": "{0} NOT BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
    "timestamp": "unix_micros({0}) NOT BETWEEN -62135596800000000 AND 253402300799999999",
    "timestamp_ntz": "{0} NOT BETWEEN TIMESTAMP_NTZ '0001-01-01 00:00:00'"
    " AND TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'",
    "string": "NOT is_valid_utf8({0})",
}
"""When a value of these types is malformed, as `misfits` and `undecoded` have it."""


Known = Mapping[str, FooterTimes]
"""What footers say of all rows of a batch, by source, where some of its rows were dropped."""


@dataclass(frozen=True, slots=True)
class Filtered:
    """A batch without rows that no query needs, and what is known of all its rows."""

    frame: DataFrame
    known: Known = field(default_factory=dict)


def advanced(times: Sequence[SourceTime], known: Known) -> list[SourceTime]:
    """What is known of the time of each source before a batch, and from its footers."""
    return [_advanced(time, known.get(time.name)) for time in times]


def _advanced(time: SourceTime, facts: FooterTimes | None) -> SourceTime:
    if facts is None or facts.largest is None:
        return time
    return replace(time, largest=max(time.largest, facts.largest), is_idle=False)


def with_dropped(seen: Mapping[str, Seen], known: Known) -> dict[str, Seen]:
    """What was seen of a batch, together with the rows that were dropped."""
    whole = {
        name: replace(seen.get(name, Seen()), rows=facts.rows, largest=facts.largest)
        for name, facts in known.items()
    }
    return {**seen, **whole}


def with_filter(feed: Feed, needed: Mapping[str, Expression]) -> Feed:
    """The source with what is true of the rows that some query needs, where the JVM may drop the others."""
    condition = needed.get(feed.source.name)
    is_filtered = condition is not None and can_filter(feed, condition)
    return replace(feed, needed=condition) if is_filtered else feed


def can_filter(feed: Feed, needed: Expression) -> bool:
    """Whether the JVM may drop rows of a source that are not needed."""
    return is_plain(feed) and all(
        _is_read_as(kind_of(feed.frame, part.name), part.type)
        for part in needed.walk()
        if isinstance(part, Column)
    )


def is_plain(feed: Feed) -> bool:
    """Whether a source is a stream of Parquet files whose rows are what the files have, with their times."""
    return isinstance(feed.source.plan, Stream) and has_plain_files(feed)


def has_plain_files(feed: Feed) -> bool:
    """Whether the rows of a source, a stream or a relation, are what its Parquet files have."""
    return (
        feed.files is not None
        and feed.files.kind == "parquet"
        and _has_plain_times(feed)
        and not _is_lenient(feed)
        and all(spark_name(feed.source.plan.schema.type_of(name)) for name in feed.read)
    )


def _is_lenient(feed: Feed) -> bool:
    """Whether Spark may read less than the footers say."""
    conf = feed.frame.sparkSession.conf
    settings = [conf.get(f"spark.sql.files.{name}", "false") for name in _LENIENT]
    options = {name.lower() for name in feed.reader}
    return "true" in settings or any(name.lower() in options for name in _LENIENT)


def _has_plain_times(feed: Feed) -> bool:
    """Whether the times are those of the files, and no row is judged by anything else."""
    time = feed.source.time
    is_moved = feed.zone is not None and time is not None
    return (
        time is not None
        and not (is_moved and isinstance(kind_of(feed.frame, time), TimestampNTZType))
        and (feed.until, feed.punctuation, feed.max_ahead, feed.read_ahead) == (None, None, None, None)
    )


def _is_read_as(kind: DataType, declared: Type) -> bool:
    """Whether values of a column in Spark are those of the declared type, at most in fewer bits."""
    target = spark_type(declared)
    is_wider = BITS.get(type(kind), 65) <= BITS.get(type(target), 0)
    return kind == target or is_wider or (isinstance(kind, FloatType) and isinstance(target, DoubleType))


def filtered(frame: DataFrame, feeds: Sequence[Feed], files: Sequence[str], lo: int) -> Filtered:
    """The batch of an epoch that begins at lo, without rows that no query needs."""
    known = {feed.source.name: facts for feed in feeds if (facts := _facts(feed, feeds, files)) is not None}
    if not known or sum(facts.rows for facts in known.values()) < LEAST_ROWS:
        return Filtered(frame)
    is_single = SOURCE not in frame.columns
    conditions = [
        (place, _condition(feed, "" if is_single else f"{place}@", known[feed.source.name], lo))
        for place, feed in enumerate(feeds)
        if feed.source.name in known
    ]
    if is_single:
        return Filtered(frame.filter(conditions[0][1]), known)
    branches = " ".join(f"WHEN `{SOURCE}` = {place} THEN {text}" for place, text in conditions)
    return Filtered(frame.filter(f"CASE {branches} ELSE TRUE END"), known)


def _facts(feed: Feed, feeds: Sequence[Feed], files: Sequence[str]) -> FooterTimes | None:
    """What footers say of the rows of a source in a batch; None where rows of it are not dropped."""
    if feed.needed is None or feed.source.time is None:
        return None
    own = own_files(feed, feeds, files)
    kind = kind_of(feed.frame, feed.source.time)
    parts = [None if is_remote(path) else times_in_footer(path, feed.source.time, kind) for path in own]
    whole = FooterTimes()
    for part in parts:
        if part is None:
            return None
        whole += part
    is_possible = whole.largest is not None and whole.largest <= feed.clock.last
    return whole if is_possible else None


def own_files(feed: Feed, feeds: Sequence[Feed], files: Sequence[str]) -> list[str]:
    """The files of a batch that are the source's; none where several sources may have read one."""
    readings = [other.files for other in feeds if other.files is not None]
    own: list[str] = []
    for path in files:
        owners = readings if len(readings) == 1 else [one for one in readings if one.may_have(path)]
        if len(owners) != 1:
            return []
        if owners[0] is feed.files:
            own.append(path)
    return own


def _condition(feed: Feed, prefix: str, facts: FooterTimes, lo: int) -> str:
    """The condition of a row that is needed, late or malformed."""
    assert feed.needed is not None
    columns = {name: f"`{(prefix + name).replace('`', '``')}`" for name in feed.read}
    types = {name: feed.source.plan.schema.type_of(name) for name in feed.read}
    typed = {name: f"CAST({text} AS {spark_name(types[name])})" for name, text in columns.items()}
    needed = spelled(feed.needed, typed)
    assert needed is not None
    first = max(lo, feed.clock.begin)
    assert facts.least is not None
    # Only where there are such rows: another number in it is another condition for Spark to compile.
    late = [f"`{TIME}` < {first}"] if facts.least < first else []
    far = [_FAR[types[name].name].format(text) for name, text in columns.items() if types[name].name in _FAR]
    return " OR ".join([f"({needed} IS TRUE)", f"`{TIME}` IS NULL", *late, *(f"({text})" for text in far)])
