"""Rows of the past, read again from their files: in the driver, or where Spark reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from pyspark.sql import DataFrame

from slackwater.base.diagnostic import EngineError
from slackwater.run.backfill import files
from slackwater.run.backfill.pieces import Past, Piece, pieces_of
from slackwater.run.checkpoint import problems
from slackwater.run.checkpoint.backlog import least_times
from slackwater.run.cluster.placement import Computed, InWorkers, Placement
from slackwater.run.cluster.workers import Scan
from slackwater.run.input.aside import Aside
from slackwater.run.input.feeds import Feed, combined, instant_of
from slackwater.run.input.fetch import fetch_rows, weight_of_files, weight_of_table
from slackwater.run.input.intake import split_late, take_in
from slackwater.run.input.misfits import Misfits
from slackwater.run.watermarks import SourceTime


class Discarding(Aside):
    """Rows that cannot enter have been set aside and counted when they were read first."""

    __slots__ = ()

    def set_aside(self, number: int, source: str, rows: pl.DataFrame) -> None:
        """Late rows of then are left out before; others come only from files that have changed."""
        raise EngineError(problems.CHANGED_FILES.at(where=f'source "{source}"'))

    def malformed_rows(self, misfits: Misfits) -> None: ...

    def ahead_rows(self, source: str, rows: pl.DataFrame) -> None: ...


@dataclass(frozen=True, slots=True)
class PastRows:
    """The rows that were read before, of the sources of added queries."""

    feeds: Sequence[Feed]
    pasts: Mapping[str, Past]
    """Of the sources that grow; the others are read whole with the first piece."""
    aside: Aside
    folder: Path
    """Where rows may be on their way to the driver."""
    begin: int
    end: int
    done: int

    def pieces(self) -> list[Piece]:
        """The pieces, by the least time in each file."""
        least: dict[str, int] = {}
        for feed in self.feeds:
            if (past := self.pasts.get(feed.source.name)) and past.files:
                least |= least_times(feed, list(past.files))
        return pieces_of(self.pasts, least, self.begin, self.end, self.done)

    def compute(self, placement: Placement, piece: Piece) -> Computed:
        """Compute a piece; raises EngineError where files have changed meanwhile."""
        feeds = [read for feed in self.feeds if (read := self._read(feed, piece)) is not None]
        if isinstance(placement, InWorkers):
            computed = self._scan(placement, piece, feeds)
        else:
            computed = placement.compute(piece.number, piece.lo, piece.hi, self._fetch(piece, feeds))
        for name, group in piece.groups.items():
            dates = self.pasts[name].files
            if files.changed({path: dates[path] for path in group.files}):
                raise EngineError(problems.CHANGED_FILES.at(where=f'source "{name}"'))
        return computed

    def _read(self, feed: Feed, piece: Piece) -> Feed | None:
        """The feed with the rows of the piece; None where it has none."""
        if feed.source.name not in self.pasts:
            return feed if piece.number == 0 else None
        group = piece.groups.get(feed.source.name)
        if group is None:
            return None
        assert feed.files is not None
        again = replace(feed, frame=feed.files.again(group.files))
        return again if group.bound is None else replace(again, frame=_on_time(again, group.bound))

    def _scan(self, placement: InWorkers, piece: Piece, feeds: Sequence[Feed]) -> Computed:
        names = [feed.source.name for feed in self.feeds]
        sources = tuple(names.index(feed.source.name) for feed in feeds)
        times = [SourceTime(name, piece.lo, piece.lo) for name in names]
        scans = [Scan(combined(feeds), sources)] if feeds else []
        return placement.scan(piece.number, piece.lo, times, scans, piece.hi)

    def _fetch(self, piece: Piece, feeds: Sequence[Feed]) -> dict[str, pl.DataFrame]:
        if not feeds:
            return {}
        frame = combined(feeds)
        paths = [path for group in piece.groups.values() for path in group.files]
        weight = weight_of_files(paths) + sum(
            weight_of_table(feed.frame) for feed in feeds if feed.source.name not in self.pasts
        )
        rows = take_in(fetch_rows(frame, self.folder, weight), [feed.intake for feed in feeds], self.aside)
        elements: dict[str, pl.DataFrame] = {}
        for name, part in rows.items():
            elements[name], late = split_late(part.elements, piece.lo)
            if late.height:
                self.aside.set_aside(piece.number, name, late)
        return elements


def _on_time(feed: Feed, bound: int) -> DataFrame:
    """The rows without those before an instant; rows without a time are malformed, not late."""
    time = instant_of(feed)
    return feed.frame.where(time.isNull() | (time >= bound))
