"""Hashes in plain Python: Murmur3 of 32 bits and xxHash of 64, as Spark applies them to each type."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.types import Type
from slackwater.algebra.values import Row
from slackwater.reference.casts import EXACT
from slackwater.reference.logic import Evaluator

_SEED = 42
_MICROSECOND = timedelta(microseconds=1)
_32, _64 = (1 << 32) - 1, (1 << 64) - 1
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _bytes_of(value: Any, type_: Type) -> bytes:
    """The value as it is hashed: in a word of 4 or 8 bytes, or in as many bytes as it has."""
    match type_.name:
        case "boolean" | "tinyint" | "smallint" | "int":
            return struct.pack("<i", value)
        case "date":
            return struct.pack("<i", (value - date(1970, 1, 1)).days)
        case "float":
            return struct.pack("<f", value)
        case "double":
            return struct.pack("<d", value)
        case "timestamp" | "timestamp_ntz":
            return struct.pack("<q", (value - datetime(1970, 1, 1)) // _MICROSECOND)
        case "interval":
            return struct.pack("<q", value // _MICROSECOND)
        case "decimal":
            return _decimal_bytes(value, type_)
        case "string" | "binary":
            return _bytes(value)
    return struct.pack("<q", value)


def _decimal_bytes(value: Decimal, type_: Type) -> bytes:
    """The units in 8 bytes, or in as few as hold them if the type has more than 18 digits."""
    units = int(EXACT.scaleb(value, type_.scale))
    if type_.precision <= 18:
        return struct.pack("<q", units)
    size = next(n for n in range(1, 20) if -(1 << 8 * n - 1) <= units < 1 << 8 * n - 1)
    return units.to_bytes(size, "big", signed=True)


def _rotated(number: int, by: int, bits: int) -> int:
    return (number << by | number >> bits - by) & (1 << bits) - 1


def murmur3(content: bytes, seed: int) -> int:
    """Of whole words first; each byte that is left is a word of its own, with its sign."""
    whole = len(content) // 4 * 4
    words = [*struct.unpack(f"<{whole // 4}i", content[:whole])]
    words += struct.unpack(f"<{len(content) - whole}b", content[whole:])
    hashed = seed & _32
    for word in words:
        mixed = _rotated((word & _32) * 0xCC9E2D51 & _32, 15, 32) * 0x1B873593 & _32
        hashed = (_rotated(hashed ^ mixed, 13, 32) * 5 + 0xE6546B64) & _32
    hashed ^= len(content)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        hashed = (hashed ^ hashed >> shift) * factor & _32
    return hashed ^ hashed >> 16


def xxhash64(content: bytes, seed: int) -> int:
    hashed = (seed + _P5) & _64
    rest = content
    if len(content) >= 32:
        hashed, rest = _striped(content, seed)
    hashed = (hashed + len(content)) & _64
    while len(rest) >= 8:
        (word,) = struct.unpack("<Q", rest[:8])
        hashed = (_rotated(hashed ^ _round(0, word), 27, 64) * _P1 + _P4) & _64
        rest = rest[8:]
    if len(rest) >= 4:
        (word,) = struct.unpack("<I", rest[:4])
        hashed = (_rotated(hashed ^ word * _P1 & _64, 23, 64) * _P2 + _P3) & _64
        rest = rest[4:]
    for byte in rest:
        hashed = _rotated(hashed ^ byte * _P5 & _64, 11, 64) * _P1 & _64
    for shift, factor in ((33, _P2), (29, _P3)):
        hashed = (hashed ^ hashed >> shift) * factor & _64
    return hashed ^ hashed >> 32


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _P2) & _64, 31, 64) * _P1 & _64


def _striped(content: bytes, seed: int) -> tuple[int, bytes]:
    """The hash of the whole stripes of four words, and the bytes behind them."""
    lanes = [(seed + start) & _64 for start in (_P1 + _P2, _P2, 0, -_P1)]
    size = len(content) // 32 * 32
    for start in range(0, size, 32):
        words = struct.unpack("<4Q", content[start : start + 32])
        lanes = [_round(lane, word) for lane, word in zip(lanes, words, strict=True)]
    hashed = sum(_rotated(lane, by, 64) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & _64
    for lane in lanes:
        hashed = ((hashed ^ _round(0, lane)) * _P1 + _P4) & _64
    return hashed, content[size:]


def _signed(number: int, bits: int) -> int:
    return number - (1 << bits) if number >> bits - 1 else number


def _folded(algorithm: Callable[[bytes, int], int], value: Any, type_: Type, seed: int) -> int:
    """The hash of the value from the seed on; arrays and structs are hashed part by part."""
    if value is None:
        return seed
    if isinstance(value, tuple):
        inner = inner_types(type_)
        for part, part_type in zip(
            value, inner * len(value) if type_.name == "array" else inner, strict=True
        ):
            seed = _folded(algorithm, part, part_type, seed)
        return seed
    return algorithm(_bytes_of(value, type_), seed)


def _hashed(
    algorithm: Callable[[bytes, int], int], bits: int
) -> Callable[[Call, Sequence[Evaluator]], Evaluator]:
    def make(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
        types = [part.type for part in call.arguments]

        def evaluate(row: Row, outer: Mapping[str, Any]) -> int:
            hashed = _SEED
            for argument, type_ in zip(arguments, types, strict=True):
                hashed = _folded(algorithm, argument(row, outer), type_, hashed)
            return _signed(hashed, bits)

        return evaluate

    return make


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def hmac(key: str | bytes, message: str | bytes, algorithm: str = "SHA-256") -> bytes | None:
    """H((key ⊕ outer pad) H((key ⊕ inner pad) message)), from RFC 2104."""
    name = _DIGESTS.get(algorithm.upper())
    if name is None or not key:
        return None
    block = hashlib.new(name).block_size
    padded = _bytes(key) if len(_bytes(key)) <= block else hashlib.new(name, _bytes(key)).digest()
    padded = padded.ljust(block, b"\0")
    inner = hashlib.new(name, bytes(byte ^ 0x36 for byte in padded) + _bytes(message)).digest()
    return hashlib.new(name, bytes(byte ^ 0x5C for byte in padded) + inner).digest()


_DIGESTS = {f"SHA{dash}{bits}": f"sha{bits}" for bits in (1, 224, 256, 384, 512) for dash in ("", "-")}
_DIGESTS["MD5"] = "md5"
LAZY = {"hash": _hashed(murmur3, 32), "xxhash64": _hashed(xxhash64, 64)}
PLAIN: dict[str, Callable[..., Any]] = {"hmac": hmac}
