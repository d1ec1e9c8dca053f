"""Shares of the eps-grid: windows that are on disk are matched cell range by cell range, in grid order.

    cells of the left side     │ a share  │ the next │ …
    right rows that it needs  ┌┴──────────┴┐                 those of its cells, and of the cells beside them
                              └────────────┘

So the rows of one share are in memory at a time: the buffer of the ε-grid join (thesis, 4.3.4). It is larger
than the limit only if the rows around a single cell are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from slackwater.kernels.bestmatch.cells import CELL, beside, cells_around
from slackwater.kernels.bestmatch.matching import Matching
from slackwater.kernels.keys import Ints
from slackwater.kernels.runs.index import Hashes, Index, Ranges, ordered_hashes
from slackwater.kernels.runs.tiers import rows_at
from slackwater.kernels.state import State
from slackwater.physical.stages.plan import SIDES

LEFT, RIGHT = SIDES
_TIMES = 3
"""How often a right row counts that is near a range of cells of one strip: for a cell before it, its own and
the next one."""


class Cells(NamedTuple):
    """Keys and cells of the left side in grid order: a range of hashes, which no other share has."""

    frame: pl.DataFrame
    hashes: Hashes

    @property
    def range(self) -> Ranges:
        return Ranges(self.hashes[:1], self.hashes[-1:])


class Placed:
    """Rows that are looked up by the hashes of their keys and cells."""

    def __init__(self, frame: pl.DataFrame, columns: tuple[str, ...]) -> None:
        self._frame = frame
        self._index = Index.of(ordered_hashes(frame, columns))

    def within(self, sought: Ranges) -> pl.DataFrame:
        """The rows with these hashes."""
        return rows_at(self._frame, self._index.find(sought))


def shares(state: State, matching: Matching, cells: pl.DataFrame, most: int) -> Iterator[Cells]:
    """The keys and cells of the left side, each once: in shares of about `most` rows of both sides."""
    columns = (*matching.left, CELL)
    cells = cells.select(columns).unique(maintain_order=False)
    hashes = ordered_hashes(cells, columns)
    order = np.argsort(hashes, kind="stable")
    cells, hashes = rows_at(cells, order), hashes[order]
    rows = state.counts(LEFT, cells, columns) + _near(state, matching, cells) // _TIMES
    number = (np.cumsum(rows) - rows) // most
    is_first = np.diff(number, prepend=-1) > 0
    is_first[1:] &= hashes[1:] != hashes[:-1]  # cells with one hash are in one share
    for begin, end in pairwise([*np.flatnonzero(is_first).tolist(), cells.height]):
        yield Cells(cells.slice(begin, end - begin), hashes[begin:end])


def _near(state: State, matching: Matching, cells: pl.DataFrame) -> Ints:
    """How many rows of the right side are in each cell and in those beside it."""
    columns = (*matching.left, CELL)
    around = cells_around(matching, cells, 0)
    index, counts = Index.of(ordered_hashes(around, columns)), state.counts(RIGHT, around, columns)
    counts, total = counts[index.places], np.zeros(cells.height, np.int64)
    for one in beside(matching, cells):
        total += counts[np.searchsorted(index.hashes, ordered_hashes(one, columns))]
    return total


def around(matching: Matching, cells: Cells) -> Ranges:
    """The hashes of the cells of the right side that these can have partners in."""
    return Ranges.of(ordered_hashes(cells_around(matching, cells.frame, 0), (*matching.left, CELL)))
