"""Functions over the rows of a DataFrame as Arrow batches, in the workers, whatever its columns are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

Batches = Iterable[pa.RecordBatch]


def map_in_arrow(
    frame: DataFrame, function: Callable[[Batches], Iterator[pa.RecordBatch]], schema: str
) -> DataFrame:
    """`frame.mapInArrow`, which takes a dot in a name for a field; so columns have numbers on the way."""
    names = frame.columns
    numbered = frame.toDF(*map(str, range(len(names))))
    return numbered.mapInArrow(partial(_renamed, tuple(names), function), schema)


def _renamed(
    names: Sequence[str], function: Callable[[Batches], Iterator[pa.RecordBatch]], batches: Batches
) -> Iterator[pa.RecordBatch]:
    return function(pa.RecordBatch.from_arrays(batch.columns, list(names)) for batch in batches)
