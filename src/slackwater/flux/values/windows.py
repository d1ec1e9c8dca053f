"""Data windows over a sequence (thesis 3.8.2).

    d        1  2  3  4  5  6  7

    |count 4 step 2|
             [1  2  3  4]
                   [3  4  5  6]
                         [5  6  7]      the last one reaches the end, full or not

The empty sequence has no windows. A time-based window may be empty.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise

from slackwater.flux.values.atomic import Item, Items, atomized
from slackwater.flux.values.casts import to_decimal
from slackwater.flux.values.errors import unordered_window, wrong_type
from slackwater.language.xquery import syntax as ast


def windows(items: Items, window: ast.Window, reference: Callable[[Item], Items]) -> list[Items]:
    """The windows in order; `reference` gives the value of an item that a time-based window measures."""
    match window:
        case ast.CountWindow(size, slide):
            return _by_count(items, size, slide)
        case ast.DiffWindow(_, width, slide):
            return _by_difference(items, [instant(reference(item)) for item in items], width, slide)


def _by_count(items: Items, size: int, slide: int) -> list[Items]:
    """Definition 3.8.13: W_j = d_(j-1)μ+1 … d_(j-1)μ+Δ."""
    slices: list[Items] = []
    for start in range(0, len(items), slide):
        slices.append(items[start : start + size])
        if start + size >= len(items):
            break
    return slices


def _by_difference(items: Items, times: list[Decimal], width: Decimal, slide: Decimal) -> list[Items]:
    """Definition 3.8.14: W_j = the items with (j-1)μ ≤ t - t_1 < (j-1)μ + Δ."""
    if any(later < earlier for earlier, later in pairwise(times)):
        raise unordered_window()
    slices: list[Items] = []
    start = times[0] if times else Decimal(0)
    while times and start <= times[-1]:
        slices.append(
            [item for item, time in zip(items, times, strict=True) if start <= time < start + width]
        )
        if start + width > times[-1]:
            break
        start += slide
    return slices


def instant(values: Items) -> Decimal:
    """The one value of an item that a time-based window measures."""
    if len(values) != 1:
        raise wrong_type(f"an item of a window has one reference, not {len(values)}")
    return to_decimal(atomized(values)[0])
