"""The past in pieces: which files are read again together, and how far time advances with them.

    entries     a [1 5]   b [3 9]   c [7 8]        the files of a source, with the times of their rows
    pieces      [0,3)     [3,7)     [7,end)        a piece ends where the rows of the files after it begin

So no row is late that was not late then, however files were divided into batches, and few rows have to wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from slackwater.base.time import INFINITY


@dataclass(frozen=True, slots=True)
class Past:
    """What was read of a source: files by entry of its log, with their dates."""

    entries: Mapping[int, Mapping[str, int]]
    bounds: Mapping[int, int] = field(default_factory=dict)
    """By entry, the instant before which rows were late."""

    @property
    def files(self) -> dict[str, int]:
        return dict(chain.from_iterable(files.items() for files in self.entries.values()))

    def groups(self, most: int) -> list[Group]:
        """Its entries, in at most so many groups: entries of one batch have the same bound."""
        groups = [Group(tuple(files), self.bounds.get(entry)) for entry, files in self.entries.items()]
        at = 0
        while len(groups) > most and at + 1 < len(groups):
            one, other = groups[at : at + 2]
            if one.bound == other.bound:
                groups[at : at + 2] = [Group(one.files + other.files, one.bound)]
            else:
                at += 1
        return groups


@dataclass(frozen=True, slots=True)
class Group:
    """Files of a source that are read together."""

    files: tuple[str, ...]
    bound: int | None = None
    """The instant before which their rows were late."""

    def begin(self, least: Mapping[str, int]) -> int:
        """An instant before which they have no row that counts, from the least time in each file."""
        first = min((least[path] for path in self.files), default=INFINITY)
        return first if self.bound is None else max(first, self.bound)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the past. Its number is that of an epoch before the first one with the added queries."""

    number: int
    lo: int
    hi: int
    groups: Mapping[str, Group]
    """What is read, by source."""


def pieces_of(
    pasts: Mapping[str, Past], least: Mapping[str, int], begin: int, end: int, done: int
) -> list[Piece]:
    """The past up to the epoch `done`, which ends at `end`; `least` is the least time in each file."""
    groups = {name: past.groups(done + 1) for name, past in pasts.items()}
    count = max((len(own) for own in groups.values()), default=0) or 1
    ends = [end] * count
    for at in reversed(range(count - 1)):
        later = [own[at + 1].begin(least) for own in groups.values() if len(own) > at + 1]
        ends[at] = max(begin, min([ends[at + 1], *later]))
    return [
        Piece(at, lo, hi, {name: own[at] for name, own in groups.items() if len(own) > at})
        for at, (lo, hi) in enumerate(zip([begin, *ends], ends, strict=False))
    ]
