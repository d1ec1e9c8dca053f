"""A query that is asked of many small documents: compiled once in a process."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from slackwater.xquery.run import XQuery


@lru_cache(maxsize=64)
def asked(text: str) -> Callable[[bytes], str]:
    """What answers a query over one document after the other."""
    return XQuery(text).answer
