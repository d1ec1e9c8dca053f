"""Aggregates of bitmaps of 4096 bytes, in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

_SIZE = 4096


def _padded(content: bytes) -> bytes:
    """As many bytes as a bitmap has, with zeros behind those that are given."""
    return content[:_SIZE].ljust(_SIZE, b"\0")


def _combined(start: int, combine: Callable[[int, int], int]) -> Callable[[list[bytes]], bytes]:
    def together(one: bytes, other: bytes) -> bytes:
        return bytes(map(combine, one, _padded(other)))

    return lambda bag: reduce(together, bag, bytes([start]) * _SIZE)


def _constructed(bag: list[int]) -> bytes:
    content = bytearray(_SIZE)
    for position in bag:
        if 0 <= position < 8 * _SIZE:
            content[position // 8] |= 1 << position % 8
    return bytes(content)


FUNCTIONS: dict[str, Callable[[list[int]], bytes] | Callable[[list[bytes]], bytes]] = {
    "bitmap_construct_agg": _constructed,
    "bitmap_or_agg": _combined(0, lambda a, b: a | b),
    "bitmap_and_agg": _combined(255, lambda a, b: a & b),
}
