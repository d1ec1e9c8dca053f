"""What conditions and measures look at: a row of readings for each of some candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from slackwater.algebra.expressions import Column, Expression
from slackwater.algebra.patterns import Read, Reading
from slackwater.kernels.expressions.columns import dtype

Aggregated = Callable[[Read, pl.DataFrame, int], pl.Series]
"""An aggregate of the argument's values, by candidate: rows with `@m` and `@x`, and how many candidates."""
Compiled = Callable[[Expression], pl.Expr]


@dataclass(slots=True)
class Candidate:
    """Rows that are mapped to variables, from a row of the frame on."""

    begin: int
    """The first row of its partition."""
    start: int
    mapping: Sequence[str]
    number: int

    def place(self, read: Read) -> int | None:
        """The row that is read."""
        places = self.places(read.variable)
        if read.reading is Reading.LAST:
            places.reverse()
        place = places[read.offset] - read.before if read.offset < len(places) else -1
        return place if place >= self.begin else None

    def places(self, variable: str) -> list[int]:
        return [self.start + at for at, name in enumerate(self.mapping) if not variable or name == variable]


@dataclass(frozen=True, slots=True)
class Contexts:
    """Makes rows of readings over a frame."""

    frame: pl.DataFrame
    reads: Mapping[str, Read]
    column: Compiled
    aggregated: Aggregated

    def of(self, candidates: Sequence[Candidate], exprs: Iterable[Expression]) -> pl.DataFrame:
        """The readings that the expressions look at, a row for each candidate."""
        names = dict.fromkeys(part.name for expr in exprs for part in expr.walk() if isinstance(part, Column))
        readings = [self._series(self.reads[name], candidates).alias(name) for name in names]
        return pl.DataFrame([*readings, pl.Series("@m", range(len(candidates)))])

    def at_each(self, firsts: Sequence[int], exprs: Iterable[Expression]) -> pl.DataFrame:
        """The readings that the expressions look at, a row for each row of the frame as the last of a match.

        They are of that row, or of so many rows before it in its partition; partitions begin at `firsts`.
        """
        names = dict.fromkeys(part.name for expr in exprs for part in expr.walk() if isinstance(part, Column))
        places = np.arange(firsts[-1])
        begins = np.repeat(np.array(firsts[:-1], np.int64), np.diff(firsts))
        readings = [pl.Series("@m", places)]
        for name in names:
            read = self.reads[name]
            assert read.value is not None
            values = self.frame.with_columns(self.column(read.value).alias("@x"))["@x"]
            if read.before:
                sought = pl.DataFrame({"place": places - read.before, "begin": begins})
                is_there = pl.col("place") >= pl.col("begin")
                values = values.gather(sought.select(pl.when(is_there).then("place")).to_series())
            readings.append(values.alias(name))
        return pl.DataFrame(readings)

    def _series(self, read: Read, candidates: Sequence[Candidate]) -> pl.Series:
        match read.reading:
            case Reading.NUMBER:
                return _values([one.number for one in candidates], read)
            case Reading.CLASSIFIER:
                return _values([one.mapping[-1] for one in candidates], read)
            case Reading.AGGREGATE:
                return self._aggregate(read, candidates)
        return self.at([one.place(read) for one in candidates], read)

    def at(self, places: Sequence[int | None], read: Read) -> pl.Series:
        """The values that are read at rows of the frame; NULL for none."""
        assert read.value is not None
        rows = [place for place in places if place is not None]
        values = self.frame[rows].select(self.column(read.value).alias("@x")).to_series()
        if len(rows) == len(places):
            return values
        numbers = iter(range(len(rows)))
        sought = [None if place is None else next(numbers) for place in places]
        return (
            values.gather(pl.Series(sought, dtype=pl.Int64)) if rows else _values([None] * len(places), read)
        )

    def _aggregate(self, read: Read, candidates: Sequence[Candidate]) -> pl.Series:
        assert read.aggregation is not None
        pairs = [(at, place) for at, one in enumerate(candidates) for place in one.places(read.variable)]
        rows = self.frame[[place for _, place in pairs]]
        argument = read.aggregation.argument
        value = pl.lit(True) if argument is None else self.column(argument)
        values = rows.with_columns(value.alias("@x")).select("@x")
        owners = pl.Series("@m", [at for at, _ in pairs], pl.Int64)
        return self.aggregated(read, values.with_columns(owners), len(candidates))


def _values(values: list[Any], read: Read) -> pl.Series:
    return pl.Series("@x", values, dtype=dtype(read.type))
