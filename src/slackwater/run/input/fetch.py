"""Rows of a batch from Spark as Arrow: through the driver's heap, or, where they are many, through files.

    collected    partition ─► heap of the driver ─► Python     several partitions are in the heap, each whole
    by file      partition ─► Python worker ─► file, mapped    a piece of a partition at a time

One large file is one batch of Spark's, and a row group of Parquet one partition, however many rows it has.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import SparkContext, TaskContext
from pyspark.sql import DataFrame

from slackwater.run.checkpoint.files import FETCHED
from slackwater.run.input.arrow import map_in_arrow
from slackwater.sources.texts import FILE

LARGE = 64 << 20
"""From this many bytes on, as text, rows come through files."""
_PACKED = {".gz": 8, ".bz2": 8, ".zst": 8, ".snappy": 4, ".orc": 8}


def fetch_rows(frame: DataFrame, folder: Path, weight: int) -> pa.Table:
    """The rows in the order of the partitions; `weight` is about how many bytes they would be as text."""
    is_here = str(frame.sparkSession.conf.get("spark.master", "")).startswith("local[")
    return _through_files(frame, folder / FETCHED) if is_large(weight) and is_here else frame.toArrow()


def is_large(weight: int) -> bool:
    """Whether rows of about so many bytes as text are too many for one piece of memory."""
    return weight >= LARGE


def _through_files(frame: DataFrame, folder: Path) -> pa.Table:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with _our_python(frame.sparkSession.sparkContext):
            places = map_in_arrow(frame, partial(_write_partition, str(folder)), "place long, path string")
        tables = [_mapped(path) for _, path in sorted(places.collect())]
        return pa.concat_tables(tables) if tables else frame.limit(0).toArrow()
    finally:
        # Mapped files stay readable until they are unmapped.
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _our_python(context: SparkContext) -> Iterator[None]:
    """Let the workers on this machine run our Python: another one may lack our packages."""
    before = context.pythonExec
    context.pythonExec = sys.executable
    try:
        yield
    finally:
        context.pythonExec = before


def _write_partition(folder: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: one file for the rows of a partition."""
    task = TaskContext.get()
    assert task is not None
    path = Path(folder) / f"{task.partitionId()}-{task.taskAttemptId()}.arrow"
    with contextlib.ExitStack() as stack:
        writer = None
        for batch in map(_packed, batches):
            if writer is None:
                file = stack.enter_context(pa.OSFile(str(path), "wb"))
                writer = stack.enter_context(pa.ipc.new_stream(file, batch.schema))
            writer.write_batch(batch)
    if writer is not None:
        yield pa.RecordBatch.from_pydict({"place": [task.partitionId()], "path": [str(path)]})


def _packed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with the name of its file once, not in every row."""
    place = batch.schema.get_field_index(FILE)
    if place < 0:
        return batch
    return batch.set_column(place, FILE, batch.column(place).dictionary_encode())


def _mapped(path: str) -> pa.Table:
    with pa.memory_map(path) as file:
        return pa.ipc.open_stream(file).read_all()


def weight_of_files(paths: Iterable[str]) -> int:
    """About how many bytes the rows of the files would be as text."""
    return sum(_weight(Path(path)) for path in paths)


def _weight(path: Path) -> int:
    try:
        if path.suffix == ".parquet":
            facts = pq.read_metadata(path)
            return int(facts.num_rows * (facts.num_columns + 1) * 8)
        return int(path.stat().st_size) * _PACKED.get(path.suffix, 1)
    except (OSError, pa.ArrowException):
        return 0  # What is wrong with the file is reported where its rows are read.


def weight_of_table(frame: DataFrame) -> int:
    """The same of a finished DataFrame, as Spark estimates it; 0 where it cannot."""
    size = int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
    return size if size < 1 << 60 else 0
