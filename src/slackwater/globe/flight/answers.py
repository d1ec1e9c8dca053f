"""The answers of a subscription in CQL as tables: with the time of each row and, of relations, `+` or `-`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.base.time import Clock
from slackwater.globe.compute.rows import bound, source_of
from slackwater.globe.model import Deployment
from slackwater.globe.split.rows import read_by
from slackwater.kernels.frames import FROM, N, columns_of


@dataclass(frozen=True, slots=True)
class Shape:
    """What the rows of a subscription are: those of a stream, or changes of a relation."""

    names: tuple[str, ...]
    is_stream: bool
    clock: Clock

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its tables."""
        return (self._free("time"), *(() if self.is_stream else (self._free("op"),)), *self.names)

    def _free(self, name: str) -> str:
        """A name that no column of the answer has."""
        while name in self.names:
            name += "_"
        return name

    def table(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The elements of an epoch, one row for each copy, in the order of their times."""
        frame = frame.sort(FROM, maintain_order=True)
        copies = frame[N].to_list()
        whole = frame[[place for place, n in enumerate(copies) for _ in range(abs(n))]]
        instants = pl.col(FROM)
        if self.clock.calendar:
            instants = instants.cast(pl.Datetime("us", "UTC" if self.clock.zoned else None))
        signs = pl.when(pl.col(N) > 0).then(pl.lit("+")).otherwise(pl.lit("-"))
        time, *others = self.columns
        op = [] if self.is_stream else [signs.alias(others[0])]
        return whole.select(instants.alias(time), *op, *columns_of(frame))


def shape_of(deployment: Deployment, id: str) -> Shape | None:
    """The shape of a subscription; None where it is in XQuery or not known."""
    wished = next((one for one in deployment.subscriptions if one.id == id), None)
    if wished is None or wished.language == "xquery":
        return None
    streams = read_by(Text(id, wished.text), deployment.published)
    query = bound(wished.text, [source_of(one) for one in streams])
    return Shape(tuple(query.plan.schema.names), query.plan.kind is Kind.STREAM, query.clock)


def padded(cells: Sequence[Sequence[str]], widths: list[int]) -> list[str]:
    """Rows of texts as lines of a table; widths grow where a cell is wider.

    >>> padded([["time", "room"], ["1", "kitchen"]], [0, 0])
    ['time | room', '1    | kitchen']
    """
    for row in cells:
        widths[:] = [max(width, len(cell)) for width, cell in zip(widths, row, strict=True)]
    last = len(widths) - 1
    return [
        " | ".join(
            cell.ljust(widths[place] if place < last else 0) for place, cell in enumerate(row)
        ).rstrip()
        for row in cells
    ]
