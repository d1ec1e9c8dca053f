"""Functions that queries with errors declare."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql.functions import udf
from pyspark.sql.types import IntegerType


class Inverse:
    """The sum of 1 / (x - 7)."""

    def __init__(self) -> None:
        self.total = 0.0

    def add(self, x: int) -> None:
        self.total += 1 / (x - 7)

    def finish(self) -> float:
        return self.total


class Mean:
    """The mean, which no rows have not."""

    def __init__(self) -> None:
        self.total = self.count = 0

    def add(self, x: int) -> None:
        self.total, self.count = self.total + x, self.count + 1

    def finish(self) -> float:
        return self.total / self.count


class Power:
    """More than a bigint holds."""

    def add(self, x: int) -> None:
        pass

    def finish(self) -> int:
        return 2**63


def rows_of(text: str) -> Iterator[tuple[object, ...]]:
    """Rows, of which the last has a column too many."""
    yield (1, text)
    yield (2, text, text)


def text_of(x: int) -> int:
    return x


drawn = udf(lambda x: x, IntegerType()).asNondeterministic()
