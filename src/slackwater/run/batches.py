"""Batches: from the rows that Spark reads to an epoch of the runtime.

workers    rows stay where they are read, by Spark or by the tasks; tasks report what they saw
driver     rows come here as Arrow
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame

from slackwater.base.time import INFINITY
from slackwater.run.checkpoint import offsets
from slackwater.run.checkpoint.backlog import Backlog
from slackwater.run.checkpoint.files import SPARK
from slackwater.run.checkpoint.lateness import Entries
from slackwater.run.cluster.placement import Computed, InWorkers
from slackwater.run.cluster.workers import FileScan, Scan
from slackwater.run.epochs import Arrivals
from slackwater.run.input.aside import Aside
from slackwater.run.input.feeds import Feed, combined
from slackwater.run.input.fetch import fetch_rows, is_large, weight_of_files, weight_of_table
from slackwater.run.input.filtered import Known, advanced, filtered, with_dropped
from slackwater.run.input.intake import MalformedRow, Seen, SourceRows, check_lines, take_in
from slackwater.run.input.plain_files import LeftToSpark, read_here
from slackwater.run.input.row_groups import Share, shares_of
from slackwater.run.notices import Notices
from slackwater.run.runtime import Runtime
from slackwater.run.watermarks import SourceTime, clocked, watermarks

SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class _Read:
    """Rows of some sources: a batch, with the files that it is from, or finished sources."""

    frame: DataFrame
    feeds: Sequence[Feed]
    files: tuple[str, ...] | None = None

    @property
    def weight(self) -> int:
        """About how many bytes they would be as text."""
        return weight_of_table(self.frame) if self.files is None else weight_of_files(self.files)


@dataclass(slots=True)
class Batches:
    """Computes an epoch of a runtime from each batch of Spark."""

    runtime: Runtime
    feeds: Sequence[Feed]
    aside: Aside | None
    notices: Notices
    folder: Path = Path()
    """Where rows may be on their way to the driver."""
    backlog: Backlog | None = None
    """What of the files that were there at the start is not yet read."""
    _last_rows: dict[str, float] = field(default_factory=dict)
    """When each source last had rows."""
    _tasks_read: bool = True
    """Whether scan tasks may read files: not after they failed to, where they do not have them."""

    @property
    def growing(self) -> list[Feed]:
        return [feed for feed in self.feeds if feed.frame.isStreaming]

    @property
    def finished(self) -> list[Feed]:
        return [feed for feed in self.feeds if not feed.frame.isStreaming]

    def compute(self, number: int, frame: DataFrame | None, files: Sequence[str] = ()) -> None:
        """Compute an epoch from a batch of the growing sources, or, without one, their end."""
        if self.aside is not None:
            self.aside.number = number
        times = self._times(number, is_end=frame is None)
        unread = [feed for feed in self.finished if self._watermark(feed) < INFINITY]
        rest = [_Read(combined(unread), unread)] if unread else []
        if frame is None:
            self._compute(number, times, rest, {})
            return
        if not self._compute_by_arrow(number, times, files, rest):
            self._compute_by_spark(number, times, frame, files, rest)

    def _compute_by_arrow(
        self, number: int, times: Sequence[SourceTime], files: Sequence[str], rest: Sequence[_Read]
    ) -> bool:
        """Compute an epoch from files that are read without the JVM, unless Spark has to read them."""
        placement = self.runtime.placement
        if not isinstance(placement, InWorkers):
            tables = None if is_large(weight_of_files(files)) else read_here(self.growing, files)
            if tables is not None:
                self._fetch(number, times, rest, {}, tables)
            return tables is not None
        places = [self.feeds.index(feed) for feed in self.growing]
        shares = shares_of(self.growing, places, files, placement.partitions) if self._tasks_read else None
        if shares is None:
            return False
        try:
            self._scan(placement, number, times, rest, {}, shares)
        except LeftToSpark:
            self._tasks_read = False
            self._forget(number)
            return False
        return True

    def _compute_by_spark(
        self,
        number: int,
        times: Sequence[SourceTime],
        frame: DataFrame,
        files: Sequence[str],
        rest: Sequence[_Read],
    ) -> None:
        batch = filtered(frame, self.growing, files, self.runtime.epochs.now)
        try:
            read = _Read(batch.frame, self.growing, tuple(files))
            self._compute(number, advanced(times, batch.known), [read, *rest], batch.known)
        except MalformedRow:
            self._forget(number)
            read = _Read(frame, self.growing, tuple(files))
            self._compute(number, times, [read, *rest], {})

    def _forget(self, number: int) -> None:
        """Forget the rows that an attempt at an epoch has set aside."""
        if self.aside is not None:
            self.aside.forget(number)

    def _compute(
        self, number: int, times: Sequence[SourceTime], reads: Sequence[_Read], known: Known
    ) -> None:
        placement = self.runtime.placement
        if isinstance(placement, InWorkers):
            self._scan(placement, number, times, reads, known)
        else:
            self._fetch(number, times, reads, known)

    def _scan(
        self,
        placement: InWorkers,
        number: int,
        times: Sequence[SourceTime],
        reads: Sequence[_Read],
        known: Known,
        shares: Sequence[Share] = (),
    ) -> None:
        """Rows stay where they are read: by Spark, or shares of files by the tasks."""
        scans: list[Scan | FileScan] = [FileScan(tuple(shares))] if shares else []
        scans += [Scan(one.frame, tuple(self.feeds.index(feed) for feed in one.feeds)) for one in reads]

        def compute(lo: int) -> Computed:
            computed = placement.scan(number, lo, times, scans, filtered=known)
            computed = replace(computed, seen=with_dropped(computed.seen, known))
            for feed in self.feeds:
                check_lines(feed.intake, computed.seen.get(feed.source.name, Seen()))
            self._count(computed.seen)
            self.note_times(times, computed.seen)
            return computed

        self.runtime.run(
            number, compute, lambda seen: watermarks(times, seen), partial(self._entries, number)
        )

    def _fetch(
        self,
        number: int,
        times: Sequence[SourceTime],
        reads: Sequence[_Read],
        known: Known,
        tables: Sequence[pa.Table] = (),
    ) -> None:
        """Rows come to the driver; the tables of growing sources that it has read are there already."""
        rows: dict[str, SourceRows] = {}
        for feed, table in zip(self.growing, tables, strict=False):
            rows |= self._take_in(table, [feed], known)
        for one in reads:
            rows |= self._take_in(fetch_rows(one.frame, self.folder, one.weight), one.feeds, known)
        seen = with_dropped({name: part.seen for name, part in rows.items()}, known)
        self.note_times(times, seen)
        after = watermarks(times, seen)
        arrived = {
            source.name: Arrivals(clocked(part.elements, source), after[source.name])
            for source in times
            if (part := rows.pop(source.name, None)) is not None
        }
        entries = partial(self._entries, number)
        self.runtime.step(number, self._with_rest(arrived, after), seen, entries)

    def _entries(self, number: int) -> Entries:
        """What the batch reads of Spark's logs: one for each source, in the order of the feeds."""
        entries = offsets.entries_of(self.folder / SPARK, number)
        return {feed.source.name: entries[at] for at, feed in enumerate(self.growing) if at in entries}

    def _with_rest(self, arrived: dict[str, Arrivals], after: Mapping[str, int]) -> dict[str, Arrivals]:
        """The arrivals of all sources: of those that were not read, none."""
        sources = [feed.source for feed in self.feeds if feed.source.name not in arrived]
        rest = {source.name: Arrivals(self.runtime.nothing(source), after[source.name]) for source in sources}
        return arrived | rest

    def _take_in(self, rows: pa.Table, feeds: Sequence[Feed], known: Known) -> dict[str, SourceRows]:
        assert self.aside is not None
        return take_in(rows, [feed.intake for feed in feeds], self.aside, filtered=known)

    def _count(self, seen: Mapping[str, Seen]) -> None:
        """Add up the rows that tasks set aside."""
        assert self.aside is not None
        for name, one in seen.items():
            for counts, count in ((self.aside.malformed, one.malformed), (self.aside.ahead, one.ahead)):
                if count:
                    counts[name] = counts.get(name, 0) + count

    def _watermark(self, feed: Feed) -> int:
        return self.runtime.epochs.watermarks[feed.source.name]

    def _times(self, number: int, *, is_end: bool) -> list[SourceTime]:
        """What is known of the time of each source before the batch."""
        assert self.backlog is not None or is_end
        limits = {} if self.backlog is None or is_end else self.backlog.limits(number)
        now, largest = time.time(), self._largest_times()
        times: list[SourceTime] = []
        for feed in self.feeds:
            name = feed.source.name
            since = self._last_rows.setdefault(name, now)
            is_idle = feed.idle is not None and now - since >= feed.idle
            times.append(
                SourceTime(
                    name,
                    self._watermark(feed),
                    largest[name],
                    feed.clock.begin,
                    feed.delay,
                    feed.read_ahead,
                    self.runtime.epochs.latest.get(name, ()),
                    limit=limits.get(name, INFINITY),
                    now=int(now * SECOND) if feed.is_clocked else None,
                    is_idle=is_idle and not feed.is_clocked,
                    is_finished=is_end or not feed.frame.isStreaming,
                )
            )
        return times

    def _largest_times(self) -> dict[str, int]:
        """The largest time of each source so far."""
        epochs = self.runtime.epochs
        for feed in self.feeds:
            watermark = epochs.watermarks[feed.source.name]
            epochs.seen.setdefault(
                feed.source.name, watermark + feed.delay if watermark > feed.clock.begin else watermark
            )
        return epochs.seen

    def note_times(self, times: Sequence[SourceTime], seen: Mapping[str, Seen]) -> None:
        """Note when rows came, and where the clock was set back: then the time stays where it was."""
        for one in times:
            if one.name in seen and seen[one.name].rows:
                self._last_rows[one.name] = time.time()
            least = seen[one.name].least if one.name in seen else None
            if one.now is not None and least is not None and least < one.watermark - SECOND:
                back = (one.watermark - one.now) / SECOND
                self.notices.texts["clock"] = (
                    f"the clock was set back by about {back:,.0f} seconds: until it has caught up, rows "
                    "without a time column get the latest time of arrival before that"
                )
