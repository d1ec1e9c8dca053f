"""Steps whose elements are never taken back.

An element of a window over a stream has copies and an end that no later element changes. So has what is made
of it by a step that looks at each element by itself, and a pair of such elements.
"""

from __future__ import annotations

from slackwater.physical import steps
from slackwater.physical.graph import Graph

_ONE_BY_ONE = (
    steps.Filter, steps.Map, steps.Unnest, steps.Assign, steps.Union, steps.When, steps.Join,
)  # fmt: skip


def final_places(graph: Graph) -> frozenset[int]:
    """The places of the steps whose elements all have a positive number of copies, and keep their ends."""
    places: set[int] = set()
    for place, node in enumerate(graph.nodes):
        match node.step:
            case steps.RangeWindow() | steps.SlidingWindow() | steps.FixedWindow() | steps.Once():
                places.add(place)
            case steps.Sessions(end="") if places.issuperset(node.inputs):
                places.add(place)
            case steps.Synchronize() if len(node.inputs) == 1 and node.inputs[0] in places:
                places.add(place)
            case step if isinstance(step, _ONE_BY_ONE) and places.issuperset(node.inputs):
                places.add(place)
    return frozenset(places)
