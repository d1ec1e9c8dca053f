"""The engine from end to end: inputs as files, read by Spark's streaming, one file of each source a batch."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from slackwater.algebra import Operator, Relation, Stream
from slackwater.base.time import BEGIN, INFINITY
from slackwater.bind.catalog import Source
from slackwater.kernels import relations
from slackwater.kernels.frames import FROM
from slackwater.reference.bags import Changes
from slackwater.run.answers import repeated
from slackwater.testing.epochs import Taken, frame_of


class Streamed:
    """An engine. Slow: for samples."""

    name = "spark, end to end"

    def __init__(self, spark: Any, folder: Path) -> None:
        self._spark, self._folder = spark, folder
        self._runs = 0

    def run(
        self, plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None = None
    ) -> Changes:
        from slackwater.optimize import optimized
        from slackwater.physical.lower import lowered
        from slackwater.run.drive import Drive
        from slackwater.run.feeds import Feed
        from slackwater.run.runtime import Runtime
        from slackwater.testing.epochs import OUTPUT, NoneLate

        self._runs += 1
        folder = self._folder / f"{self._runs}"
        better = optimized(plan)
        leaves = {each.name: each for each in better.walk() if isinstance(each, Stream | Relation)}
        edges = [BEGIN, *(cut for cut in sorted(set(cuts)) if BEGIN < cut < INFINITY), INFINITY]
        feeds: list[Feed] = []
        for name, leaf in leaves.items():
            op = "_op" if isinstance(leaf, Relation) else None
            self._write(folder / name, frame_of(leaf, inputs.get(name, {})), edges)
            reader = self._spark.readStream.option("maxFilesPerTrigger", 1)
            schema = self._spark.read.parquet(str(folder / name)).schema
            frame = reader.schema(schema).parquet(str(folder / name)).coalesce(1)
            feeds.append(Feed(Source(leaf, "_time", op), frame, delay=0))
        taken = Taken()
        sources = [feed.source for feed in feeds]
        runtime = Runtime(lowered({OUTPUT: better}), sources, {OUTPUT: [taken]}, NoneLate())
        Drive(runtime, feeds).run(folder / "checkpoint")
        return taken.changes(plan, INFINITY if until is None else until + 1)

    def _write(self, folder: Path, frame: pl.DataFrame, edges: Sequence[int]) -> None:
        """A file for each epoch, in the order in which Spark is to read them; at least one."""
        folder.mkdir(parents=True)
        frame = repeated(frame)
        row = [name for name in frame.columns if not name.startswith("@")]
        marks = [pl.col(FROM).alias("_time")]
        marks += [pl.col(relations.OP).alias("_op")] if relations.OP in frame.columns else []
        for number, (low, high) in enumerate(pairwise(edges)):
            part = frame.filter(pl.col(FROM).is_between(low, high, closed="left"))
            path = folder / f"{number:06d}.parquet"
            part.select(*marks, *row).write_parquet(path)
            os.utime(path, (number + 1, number + 1))
