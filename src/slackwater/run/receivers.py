"""Who gets what an epoch gives: sinks of elements, and of rows that came too late."""

from __future__ import annotations

from typing import Protocol

import polars as pl


class ElementSink(Protocol):
    """The sink of an output. Called once for every epoch, again with the same number after a failure.

    One that keeps a table in the checkpoint has its `versions`.
    """

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None: ...


class LateSink(Protocol):
    """Where rows go that came too late; raising refuses them."""

    def set_aside(self, number: int, source: str, rows: pl.DataFrame) -> None: ...
