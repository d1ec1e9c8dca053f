"""Files that are not read yet: the watermark does not pass the rows in them.

    files   a [1 9]   b [4 6]   c [2 3]        Spark reads them in the order of their modification times
    read    a                                  9 has been seen, but c begins at 2: the watermark is 2
            a c                                b begins at 4
            a c b                              9

So none of their rows is late, in whatever order and batches they are read.

checkpoint/backlog.json     from which batch on each file is known, and the least time in it
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import functions as f
from pyspark.sql.types import TimestampNTZType

from slackwater.base.places import is_remote
from slackwater.base.time import INFINITY
from slackwater.run.checkpoint.files import BACKLOG, read_json, reported, write_json
from slackwater.run.checkpoint.offsets import FilesRead
from slackwater.run.input.feeds import Feed, instant_of, kind_of
from slackwater.run.input.misfits import file_name
from slackwater.run.input.tags import TIME
from slackwater.sources.footers import least_in_footer
from slackwater.sources.readers import FILE
from slackwater.storage.location import Location


@dataclass(slots=True)
class UnreadFile:
    """A file that is not read yet: the first batch that knows it, and its least time, once computed."""

    since: int
    least: int | None = None


@dataclass(slots=True)
class Backlog:
    """The unread files of each source. What a batch depends on is saved before it is used: a batch that is
    repeated after a crash must come to the same epoch."""

    folder: Location
    feeds: Sequence[Feed]
    log: FilesRead
    known: dict[str, dict[str, UnreadFile]] = field(default_factory=dict)
    listed: int = -1
    """The last batch for which the files were listed."""

    def begin(self, number: int) -> None:
        """List the files before batch `number`, unless Spark has planned that batch already."""
        with reported(self.folder / BACKLOG):
            is_saved = (self.folder / BACKLOG).exists()
        if is_saved:
            self._load()
        if not self.log.is_cut(number):
            self._forget_after(number)
        self._list(self.feeds, number + self.log.is_cut(number))

    def _forget_after(self, number: int) -> None:
        """A batch that Spark has not planned is planned anew: all files that are known, are known to it.

        A run that no longer owned the checkpoint may have saved what it knew.
        """
        self.listed = min(self.listed, number - 1)
        for files in self.known.values():
            for file in files.values():
                file.since = min(file.since, number)

    def limits(self, number: int) -> dict[str, int]:
        """By source, the time that the watermark of the batch must not pass."""
        if self.listed < number:
            self._list([feed for feed in self.feeds if feed.order is not None], number)
        read = self.log.upto(number)
        return {feed.source.name: self._limit(feed, number, read) for feed in self.feeds}

    def _list(self, feeds: Sequence[Feed], number: int) -> None:
        for feed in feeds:
            assert feed.files is not None
            known = self.known.setdefault(feed.source.name, {})
            for address in feed.files.listed():
                known.setdefault(file_name(address), UnreadFile(number))
        if feeds:
            self.listed = number
            self._save()

    def _limit(self, feed: Feed, number: int, read: Sequence[set[str]]) -> int:
        known = self.known.get(feed.source.name, {})
        done = _read_by_all(read, known)
        for path in [path for path in known if path in done or not _exists(path)]:
            del known[path]
        ahead = {path: file for path, file in known.items() if file.since <= number}
        if feed.order == "name":
            return feed.clock.begin if ahead and done and min(ahead) < max(done) else INFINITY
        new = [path for path, file in ahead.items() if file.least is None]
        if new:
            for path, least in least_times(feed, new).items():
                known[path].least = least
            self._save()
        return min((file.least for file in ahead.values() if file.least is not None), default=INFINITY)

    def _load(self) -> None:
        content = read_json(self.folder / BACKLOG)
        self.listed = content["listed"]
        self.known = {
            name: {path: UnreadFile(*facts) for path, facts in files.items()}
            for name, files in content["sources"].items()
        }

    def _save(self) -> None:
        sources: dict[str, Any] = {
            name: {path: (file.since, file.least) for path, file in files.items()}
            for name, files in self.known.items()
        }
        write_json(self.folder / BACKLOG, {"listed": self.listed, "sources": sources})


def backlog_of(folder: Location, log: Path, feeds: Sequence[Feed]) -> Backlog:
    """The backlog of the feeds of files with times, except those read in the order of modification."""
    files = [
        feed
        for feed in feeds
        if feed.files is not None
        and not feed.files.is_trimmed
        and feed.source.time is not None
        and feed.order != "modified"
    ]
    return Backlog(folder, files, FilesRead(log))


def least_times(feed: Feed, files: Sequence[str]) -> dict[str, int]:
    """The least time in each file; of a file without rows, the end of time.

    The footers of Parquet have it; in other files it takes one pass over the column.
    """
    least = _in_footers(feed, files)
    if rest := [path for path in files if path not in least]:
        least |= _by_scan(feed, rest)
    return {path: max(feed.clock.begin, least.get(path, INFINITY)) for path in files}


def _in_footers(feed: Feed, files: Sequence[str]) -> dict[str, int]:
    time = feed.source.time
    assert feed.files is not None
    assert time is not None
    kind = kind_of(feed.frame, time)
    if feed.files.kind != "parquet" or (feed.zone is not None and isinstance(kind, TimestampNTZType)):
        return {}
    times = {path: least_in_footer(path, time, kind) for path in files if not is_remote(path)}
    return {path: least for path, least in times.items() if least is not None}


def _by_scan(feed: Feed, files: Sequence[str]) -> dict[str, int]:
    assert feed.files is not None
    rows = feed.files.table(files).select(f.col(f"`{FILE}`"), instant_of(feed).alias(TIME))
    least = rows.groupBy(f.col(f"`{FILE}`")).agg(f.min(f.col(f"`{TIME}`")).alias("least")).collect()
    return {file_name(row[0]): row[1] for row in least if row[1] is not None}


def _read_by_all(read: Sequence[set[str]], known: dict[str, UnreadFile]) -> set[str]:
    """The files that were read; where several sources read the same files, by all of them.

    Spark does not write which of its logs is a source's own: it is one that has files of the source.
    """
    logs = [files for files in read if not files.isdisjoint(known)]
    return set.intersection(*logs) if logs else set()


def _exists(path: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return is_remote(path) or Path(path).exists()
    return False
