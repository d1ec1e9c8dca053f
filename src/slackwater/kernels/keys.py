"""Keys as numbers: which rows have the same key, and the order to walk them in."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_MAX_RANGE = 1 << 40
"""The largest range that columns may be packed into."""
_MAX_DISTANCE = 1 << 62
"""The largest range whose differences are taken, which have to fit 64 bits."""
_WIDE = 1 << 16
"""A range that is worth dividing."""
_MAX_TABLE = 1 << 24
"""The largest lookup table of numbers."""
_FEW = 256
"""So many rows are numbered sooner in Python than by Polars."""
_PLAIN = (pl.String, pl.Boolean, pl.Int8, pl.Int16, pl.Int32, pl.Int64)
"""Types whose values are equal in Python where they are equal here."""


def with_join_columns(frame: pl.DataFrame, key: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The frame with columns to join by in place of its key's, and their names.

    Here NaN equals itself; in a join of Polars it equals nothing. So a column of doubles becomes two:
    whether it is NaN, and its value otherwise.
    """
    floating = [name for name in key if frame.schema[name].is_float()]
    names = join_column_names(key, floating)
    if not floating:
        return frame, names
    is_nan = [pl.col(name).is_nan().alias(f"@nan:{name}") for name in floating]
    not_nan = [pl.col(name).fill_nan(0.0).alias(f"@not:{name}") for name in floating]
    return frame.with_columns(*is_nan, *not_nan), names


def join_column_names(key: Sequence[str], floating: Sequence[str]) -> list[str]:
    """The names of the columns to join by."""
    rest = [name for name in key if name not in floating]
    return [*rest, *(f"@{part}:{name}" for name in key if name in floating for part in ("nan", "not"))]


def number_keys(frames: Sequence[pl.DataFrame], key: Sequence[str]) -> list[Ints]:
    """A number for the key of every row of every frame, equal where the keys are, NULLs too."""
    if not key:
        return [np.zeros(frame.height, np.int64) for frame in frames]
    names = list(key)
    together = pl.concat([frame[names] for frame in frames]) if len(frames) > 1 else frames[0][names]
    numbers = _packed(together)
    if numbers is None:
        numbers = _grouped(together)
    return np.split(numbers, np.cumsum([frame.height for frame in frames])[:-1])


def _packed(keys: pl.DataFrame) -> Ints | None:
    """The key packed into one integer, if all its columns are integers of a small range."""
    if not all(dtype.is_integer() or dtype.is_temporal() or dtype == pl.Boolean for dtype in keys.dtypes):
        return None
    columns: list[tuple[pl.Series, int, int]] = []
    for column in keys.get_columns():
        whole = column if column.dtype == pl.Int64 else column.to_physical().cast(pl.Int64)
        least, greatest = whole.min(), whole.max()
        if isinstance(least, int) and isinstance(greatest, int):  # else nothing but NULLs
            columns.append((whole, least, greatest - least + 2))
    if math.prod(width for *_, width in columns) <= _MAX_RANGE:
        return _together(keys.height, [(whole - least, width) for whole, least, width in columns])
    is_far = any(width > _MAX_DISTANCE for *_, width in columns)
    if is_far or math.prod(min(width, _WIDE) for *_, width in columns) > _MAX_RANGE:
        return None
    steps = [_in_steps(whole - least, width) for whole, least, width in columns]
    return _together(keys.height, steps) if math.prod(width for _, width in steps) <= _MAX_RANGE else None


def _in_steps(offsets: pl.Series, width: int) -> tuple[pl.Series, int]:
    """Numbers and their range, divided by what divides all of them: bounds of windows are far apart."""
    step = int(np.gcd.reduce(offsets.drop_nulls().to_numpy())) if width > _WIDE else 1
    return (offsets // step, (width - 2) // step + 2) if step > 1 else (offsets, width)


def _together(count: int, columns: Sequence[tuple[pl.Series, int]]) -> Ints:
    """Numbers of several ranges as one; the last number of a range is NULL."""
    numbers = np.zeros(count, np.int64)
    for offsets, width in columns:
        known = offsets.fill_null(width - 1) if offsets.null_count() else offsets
        numbers = numbers * width + known.to_numpy()
    return numbers


def _grouped(keys: pl.DataFrame) -> Ints:
    """Rows of any columns, numbered by group."""
    if keys.height <= _FEW and all(dtype in _PLAIN for dtype in keys.dtypes):
        first: dict[tuple[object, ...], int] = {}
        return np.array([first.setdefault(row, len(first)) for row in keys.rows()], np.int64)
    if all(dtype in _PLAIN or dtype.is_temporal() for dtype in keys.dtypes):
        hashed = _hashed(keys)
        if hashed is not None:
            return hashed
    groups = keys.with_row_index("@index").group_by(keys.columns).agg(pl.col("@index"))["@index"]
    numbers = np.empty(keys.height, np.int64)
    if keys.height:
        numbers[groups.explode().to_numpy()] = np.repeat(np.arange(len(groups)), groups.list.len().to_numpy())
    return numbers


def _hashed(keys: pl.DataFrame) -> Ints | None:
    """Rows numbered by their hashes, in a third of the time; None where different rows have the same one."""
    _, first, inverse = np.unique(keys.hash_rows().to_numpy(), return_index=True, return_inverse=True)
    numbers: Ints = inverse.reshape(-1)
    firsts = first[numbers]
    again = np.flatnonzero(firsts != np.arange(len(firsts)))
    return numbers if keys[again].equals(keys[firsts[again]]) else None


def member(numbers: Ints, of: Ints) -> NDArray[np.bool_]:
    """Which of the numbers occur in `of`."""
    if not len(of) or not len(numbers):
        return np.zeros(len(numbers), np.bool_)
    greatest = int(max(numbers.max(), of.max()))
    if greatest > _MAX_TABLE:
        return np.isin(numbers, of)
    table = np.zeros(greatest + 1, np.bool_)
    table[of] = True
    return table[numbers]


def walk(numbers: Ints, times: Ints) -> tuple[Ints, Ints, Ints]:
    """The order of rows by key number and, of one key, by time; and numbers and times in that order.

    Number, time and place are packed into one integer where they fit, because one sort of integers is
    several times as fast as a sort by two columns, and the numbers and times can be unpacked from it.
    """
    count = len(numbers)
    if not count:
        return numbers, numbers, times
    first = int(times.min())
    place_bits = (count - 1).bit_length()
    time_bits = (int(times.max()) - first).bit_length()
    if int(numbers.max()).bit_length() + time_bits + place_bits > 62:
        order = np.lexsort((times, numbers))
        return order, numbers[order], times[order]
    packed = (numbers << time_bits | (times - first)) << place_bits | np.arange(count)
    packed.sort()
    order = packed & ((1 << place_bits) - 1)
    packed >>= place_bits
    return order, packed >> time_bits, (packed & ((1 << time_bits) - 1)) + first
