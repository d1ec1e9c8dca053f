"""A graph of steps: inputs before what uses them, and no step twice."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.algebra.schema import Schema
from slackwater.base.time import BEGIN
from slackwater.optimize.cost.estimates import Estimate
from slackwater.physical.steps import Read, Step


@dataclass(frozen=True, slots=True)
class Node:
    """A step, the places of its inputs in the graph, and the schema of what it gives."""

    step: Step
    inputs: tuple[int, ...]
    schema: Schema


@dataclass(slots=True)
class Graph:
    """The steps of a session's queries; equal steps on equal inputs are one."""

    nodes: list[Node] = field(default_factory=list)
    outputs: dict[str, int] = field(default_factory=dict)
    begin: int = BEGIN
    """The first instant there is."""
    changelogs: frozenset[str] = frozenset()
    """The relations whose rows are records of changes."""
    names: dict[int, str] = field(default_factory=dict, compare=False)
    """The names of the steps' states, as far as they are known: `description.state_names`."""
    lowered: dict[int, tuple[object, int]] = field(default_factory=dict, compare=False)
    """Where the last step of an operator is, by the operator's id."""
    estimates: dict[int, Estimate] = field(default_factory=dict, compare=False)
    """What is estimated of steps over sources of which something is known; exchanges are chosen by it."""
    _places: dict[Node, int] = field(default_factory=dict)

    def add(self, step: Step, inputs: tuple[int, ...], schema: Schema) -> int:
        """The place of the step in the graph, a new one only if it is not there yet."""
        node = Node(step, inputs, schema)
        if node not in self._places:
            self._places[node] = len(self.nodes)
            self.nodes.append(node)
        return self._places[node]

    def copy(self) -> Graph:
        """The same steps at the same places, to add others to."""
        return Graph(
            list(self.nodes), dict(self.outputs), self.begin, self.changelogs, dict(self.names),
            estimates=dict(self.estimates), _places=dict(self._places),
        )  # fmt: skip

    @property
    def sources(self) -> list[Read]:
        return [node.step for node in self.nodes if isinstance(node.step, Read)]
