"""A graph at work: epoch after epoch, with the state of every step."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from slackwater.kernels.execute import execute, kept_by
from slackwater.kernels.frames import empty, frame_schema
from slackwater.kernels.state import State
from slackwater.physical.graph import Graph
from slackwater.physical.steps import Read


class Machine:
    """Runs a graph in one place. How its input is cut into epochs cannot be seen in its output."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.states = [State(kept_by(node)) for node in graph.nodes]

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """What each step keeps, in rows and in bytes."""
        return [(state.rows, state.bytes) for state in self.states]

    def epoch(self, inputs: Mapping[str, pl.DataFrame], lo: int, hi: int) -> dict[str, pl.DataFrame]:
        """The outputs' elements that start in [lo, hi), given the sources' elements that start there."""
        frames: list[pl.DataFrame] = []
        for node, state in zip(self.graph.nodes, self.states, strict=True):
            if isinstance(node.step, Read):
                given = inputs.get(node.step.name)
                frames.append(
                    empty(node.schema) if given is None else given.select(list(frame_schema(node.schema)))
                )
            else:
                frames.append(
                    execute(node.step, node, state, [frames[place] for place in node.inputs], lo, hi)
                )
                state.expire(hi)
        return {name: frames[place] for name, place in self.graph.outputs.items()}
