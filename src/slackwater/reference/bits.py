"""Functions of bits in plain Python: integers as if their two's complement went on without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.types import BIGINT

BITS_OF_A_MAP = 4096 * 8


def _size(call: Call) -> int:
    return 64 if call.type == BIGINT else 32


def _signed(number: int, size: int) -> int:
    """The number that the last `size` bits stand for."""
    rest = number % (1 << size)
    return rest - (1 << size) if rest >> (size - 1) else rest


def shiftleft(call: Call) -> Callable[[int, int], int]:
    size = _size(call)
    return lambda number, by: _signed(number << by % size, size)


def shiftright(call: Call) -> Callable[[int, int], int]:
    size = _size(call)
    return lambda number, by: number >> by % size


def shiftrightunsigned(call: Call) -> Callable[[int, int], int]:
    size = _size(call)
    return lambda number, by: _signed(number % (1 << size) >> by % size, size)


def bit_get(call: Call) -> Callable[[int, int], int | None]:
    """The size of the word is that of the argument's type."""
    sizes = {"tinyint": 8, "smallint": 16, "int": 32}
    size = sizes.get(call.arguments[0].type.name, 64)
    return lambda number, position: number >> position & 1 if 0 <= position < size else None


MAKERS: dict[str, Callable[[Call], Callable[..., Any]]] = {
    "shiftleft": shiftleft,
    "shiftright": shiftright,
    "shiftrightunsigned": shiftrightunsigned,
    "bit_get": bit_get,
}
PLAIN: dict[str, Callable[..., Any]] = {
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
    "bitwise_not": lambda a: ~a,
    "bit_count": lambda a: (a % (1 << 64)).bit_count(),
    "bitmap_bit_position": lambda a: (a - 1 if a > 0 else -a) % BITS_OF_A_MAP,
    "bitmap_bucket_number": lambda a: (a - 1) // BITS_OF_A_MAP + 1 if a > 0 else -(-a // BITS_OF_A_MAP),
    "bitmap_count": lambda content: sum(map(int.bit_count, content)),
}
