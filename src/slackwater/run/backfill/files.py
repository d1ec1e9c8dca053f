"""The files that a checkpoint has read, and whether they can be read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from slackwater.base.places import is_remote
from slackwater.run.backfill.pieces import Past
from slackwater.run.checkpoint.changed_files import modified_at
from slackwater.run.checkpoint.lateness import Lateness
from slackwater.run.checkpoint.offsets import files_by_entry
from slackwater.run.checkpoint.store import Manifest
from slackwater.run.input.feeds import Feed
from slackwater.run.input.misfits import file_name
from slackwater.storage.location import Location


def changed(files: Mapping[str, int]) -> list[str]:
    """The files that are gone, or are not as Spark found them, by their dates.

    Of a file on other storage that is not known here: reading it fails where it is gone.
    """
    return [path for path, date in files.items() if not is_remote(path) and modified_at(path) != date]


@dataclass(frozen=True, slots=True)
class PastFiles:
    """What a checkpoint has read, of each of its feeds."""

    feeds: Sequence[Feed]
    """All of them: their order is that of the sources in Spark's log."""
    log: Path
    folder: Location
    last: Manifest

    def past(self, feed: Feed) -> Past:
        """What was read of a feed that grows."""
        return Past(self._entries(feed), self._bounds(feed) or {})

    def why_not(self, feed: Feed) -> Iterator[str]:
        """Why the rows of a feed cannot be read again."""
        name = f'{feed.source.plan.kind} "{feed.source.name}"'
        if feed.is_clocked:
            yield f"Rows of {name} count by the time of their arrival, which is not stored"
        elif feed.source.name not in self.last.facts["watermarks"]:
            return  # a table that was never read
        elif feed.max_ahead is not None:
            yield f"Which rows of {name} were too far ahead of the clock is not stored"
        elif feed.files is None:
            yield f"Rows of {name} do not come from files, and cannot be read again"
        elif not feed.frame.isStreaming:
            yield from self._why_not_table(feed, name)
        elif any(_log_count(other) != 1 for other in self._growing):
            yield f"Spark's log does not say which files are those of {name}"
        else:
            yield from self._why_not_files(feed, name)

    def _why_not_files(self, feed: Feed, name: str) -> Iterator[str]:
        assert feed.files is not None
        dates = {path: date for files in self._entries(feed).values() for path, date in files.items()}
        if different := changed(dates):
            yield f"{_counted(different)} that {name} has read changed since"
        elif not dates.keys() <= set(map(file_name, feed.files.listed())):
            yield f"Spark's log does not say which files are those of {name}"
        elif self._bounds(feed) is None:
            yield f"Which rows of {name} were late is not stored: an earlier version has read them"

    def _why_not_table(self, feed: Feed, name: str) -> Iterator[str]:
        """A table is read with the first batch, shortly after Spark's log was begun."""
        assert feed.files is not None
        begun = modified_at(str(self.log / "metadata")) or 0
        dates = {path: modified_at(path) for path in map(file_name, feed.files.listed())}
        if different := [path for path, date in dates.items() if date is None or date > begun]:
            yield f"{_counted(different)} of {name} changed since it was read, or cannot be compared"

    @property
    def _growing(self) -> list[Feed]:
        return [feed for feed in self.feeds if feed.frame.isStreaming]

    def _entries(self, feed: Feed) -> dict[int, dict[str, int]]:
        return files_by_entry(self.log, self.last.number, self._growing.index(feed))

    def _bounds(self, feed: Feed) -> dict[int, int] | None:
        name, facts = feed.source.name, self.last.facts
        return Lateness.of(facts).bounds(self.folder, name, facts["late"].get(name, 0))


def _log_count(feed: Feed) -> int:
    """How many sources of Spark's a feed has, at most: a DataFrame of a user may have several."""
    return (
        1
        if feed.files is not None
        else int(feed.frame._jdf.queryExecution().analyzed().collectLeaves().size())
    )


def _counted(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f'File "{min(paths)}"{more}'
