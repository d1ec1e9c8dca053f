"""The kernels over complete inputs, without Spark: one step of the runtime for each epoch.

Batches, files and restarts on Spark have tests of their own; the answers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from slackwater.algebra import Kind, Operator, Relation, Stream
from slackwater.base.time import BEGIN, INFINITY, SECONDS
from slackwater.bind.catalog import Source
from slackwater.kernels import relations
from slackwater.kernels.expressions.values import column_of, values_of
from slackwater.kernels.frames import FROM, TO, N
from slackwater.optimize import optimized
from slackwater.optimize.up_to import up_to
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.run.declared import changelogs
from slackwater.run.epochs import Arrivals
from slackwater.run.runtime import Runtime

OUTPUT = "answer"


def run_in_epochs(
    plan: Operator, inputs: Mapping[str, Changes], cuts: Sequence[int], until: int | None
) -> Changes:
    """The changes (or elements) up to `until`, computed in the epochs that the cuts bound."""
    # Without sources nothing says how far time has advanced: only the plan can end.
    is_clock_alone = not any(isinstance(node, Stream | Relation) for node in plan.walk())
    best = optimized(up_to(plan, until, SECONDS) if is_clock_alone and until is not None else plan)
    leaves = {node.name: node for node in best.walk() if isinstance(node, Stream | Relation)}
    sources = [Source(leaf) for leaf in leaves.values()]
    collected = Collected()
    graph = lowered({OUTPUT: best}, changelogs=changelogs(sources))
    runtime = Runtime(graph, sources, {OUTPUT: [collected]}, NoLateRows())
    frames = {name: frame_of(leaf, inputs.get(name, {})) for name, leaf in leaves.items()}
    last = INFINITY if until is None else until + 1
    edges = [*(cut for cut in sorted(set(cuts)) if BEGIN < cut < last), last]
    low = BEGIN
    for number, high in enumerate(edges):
        now = pl.col(FROM).is_between(low, high, closed="left")
        runtime.step(number, {name: Arrivals(frame.filter(now), high) for name, frame in frames.items()})
        low = high
    if not sources and until is None:
        runtime.finish()
    return collected.changes(plan, last)


class NoLateRows:
    def set_aside(self, number: int, source: str, rows: pl.DataFrame) -> None:
        raise AssertionError(f"rows of {source} came late, and none could")


class Collected:
    """A sink that keeps the elements of the answer."""

    def __init__(self) -> None:
        self.frames: list[pl.DataFrame] = []

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        assert elements.filter(~pl.col(FROM).is_between(lo, hi, closed="left")).height == 0
        self.frames.append(elements)

    def changes(self, plan: Operator, last: int) -> Changes:
        emitted: Changes = {}
        elements: list[Element] = []
        for frame in self.frames:
            columns = [values_of(frame[name], type_) for name, type_ in plan.schema]
            rows = list(zip(*columns, strict=True)) if columns else [()] * frame.height
            times = frame.select(FROM, TO, N).rows()
            if plan.kind is Kind.STREAM:
                for row, (at, _, copies) in zip(rows, times, strict=True):
                    record(emitted, at, row, copies)
            else:
                elements += [Element(row, *interval) for row, interval in zip(rows, times, strict=True)]
        changes = emitted if plan.kind is Kind.STREAM else changes_of(elements)
        return {at: changes[at] for at in sorted(changes) if at < last}


def frame_of(leaf: Stream | Relation, changes: Changes) -> pl.DataFrame:
    """The changes of a source, as arrivals; of a relation, removals before additions."""
    entries: list[tuple[int, tuple[Any, ...], int]] = [
        (at, row, copies)
        for at in sorted(changes)
        for row, copies in sorted(changes[at].items(), key=lambda item: item[1])
    ]
    columns = {
        name: column_of([row[place] for _, row, _ in entries], type_)
        for place, (name, type_) in enumerate(leaf.schema)
    }
    times = {FROM: [at for at, _, _ in entries], N: [copies for _, _, copies in entries]}
    frame = pl.DataFrame(
        {**columns, **{name: pl.Series(name, values, pl.Int64) for name, values in times.items()}}
    )
    frame = frame.with_columns(pl.lit(INFINITY, pl.Int64).alias(TO))
    if isinstance(leaf, Relation):
        copies = frame[N].abs().to_list()
        frame = frame[[place for place, count in enumerate(copies) for _ in range(count)]]
        op = pl.when(pl.col(N) < 0).then(pl.lit("-")).otherwise(pl.lit("+"))
        # The rows are in order.
        numbers = [pl.lit(0, pl.Int64).alias(name) for name in (relations.RANK, relations.PIECE)]
        frame = frame.with_columns(op.alias(relations.OP), pl.lit(1, pl.Int64).alias(N), *numbers)
    return frame
