"""Answers as one number, whatever order their rows are in. Standard library only.

Contenders spell values in different ways: numbers count with nine digits, times as microseconds since 1970.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?")


def plain(value: Any) -> Any:
    """A value as all contenders have it."""
    if isinstance(value, str) and _TIME.fullmatch(value):
        value = datetime.fromisoformat(value.removesuffix("Z"))
    if isinstance(value, datetime):
        since = value.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
        return float(f"{since / timedelta(microseconds=1):.16g}")
    return float(f"{float(value):.9g}") if isinstance(value, int | float | Decimal) else value


def digest(rows: Iterable[Row] | Mapping[Row, int]) -> int:
    """Σ n · h(row), modulo 2^64."""
    total = 0
    for row, copies in (rows if isinstance(rows, Mapping) else Counter(rows)).items():
        text = repr(tuple(map(plain, row)))
        hashed = hashlib.blake2b(text.encode(), digest_size=8).digest()
        total += int.from_bytes(hashed, "big") * copies
    return total % 2**64
