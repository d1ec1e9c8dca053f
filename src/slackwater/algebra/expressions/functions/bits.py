"""Functions of the bits of integers, in two's complement."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, GREATEST

_INT = Family.INTEGER
_COUNT = s.always(BIGINT)

FUNCTIONS = (
    Function("bitwise_and", (_INT, _INT), _COUNT, "the bits that are set in both", syntax="a & b"),
    Function("bitwise_or", (_INT, _INT), _COUNT, "the bits that are set in one or both", syntax="a | b"),
    Function("bitwise_xor", (_INT, _INT), _COUNT, "the bits that are set in one only", syntax="a ^ b"),
    Function("bitwise_not", (_INT,), _COUNT, "the bits that are not set", syntax="~a"),
    Function(
        "shiftleft",
        (_INT, _INT),
        s.word,
        "the bits moved to the left, by a number modulo the size of the word: 64 for a bigint, else 32",
        also="`a << b`",
    ),
    Function(
        "shiftright", (_INT, _INT), s.word, "the bits moved to the right, keeping the sign", also="`a >> b`"
    ),
    Function(
        "shiftrightunsigned", (_INT, _INT), s.word, "the bits moved to the right, with zeros at the left"
    ),
    Function(
        "bit_count",
        (_INT,),
        _COUNT,
        "how many of the 64 bits are set",
        range=r.within(0, 64),
    ),
    Function(
        "bit_get",
        (_INT, _INT),
        _COUNT,
        "the bit at that position, from the right, from 0; NULL if there is none",
        partial=True,
        also="`getbit`",
        range=r.within(0, 1),
    ),
    Function(
        "bitmap_bit_position",
        (_INT,),
        _COUNT,
        "the position of the number in its bitmap of 32768 bits, from 0",
        range=r.within(0, 32_767),
    ),
    Function("bitmap_bucket_number", (_INT,), _COUNT, "the number of the bitmap that the number is in"),
    Function(
        "bitmap_count",
        (Family.BINARY,),
        _COUNT,
        "how many bits of the bytes are set",
        range=r.within(0, GREATEST),
    ),
)
