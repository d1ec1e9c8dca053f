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

import numpy as np
import polars as pl

from slackwater.kernels.bestmatch.cells import CELL, beside
from slackwater.kernels.bestmatch.matching import Matching
from slackwater.kernels.keys import member, number_keys
from slackwater.kernels.runs.index import ordered_hashes
from slackwater.kernels.state import State
from slackwater.physical.stages.plan import SIDES

LEFT, RIGHT = SIDES
_TIMES = 3
"""How often a right row counts that is near a range of cells of one strip: for a cell before it, its own and
the next one."""


def shares(state: State, matching: Matching, cells: pl.DataFrame, most: int) -> Iterator[pl.DataFrame]:
    """Keys and cells of the left side, each once, in grid order: in frames of cells with about `most` rows of
    both sides."""
    columns = (*matching.left, CELL)
    cells = cells.select(columns).unique(maintain_order=False)
    cells = cells[np.argsort(ordered_hashes(cells, columns), kind="stable")]
    near = sum(state.counts(RIGHT, one, columns) for one in beside(matching, cells))
    rows = state.counts(LEFT, cells, columns) + near // _TIMES
    number = (np.cumsum(rows) - rows) // most
    cuts = np.flatnonzero(np.diff(number, prepend=-1))
    for begin, end in pairwise([*cuts.tolist(), cells.height]):
        yield cells.slice(begin, end - begin)


def within(frame: pl.DataFrame, columns: tuple[str, ...], cells: pl.DataFrame) -> pl.DataFrame:
    """The rows of the frame whose keys and cells are among these."""
    own, others = number_keys(
        [frame.select(columns), cells.rename(dict(zip(cells.columns, columns, strict=True)))], columns
    )
    return frame.filter(pl.Series(member(own, others), dtype=pl.Boolean))
