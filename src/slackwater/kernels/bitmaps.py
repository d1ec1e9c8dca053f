"""Aggregates of bitmaps of 4096 bytes, as integers whose lowest byte is the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Counts = list[tuple[Any, int]]

_BYTES = 4096
_ALL = (1 << 8 * _BYTES) - 1


def _constructed(counts: Counts) -> bytes:
    bits = 0
    for position, _ in counts:
        bits |= 1 << position if 0 <= position < 8 * _BYTES else 0
    return bits.to_bytes(_BYTES, "little")


def _or(counts: Counts) -> bytes:
    bits = 0
    for content, _ in counts:
        bits |= int.from_bytes(content[:_BYTES], "little")
    return bits.to_bytes(_BYTES, "little")


def _and(counts: Counts) -> bytes:
    bits = _ALL
    for content, _ in counts:
        bits &= int.from_bytes(content[:_BYTES], "little")
    return bits.to_bytes(_BYTES, "little")


FUNCTIONS: dict[str, Callable[[Counts], bytes]] = {
    "bitmap_construct_agg": _constructed,
    "bitmap_or_agg": _or,
    "bitmap_and_agg": _and,
}
