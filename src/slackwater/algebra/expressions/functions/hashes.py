"""Hashes and codes of authentication, as Spark computes them."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.functions import ranges as r
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BIGINT, BINARY, INT

_INTS = r.within(-(1 << 31), (1 << 31) - 1)

FUNCTIONS = (
    Function(
        "hash",
        (Family.ANY,),
        s.always(INT),
        "the Murmur3 hash of the values one after the other, from 42 on; a NULL is left out",
        variadic=True,
        strict=False,
        range=_INTS,
    ),
    Function(
        "xxhash64",
        (Family.ANY,),
        s.always(BIGINT),
        "the xxHash of 64 bits of the values one after the other, from 42 on; a NULL is left out",
        variadic=True,
        strict=False,
    ),
    Function(
        "hmac",
        (Family.CODED, Family.CODED, Family.TEXT),
        s.always(BINARY),
        "the code that authenticates the second with the key, by SHA-224, SHA-256 (unless another is named), "
        "SHA-384, SHA-512, SHA-1 or MD5; NULL of others, and of an empty key",
        optional=1,
        partial=True,
    ),
)
