"""An index: the places of rows in the order of a hash of some columns.

Equal values have equal hashes (NULLs, NaNs and both zeros count as equal). Other values may have the same
hash, so a lookup returns the matching rows and possibly others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.kernels.keys import Ints
from slackwater.kernels.overlaps import ranges

Hashes = NDArray[np.uint64]
_HALF = np.uint64(32)
_LOW = np.uint64((1 << 32) - 1)


@lru_cache(maxsize=4096)
def _hash(columns: tuple[str, ...]) -> pl.Expr:
    # Each column has a seed of its own: XOR alone would make (x, x) the same for every x.
    mixed = pl.col(columns[0]).hash(1)
    for seed, name in enumerate(columns[1:], start=2):
        mixed = mixed ^ pl.col(name).hash(seed)
    return mixed.alias("@hash")


def hashes(frame: pl.DataFrame, columns: tuple[str, ...]) -> Hashes:
    """A hash of the columns of each row."""
    return frame.select(_hash(columns)).to_series().to_numpy()


def nested_hashes(frame: pl.DataFrame, group: tuple[str, ...], key: tuple[str, ...]) -> Hashes:
    """Hashes of the key: half the group's, then half the key's, so that a group is a range of hashes."""
    if group == key:
        return hashes(frame, key)
    return (hashes(frame, group) & ~_LOW) | (hashes(frame, key) >> _HALF)


def ordered_hashes(frame: pl.DataFrame, columns: tuple[str, ...]) -> Hashes:
    """A hash of all columns but the last, plus the last: neighbours in that one have neighbouring hashes."""
    *others, last = columns
    numbers = frame[last].to_numpy().astype(np.int64, copy=False).view(np.uint64)
    return hashes(frame, tuple(others)) + numbers if others else numbers


@dataclass(frozen=True, slots=True)
class Ranges:
    """Hashes to look for: from `first` to `last`, in order and apart."""

    first: Hashes
    last: Hashes

    @classmethod
    def of(cls, values: Hashes, *, groups: bool = False) -> Ranges:
        """Those values, or all that begin as they do, where they are hashes of groups."""
        ordered = np.sort(values & ~_LOW if groups else values)
        distinct = ordered[
            np.concatenate([np.ones(min(1, len(ordered)), np.bool_), ordered[1:] != ordered[:-1]])
        ]
        return cls(distinct, distinct | _LOW if groups else distinct)


@dataclass(frozen=True, slots=True)
class Index:
    """Hashes in order, and the place of the row of each."""

    hashes: Hashes
    places: Ints

    @classmethod
    def of(cls, values: Hashes) -> Index:
        places = np.argsort(values, kind="stable")
        return cls(values[places], places)

    @classmethod
    def merged(cls, indexes: Sequence[Index], starts: Sequence[int]) -> Index:
        """The index of frames in a row, the first rows of which are at `starts`."""
        values = np.concatenate([index.hashes for index in indexes])
        places = np.concatenate([index.places + start for index, start in zip(indexes, starts, strict=True)])
        # Stable, so that of equal hashes the older comes first; fast, since there are few ordered stretches.
        order = np.argsort(values, kind="stable")
        return cls(values[order], places[order])

    def without(self, alive: NDArray[np.bool_]) -> Index:
        """The index of the rows that are alive, once the others have been removed."""
        stays = alive[self.places]
        return Index(self.hashes[stays], (np.cumsum(alive) - 1)[self.places[stays]])

    def find(self, sought: Ranges) -> Ints:
        """The places of the rows with these hashes."""
        return self.places[places_of(self.hashes, sought)]

    def repeated(self) -> Ints:
        """The places of the rows whose hash another row has, too, in order."""
        same = self.hashes[1:] == self.hashes[:-1]
        either = np.concatenate([same, [False]]) | np.concatenate([[False], same])
        return np.sort(self.places[either[: len(self.places)]])


def places_of(ordered: Hashes, sought: Ranges) -> Ints:
    """The places of the hashes that are sought, among hashes in order."""
    if len(ordered) < len(sought.first):
        before = np.searchsorted(sought.first, ordered, side="right") - 1
        return np.flatnonzero((before >= 0) & (ordered <= sought.last[before]))
    begin = np.searchsorted(ordered, sought.first)
    near = ordered[np.minimum(begin, len(ordered) - 1)] if len(ordered) else sought.first[:0]
    hit = (begin < len(ordered)) & (near >= sought.first) & (near <= sought.last)
    begin = begin[hit]
    end = np.searchsorted(ordered, sought.last[hit], side="right")
    return ranges(begin, end)[1]
