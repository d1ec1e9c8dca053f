"""Random rows with columns of every kind that the calls use."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from slackwater.algebra import types as t
from slackwater.algebra.types import Type
from spark.functions import texts
from spark.functions.nested import COLUMNS as NESTED

ROWS = 240
MONEY = t.decimal(9, 2)
_EPOCH = datetime(1970, 1, 1)
_WORDS = (
    "",
    "a",
    "ab",
    "Abc",
    "abc abc",
    "Zürich",
    "straße",
    "x,y,,z",
    "foo.bar.baz",
    "a1b22",
    "A-B_c 9",
    " b ",
    "a😀b",
    "日本 語",
    "e\u0301A",
)
_NUMBERS = ("0", "12", "-7", "1e3", "ff", "FF", "-ff", "z9", "18446744073709551616", "0010", "1.5", " 7 ")


def _some(*values: Any) -> Callable[[random.Random], Any]:
    return lambda draw: draw.choice(values)


def _mixed(*makers: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
    return lambda draw: draw.choice(makers)(draw)


def _text(letters: str, most: int) -> Callable[[random.Random], str]:
    return lambda draw: "".join(draw.choices(letters, k=draw.randint(0, most)))


def _moment(draw: random.Random) -> datetime:
    micros = draw.choice([10**6, 10**3, 1]) * draw.randint(0, 10**6)
    return datetime(1900, 1, 1) + timedelta(
        days=draw.randint(0, 60_000), microseconds=micros * 86_399 % 86_400_000_000
    )


COLUMNS: dict[str, tuple[Type, Callable[[random.Random], Any]]] = {
    "i": (t.INT, _mixed(_some(-(2**31), 2**31 - 1, 0, 1, -1), lambda d: d.randint(-500, 500))),
    "l": (t.BIGINT, _mixed(_some(-(2**63), 2**63 - 1, 0, -1), lambda d: d.randint(-(10**12), 10**12))),
    "n": (t.INT, lambda d: d.randint(-3, 8)),
    "p": (t.INT, lambda d: d.randint(1, 40)),
    "x": (t.DOUBLE, _mixed(_some(0.0, 0.5, 1.5, 2.5, -0.5, 1.0, -1.0), lambda d: d.uniform(-50, 50))),
    "y": (t.DOUBLE, lambda d: round(d.uniform(-2, 2), 3)),
    "w": (t.DOUBLE, _mixed(_some(math.nan, math.inf, -math.inf, 0.0), lambda d: d.uniform(-(10**9), 10**9))),
    "m": (MONEY, lambda d: Decimal(d.randint(-(10**6), 10**6)).scaleb(-2)),
    "b": (t.BOOLEAN, _some(True, False)),
    "s": (t.STRING, _mixed(_some(*_WORDS), _text("abAB ,.é-1", 8))),
    "u": (t.STRING, _mixed(_some("a", "b", ",", ".", "ab", "", " "), _text("abc", 3))),
    "v": (t.STRING, _mixed(_some(*_NUMBERS), _text("0123456789abf-", 6))),
    "k": (t.BINARY, lambda d: d.randbytes(d.randint(0, 6))),
    "d": (t.DATE, lambda d: date(1900, 1, 1) + timedelta(days=d.randint(0, 60_000))),
    "e": (t.DATE, lambda d: date(2019, 12, 1) + timedelta(days=d.randint(0, 200))),
    "ts": (t.TIMESTAMP, _moment),
    "tz": (t.TIMESTAMP, lambda d: datetime(2024, 1, 1) + timedelta(minutes=30 * d.randint(0, 17_600))),
    "j": (t.STRING, _mixed(_some(*texts.BAD_JSON), texts.json_text)),
    "q": (t.STRING, texts.amount),
    "z": (t.STRING, _mixed(_some(*texts.URLS), texts.url)),
    **NESTED,
}
"""The type of each column and how its values are drawn; some are NULL."""


def rows(seed: int = 0) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    return {
        name: [None if draw.random() < 0.05 else make(draw) for _ in range(ROWS)]
        for name, (_, make) in COLUMNS.items()
    }
