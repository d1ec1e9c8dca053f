"""Functions of bits, on integers of 64 bits; a shift of 32 bits is made in 64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import BIGINT
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Term, faults_of, let

_SIZES: Final = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_POWERS: Final = pl.Series("", [1 << k for k in range(63)] + [-(1 << 63)], dtype=pl.Int64)
_HALF: Final = 1 << 31


def _plain(body: Callable[..., pl.Expr]) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        values = (argument.value.cast(pl.Int64) for argument in arguments)
        return Term(let(body, *values), faults_of(arguments))

    return make


def _power(exponent: pl.Expr) -> pl.Expr:
    return pl.lit(_POWERS).gather(exponent.cast(pl.UInt32))


def _shift(of_long: Callable[..., pl.Expr], of_int: Callable[..., pl.Expr]) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        is_long = call.type == BIGINT
        number, by = (argument.value.cast(pl.Int64) for argument in arguments)
        places = by & (63 if is_long else 31)
        body = of_long if is_long else of_int

        def shifted(number: pl.Expr, places: pl.Expr) -> pl.Expr:
            known = number.is_not_null() & places.is_not_null()
            return pl.when(known).then(let(body, number.fill_null(0), places.fill_null(0)))

        value = let(shifted, number, places)
        return Term(value if is_long else value.cast(pl.Int32), faults_of(arguments))

    return make


def _left(number: pl.Expr, places: pl.Expr) -> pl.Expr:
    """Polars' product of integers keeps the last 64 bits."""
    return number * _power(places)


def _word(number: pl.Expr) -> pl.Expr:
    """The last 32 bits as a number with a sign."""
    return let(lambda n: pl.when(n >= _HALF).then(n - 2 * _HALF).otherwise(n), number & (2 * _HALF - 1))


def _right(number: pl.Expr, places: pl.Expr) -> pl.Expr:
    """Rounded down; by 63 places only the sign is left."""
    sign = pl.when(number < 0).then(-1).otherwise(0)
    return pl.when(places == 63).then(sign).otherwise(number // _power(places.clip(0, 62)))


def _unsigned(number: pl.Expr, places: pl.Expr) -> pl.Expr:
    """As `_right`, without the ones that it moves in at the left."""
    moved = _right(number, places)
    mask = _power((64 - places).clip(0, 62)) - 1
    of_one = pl.when(number < 0).then(moved & 0x7FFF_FFFF_FFFF_FFFF).otherwise(moved)
    return pl.when(places == 0).then(number).when(places == 1).then(of_one).otherwise(moved & mask)


def _bit(call: Call, arguments: Sequence[Term]) -> Term:
    size = _SIZES[call.arguments[0].type.name]
    number, place = (argument.value.cast(pl.Int64) for argument in arguments)

    def bit(number: pl.Expr, place: pl.Expr) -> pl.Expr:
        at = place.fill_null(0).clip(0, 63)
        return pl.when(place.is_between(0, size - 1)).then(_right(number, at) & 1)

    return Term(let(bit, number, place), faults_of(arguments))


def _position(number: pl.Expr) -> pl.Expr:
    """The last 15 bits of the distance from 1, or from 0 downward; of the least number, those of zero."""
    return pl.when(number > 0).then(number - 1).otherwise(0 - number) & 0x7FFF


def _bucket(number: pl.Expr) -> pl.Expr:
    """Counted up from 1, and from 0 downward: the quotient is rounded up."""
    return pl.when(number > 0).then((number - 1) // (1 << 15) + 1).otherwise((number + 0x7FFF) // (1 << 15))


MAKERS: dict[str, Maker] = {
    "bitwise_and": _plain(lambda a, b: a & b),
    "bitwise_or": _plain(lambda a, b: a | b),
    "bitwise_xor": _plain(lambda a, b: a ^ b),
    "bitwise_not": _plain(lambda a: -1 - a),
    "bit_count": _plain(lambda a: a.bitwise_count_ones().cast(pl.Int64)),
    "bitmap_bit_position": _plain(_position),
    "bitmap_bucket_number": _plain(_bucket),
    "bitmap_count": rowwise(lambda content: int.from_bytes(content, "big").bit_count()),
    "shiftleft": _shift(_left, lambda number, places: _word(_left(number, places))),
    "shiftright": _shift(_right, _right),
    "shiftrightunsigned": _shift(
        _unsigned, lambda number, places: _word(_right(number & (2 * _HALF - 1), places))
    ),
    "bit_get": _bit,
}
