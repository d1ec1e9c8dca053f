"""Runs a graph on one machine, epoch by epoch, with the state of every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import polars as pl

from slackwater.kernels.execute import execute, state_layout
from slackwater.kernels.frames import FROM, concatenated, empty, frame_schema
from slackwater.kernels.state import State
from slackwater.physical.graph import Graph
from slackwater.physical.steps import Read

MOST_ROWS = 2_000_000
"""The most rows in one pass, unless more start at the same instant."""


class Machine:
    """Runs a graph in this process. Its output does not depend on how the input is cut into epochs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.states = [State(state_layout(node)) for node in graph.nodes]

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """The size of each step's state, in rows and in bytes."""
        return [(state.rows, state.bytes) for state in self.states]

    def epoch(self, inputs: Mapping[str, pl.DataFrame], lo: int, hi: int) -> dict[str, pl.DataFrame]:
        """The outputs' elements that start in [lo, hi), given the sources' elements that start there."""
        # Memory grows with the rows of an epoch, so an epoch of many rows is run as several.
        bounds = [lo, *_instants_between(list(inputs.values())), hi]
        parts = [
            self._part({name: _starting(frame, start, end) for name, frame in inputs.items()}, start, end)
            for start, end in pairwise(bounds)
        ]
        if len(parts) == 1:
            return parts[0]
        return {name: concatenated([part[name] for part in parts]) for name in self.graph.outputs}

    def _part(self, inputs: Mapping[str, pl.DataFrame], lo: int, hi: int) -> dict[str, pl.DataFrame]:
        frames: list[pl.DataFrame] = []
        for node, state in zip(self.graph.nodes, self.states, strict=True):
            if isinstance(node.step, Read):
                frame = inputs.get(node.step.name)
                frames.append(
                    empty(node.schema) if frame is None else frame.select(list(frame_schema(node.schema)))
                )
            else:
                frames.append(
                    execute(node.step, node, state, [frames[place] for place in node.inputs], lo, hi)
                )
                state.expire(hi)
        return {name: frames[place] for name, place in self.graph.outputs.items()}


def _instants_between(frames: Sequence[pl.DataFrame]) -> list[int]:
    """Where to cut time so that about `MOST_ROWS` elements of all frames start between two cuts."""
    if sum(frame.height for frame in frames) <= MOST_ROWS:
        return []
    times = pl.concat([frame[FROM] for frame in frames]).sort()
    cuts = times.gather_every(MOST_ROWS, offset=MOST_ROWS).unique().sort()
    return [instant for instant in cuts.to_list() if instant > times[0]]


def _starting(frame: pl.DataFrame, lo: int, hi: int) -> pl.DataFrame:
    """The elements that start in [lo, hi)."""
    within = pl.col(FROM).is_between(lo, hi, closed="left")
    return frame if frame.select(within.all()).item() else frame.filter(within)
