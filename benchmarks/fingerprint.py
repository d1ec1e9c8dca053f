"""Fingerprints: answers as one number, whatever order and pieces they came in. Needs numpy only.

A stream's is the sum of a hash of each row and its instant. A relation's is the integral over time of
the sum of its rows' hashes: cutting an element in two, or adding one and removing it later, does not
change it; a wrong row at any instant does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]


def of_stream(columns: Sequence[Column], instants: Column, copies: Column | None = None) -> int:
    """Σ n · h(row, t), modulo 2^64."""
    return _total(_mixed([*columns, instants]), copies)


def of_relation(
    columns: Sequence[Column], begin: Column, end: Column, horizon: int, copies: Column | None = None
) -> int:
    """Σ n · h(row) · (end - begin), modulo 2^64, up to the horizon."""
    length = np.minimum(end, horizon) - np.minimum(begin, horizon)
    return _total(_mixed(columns) * length.astype(np.uint64), copies)


def _mixed(columns: Sequence[Column]) -> NDArray[np.uint64]:
    hashes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        hashes = (hashes ^ np.asarray(column).astype(np.int64).astype(np.uint64)) * np.uint64(
            0x9E3779B97F4A7C15
        )
        hashes ^= hashes >> np.uint64(29)
        hashes *= np.uint64(0xBF58476D1CE4E5B9)
        hashes ^= hashes >> np.uint64(32)
    return hashes


def _total(values: NDArray[np.uint64], copies: Column | None) -> int:
    weighted = values if copies is None else values * np.asarray(copies).astype(np.int64).astype(np.uint64)
    return int(weighted.sum(dtype=np.uint64))
