"""The sessions of each key, followed through the changes of an epoch."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple


class Change(NamedTuple):
    """More or fewer copies of a row from an instant on; changes are sorted by key and instant."""

    key: int
    at: int
    row: int
    time: int
    copies: int


class Record(NamedTuple):
    """A row, from an instant on: its session, and how many copies of it there are."""

    row: int
    at: int
    start: int
    end: int
    copies: int


@dataclass(slots=True)
class Times:
    """The rows of a key by their times, and the session that each time is in."""

    ordered: list[int] = field(default_factory=list)
    rows: dict[int, dict[int, int]] = field(default_factory=dict)
    """By time, the copies of each row."""
    sessions: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, row: int, time: int, copies: int) -> int:
        """How many copies of the row there are then."""
        if time not in self.rows:
            self.rows[time] = {}
            insort(self.ordered, time)
        rows = self.rows[time]
        total = rows.pop(row, 0) + copies
        if total:
            rows[row] = total
        if not rows:
            del self.rows[time]
            del self.ordered[bisect_left(self.ordered, time)]
            self.sessions.pop(time, None)
        return total

    def around(self, time: int, gap: int) -> Iterator[tuple[int, int]]:
        """The places of the sessions that a time is in, or was between: first and last, inclusive."""
        place = bisect_left(self.ordered, time)
        if time in self.rows:
            yield self.session_at(place, gap)
            return
        if place > 0:
            yield self.session_at(place - 1, gap)
        if place < len(self.ordered):
            yield self.session_at(place, gap)

    def session_at(self, place: int, gap: int) -> tuple[int, int]:
        """The places of the session of the time at a place: first and last, inclusive."""
        times, first, last = self.ordered, place, place
        while first > 0 and times[first] - times[first - 1] <= gap:
            first -= 1
        while last + 1 < len(times) and times[last + 1] - times[last] <= gap:
            last += 1
        return first, last


@dataclass(slots=True)
class Following:
    """What changes of rows do to the sessions they are in."""

    gap: int
    keys: dict[int, Times] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)

    def hold(self, rows: Iterable[Change]) -> None:
        """The rows that are there before the changes, those of whole sessions."""
        for key, _, row, time, copies in rows:
            self.keys.setdefault(key, Times()).add(row, time, copies)
        for times in self.keys.values():
            for time in times.ordered:
                if time not in times.sessions:
                    self._place(times, *times.session_at(bisect_left(times.ordered, time), self.gap))

    def _place(self, times: Times, first: int, last: int) -> tuple[int, int]:
        session = (times.ordered[first], times.ordered[last] + self.gap)
        times.sessions.update(dict.fromkeys(times.ordered[first : last + 1], session))
        return session

    def follow(self, changes: Iterable[Change]) -> None:
        """Apply the changes of each key and instant together, and record what they change."""
        for (key, at), together in groupby(changes, key=lambda change: change[:2]):
            times, touched = self.keys.setdefault(key, Times()), set()
            for _, _, row, time, copies in together:
                touched.add(time)
                if not times.add(row, time, copies):
                    self.records.append(Record(row, at, 0, 0, 0))
            self._settle(times, at, touched)

    def _settle(self, times: Times, at: int, touched: set[int]) -> None:
        """Record the rows whose session is another one, and those that have come to one."""
        settled: set[int] = set()
        for time in sorted(touched):
            for first, last in times.around(time, self.gap):
                if first in settled:
                    continue
                settled.add(first)
                session = (times.ordered[first], times.ordered[last] + self.gap)
                for member in times.ordered[first : last + 1]:
                    if times.sessions.get(member) != session or member in touched:
                        times.sessions[member] = session
                        self.records += (
                            Record(row, at, *session, copies) for row, copies in times.rows[member].items()
                        )
