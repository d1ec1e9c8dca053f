"""Partial sums: elements that agree in group, from and to are added up before they move.

    k | v | @from | @to | @n             k | @from | @to | @rows | @0:count | @0:sum:0
    x | 3 | 10    | 20  | 1              x | 10    | 20  | 2     | 2        | 8
    x | 5 | 10    | 20  | 1       ─►     y | 10    | 20  | 1     | 1        | 4
    y | 4 | 10    | 20  | 1

Windows that are fixed or slide, and coarse times, give many elements the same times. Where most times are
different there is nothing to add up, and elements move as they are: that is found out from the times alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from slackwater.base.time import BEGIN, INFINITY
from slackwater.kernels.aggregates import partial_sums
from slackwater.kernels.compiled import calls_of
from slackwater.kernels.execute import execute
from slackwater.kernels.frames import FROM, TO
from slackwater.kernels.state import State
from slackwater.physical.stages.plan import Move, Stages
from slackwater.physical.stages.sums import steps_between, sums_instead
from slackwater.physical.steps import Aggregate

LEAST_ROWS = 256
"""Fewer rows are not worth it."""
MOST_LEFT = 0.5
"""The share of rows that may be left. A partial sum has about twice the columns of an element."""
MOST_CELLS = 1.0
"""The cells that partial sums may have, as a share of those of the elements."""
_SAMPLE = 4096
"""About how many different values a sample has, where all are different."""


def outgoing(
    stages: Stages, moves: Iterable[Move], frames: Mapping[int, pl.DataFrame]
) -> Iterator[tuple[Move, pl.DataFrame]]:
    """What a sender sends of the frames of its steps: elements, or partial sums where these are fewer."""
    instead = sums_instead(stages, moves)
    for move in moves:
        if move.sums_for is not None or move.node not in frames:
            continue
        frame = frames[move.node]
        sums = added_up(stages, instead[move], frame) if move in instead else None
        yield (move, frame) if sums is None else (instead[move], sums)


def added_up(stages: Stages, move: Move, frame: pl.DataFrame) -> pl.DataFrame | None:
    """The partial sums of elements, or None where too few of them agree in group and times."""
    if frame.height < LEAST_ROWS:
        return None
    graph = stages.graph
    for place in steps_between(graph, move):
        node = graph.nodes[place]
        frame = execute(node.step, node, State({}), [frame], BEGIN, INFINITY)
    step = graph.nodes[move.sums_for or 0].step
    assert isinstance(step, Aggregate)
    if not all(_agree(frame, columns) for columns in ([FROM], [*step.keys, FROM, TO])):
        return None
    sums = partial_sums(frame, step.keys, calls_of(step))
    cells, most = sums.height * sums.width, frame.height * frame.width * MOST_CELLS
    return sums if cells <= most else None  # doubles of very different sizes have many limbs


def _agree(frame: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Whether so few values of the columns are different that adding up pays.

    Counted in a sample of values: those whose hash has zeros in some bits, in whichever rows.
    """
    seeded = (pl.col(name).hash(seed) for seed, name in enumerate(columns))
    hashes = frame.select(pl.reduce(lambda a, b: a ^ b, list(seeded)).alias("@hash")).to_series()
    parts = 1 << max(frame.height // _SAMPLE, 1).bit_length() - 1
    different = hashes.filter(hashes % parts == 0).n_unique() * parts
    return different <= frame.height * MOST_LEFT
