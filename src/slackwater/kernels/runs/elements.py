"""Runs of elements: in memory, with an index, or in a mapped file, in the order of the index."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from slackwater.kernels.keys import Ints
from slackwater.kernels.runs.index import Hashes, Index, Ranges, hashes, ordered_hashes, places_of
from slackwater.kernels.runs.tiers import FrameRun, rows_at
from slackwater.storage.mapped import mapped

_HASH, _DUES = "@hash", "@dues"


class Form(NamedTuple):
    """What the columns of elements are."""

    due: str
    """The end of an element."""
    summed: str
    """Its number of copies."""
    by: tuple[str, ...]
    """The columns that elements are looked up by."""
    in_grid: bool = False
    """Whether the last of these is a whole number whose neighbours are looked up together: a cell."""

    def hashes(self, frame: pl.DataFrame, columns: tuple[str, ...]) -> Hashes:
        return (ordered_hashes if self.in_grid else hashes)(frame, columns)


class Elements(FrameRun):
    """Elements in any order, with an index by the join's columns."""

    def __init__(
        self, frame: pl.DataFrame, form: Form, index: Index | None = None, is_summed: bool = False
    ) -> None:
        super().__init__(frame)
        self._form, self._index = form, index
        self.is_summed = is_summed
        self._counted: tuple[int, int] | None = None

    @cached_property
    def first(self) -> int:
        return int(self._ends.min())

    @cached_property
    def last(self) -> int:
        return int(self._ends.max())

    @property
    def _ends(self) -> Ints:
        return self.frame[self._form.due].to_numpy()

    @cached_property
    def _dues(self) -> Ints:
        return np.sort(self._ends)

    @cached_property
    def deletions(self) -> int:
        return int((self.frame[self._form.summed] < 0).sum())

    @property
    def pending(self) -> int:
        """How many deletions may still be added up with what they delete."""
        return 0 if self.is_summed else self.deletions

    @property
    def has_index(self) -> bool:
        return self._index is not None

    def ended(self, now: int) -> int:
        """How many elements are due before `now`."""
        if self.first >= now:
            return 0
        if self.last < now:
            return self.height
        if self._counted is None:
            # Sorting pays off for a run that is counted again at another time.
            self._counted = now, int((self._ends < now).sum())
        at, count = self._counted
        return count if at == now else int(np.searchsorted(self._dues, now))

    @property
    def index(self) -> Index:
        if self._index is None:
            self.frame = self.frame.rechunk()
            self._index = Index.of(self._form.hashes(self.frame, self._form.by))
        return self._index

    def find(self, sought: Ranges) -> pl.DataFrame | None:
        """The elements with these hashes, if there are any."""
        places = self.index.find(sought)
        return rows_at(self.frame, places) if len(places) else None

    @property
    def hashes(self) -> Hashes:
        """In order."""
        return self.index.hashes

    def alive(self, now: int) -> pl.DataFrame:
        """The elements that are not due before `now`."""
        return self.frame.filter(pl.Series(self._ends >= now)) if self.ended(now) else self.frame

    def since(self, now: int) -> Elements:
        """A run of the elements that are not due before `now`."""
        if not self.ended(now):
            return self
        index = None if self._index is None else self._index.without(self._ends >= now)
        return Elements(self.alive(now), self._form, index, self.is_summed)


class Spilled(Elements):
    """Elements in a mapped file, in the order of their hashes, so that what is near is in the same pages.

    The file has their hashes, too, and their dues in an order of their own: both are searched where they are.
    """

    is_spilled = True

    def __init__(self, frame: pl.DataFrame, form: Form, is_summed: bool = False) -> None:
        numbers = form.hashes(frame, form.by) if form.by else np.zeros(frame.height, np.uint64)
        order = np.argsort(numbers, kind="stable")
        own = pl.Series(_HASH, numbers[order]), pl.Series(_DUES, np.sort(frame[form.due].to_numpy()))
        self._file = mapped(rows_at(frame, order).with_columns(own))
        super().__init__(self._file.drop(_HASH, _DUES), form, is_summed=is_summed)

    @property
    def _dues(self) -> Ints:
        return self._file[_DUES].to_numpy()

    @property
    def hashes(self) -> Hashes:
        return self._file[_HASH].to_numpy()

    def ended(self, now: int) -> int:
        return int(np.searchsorted(self._dues, now))

    def find(self, sought: Ranges) -> pl.DataFrame | None:
        places = places_of(self.hashes, sought)
        return rows_at(self.frame, places) if len(places) else None

    def between(self, first: np.uint64, last: np.uint64) -> pl.DataFrame:
        """The elements with hashes from `first` to `last`."""
        begin = int(np.searchsorted(self.hashes, first))
        end = int(np.searchsorted(self.hashes, last, side="right"))
        return self.frame.slice(begin, end - begin)

    def since(self, now: int) -> Spilled:
        return Spilled(self.alive(now), self._form, self.is_summed) if self.ended(now) else self
