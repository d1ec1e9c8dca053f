"""Hashes of columns: Murmur3 of 32 bits and xxHash of 64, as Spark applies them to values of each type.

    hash(a, b)  =  murmur3 of b from the hash of a on, where that is murmur3 of a from 42 on

Values of equally many bytes are hashed together, word by word; NULLs leave the hash as it is.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.types import BINARY, Type
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import by_rows, types_of
from slackwater.kernels.expressions.terms import Term, faults_of
from slackwater.kernels.expressions.values import dtype

_SEED: Final = 42
_PRIME: Final = [
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5,
    )
]  # fmt: skip

Words = npt.NDArray[Any]
"""Unsigned words of 32 or 64 bits, one per row."""
Bytes = npt.NDArray[np.uint8]
"""A row of bytes for each row."""
Algorithm = Callable[[Bytes, Words], Words]


def _turned(words: Words, by: int) -> Words:
    bits = words.dtype.itemsize * 8
    left, right = words.dtype.type(by), words.dtype.type(bits - by)
    turned: Words = (words << left) | (words >> right)
    return turned


def _murmur3(content: Bytes, seeds: Words) -> Words:
    size = content.shape[1]
    whole = size // 4 * 4
    words = np.ascontiguousarray(content[:, :whole]).view("<u4")
    rest = content[:, whole:].astype(np.int8).astype(np.int32).view(np.uint32)
    hashed = seeds.astype(np.uint32)
    for column in (*words.T, *rest.T):
        mixed = _turned(column * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        hashed = _turned(hashed ^ mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    hashed = hashed ^ np.uint32(size)
    hashed = (hashed ^ (hashed >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashed = (hashed ^ (hashed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return hashed ^ (hashed >> np.uint32(16))


def _xxhash64(content: Bytes, seeds: Words) -> Words:
    one, two, three, four, five = _PRIME
    size = content.shape[1]
    hashed, at = seeds + five, 0
    if size >= 32:
        hashed, at = _stripes(content, seeds), size // 32 * 32
    hashed = hashed + np.uint64(size)
    for column in _columns(content, at, "<u8"):
        hashed = _turned(hashed ^ _mixed(column), 27) * one + four
        at += 8
    for column in _columns(content, at, "<u4"):
        hashed = _turned(hashed ^ column.astype(np.uint64) * one, 23) * two + three
        at += 4
    for column in _columns(content, at, "u1"):
        hashed = _turned(hashed ^ column.astype(np.uint64) * five, 11) * one
    hashed = (hashed ^ (hashed >> np.uint64(33))) * two
    hashed = (hashed ^ (hashed >> np.uint64(29))) * three
    return hashed ^ (hashed >> np.uint64(32))


def _stripes(content: Bytes, seeds: Words) -> Words:
    """Four words at a time, each into an accumulator of its own."""
    one, two, _, four, _ = _PRIME
    sums = [seeds + (one + two), seeds + two, seeds, seeds - one]
    words = _columns(content[:, : content.shape[1] // 32 * 32], 0, "<u8")
    for place, column in enumerate(words):
        sums[place % 4] = _turned(sums[place % 4] + column * two, 31) * one
    hashed = _turned(sums[0], 1) + _turned(sums[1], 7) + _turned(sums[2], 12) + _turned(sums[3], 18)
    for total in sums:
        hashed = (hashed ^ _mixed(total)) * one + four
    return hashed


def _mixed(words: Words) -> Words:
    return _turned(words * _PRIME[1], 31) * _PRIME[0]


def _columns(content: Bytes, start: int, word: str) -> list[Words]:
    """The whole words from there on, one per row each."""
    size = np.dtype(word).itemsize
    end = start + (content.shape[1] - start) // size * size
    return list(np.ascontiguousarray(content[:, start:end]).view(word).T) if end > start else []


def _hashed(algorithm: Algorithm, column: pl.Series, type_: Type, seeds: Words) -> Words:
    """The hashes of a column from the seeds on."""
    if type_.name in ("array", "struct"):
        return _nested(algorithm, column, type_, seeds)
    seeds = seeds.copy()
    for rows, content in _contents(column, type_):
        with np.errstate(over="ignore"):
            seeds[rows] = algorithm(content, seeds[rows])
    return seeds


def _nested(algorithm: Algorithm, column: pl.Series, type_: Type, seeds: Words) -> Words:
    """Part by part: the fields of structs, the elements of arrays at each place."""
    inner = inner_types(type_)
    if type_.name == "struct":
        parts = list(zip(column.struct.unnest().get_columns(), inner, strict=True))
    else:
        longest = column.list.len().max()
        places = range(longest if isinstance(longest, int) else 0)
        parts = [(column.list.get(place, null_on_oob=True), inner[0]) for place in places]
    for part, part_type in parts:
        seeds = _hashed(algorithm, part, part_type, seeds)
    return seeds


def _contents(column: pl.Series, type_: Type) -> Iterator[tuple[npt.NDArray[np.intp], Bytes]]:
    """The rows that are not NULL by the number of bytes of their values, with these."""
    present = column.is_not_null().arg_true().to_numpy().astype(np.intp)
    known = column.drop_nulls()
    if not len(known):
        return
    words = _words(known, type_)
    if words is not None:
        yield present, words.view(np.uint8).reshape(len(known), -1)
        return
    values = _texts(known, type_)
    sizes = np.array([len(value) for value in values])
    for size in np.unique(sizes):
        (places,) = np.nonzero(sizes == size)
        content = b"".join(values[place] for place in places)
        yield present[places], np.frombuffer(content, np.uint8).reshape(len(places), size)


def _words(known: pl.Series, type_: Type) -> Words | None:
    """Values that have 4 or 8 bytes each."""
    if type_.is_floating:
        kind = np.dtype("<f4" if type_.name == "float" else "<f8")
        return known.cast(pl.Float64).to_numpy().astype(kind)
    if type_.name in ("string", "binary") or type_.precision > 18:
        return None
    is_long = type_.is_decimal or type_.name in ("bigint", "timestamp", "timestamp_ntz", "interval")
    whole = known.cast(pl.Int64) if type_.name == "boolean" else known.to_physical().cast(pl.Int64)
    return whole.to_numpy().astype("<i8" if is_long else "<i4")


def _texts(known: pl.Series, type_: Type) -> list[bytes]:
    if not type_.is_decimal:
        return known.cast(pl.Binary).to_list()
    counts = known.to_physical().cast(pl.Int128).to_list()
    return [
        count.to_bytes((count + (count < 0)).bit_length() // 8 + 1, "big", signed=True) for count in counts
    ]


def _hash(algorithm: Algorithm, word: str) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        types = types_of(call)

        def computed(columns: Sequence[pl.Series]) -> pl.Series:
            size = max(map(len, columns)) if all(map(len, columns)) else 0
            hashed = np.full(size, _SEED, dtype=f"u{word}")
            for column, type_ in zip(columns, types, strict=True):
                # A literal's column has a single row, for all rows.
                whole = column if len(column) >= size else column.new_from_index(0, size)
                if type_.name != "null":
                    hashed = _hashed(algorithm, whole.head(size), type_, hashed)
            return pl.Series("", hashed.view(f"i{word}"), dtype=dtype(call.type))

        values = [argument.value for argument in arguments]
        hashes = pl.map_batches(values, computed, return_dtype=dtype(call.type), is_elementwise=True)
        return Term(hashes, faults_of(arguments))

    return make


def _authenticated(key: bytes, message: bytes, algorithm: str = "SHA-256") -> bytes | None:
    match = _DIGEST.fullmatch(algorithm.upper())
    return hmac.digest(key, message, "".join(filter(None, match.groups()))) if match and key else None


def _hmac(call: Call, arguments: Sequence[Term]) -> Term:
    key, message, *rest = (argument.value for argument in arguments)
    types = [BINARY, BINARY, *types_of(call)[2:]]
    values = [key.cast(pl.Binary), message.cast(pl.Binary), *rest]
    return Term(by_rows(_authenticated, values, types, call.type), faults_of(arguments))


_DIGEST: Final = re.compile("(SHA)-?(1|224|256|384|512)|(MD5)")
MAKERS: dict[str, Maker] = {
    "hash": _hash(_murmur3, "4"),
    "xxhash64": _hash(_xxhash64, "8"),
    "hmac": _hmac,
}
