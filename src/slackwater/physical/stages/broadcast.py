"""Joins without equal columns: one side is sent to every partition, the other one is spread.

    S [RANGE 1 HOUR] ══ by the row ════════► Join x.a < y.b      placed as the elements of S are
    R                ══ to every partition ═► ┘

Which side is sent is decided from the plan and from statistics of the sources, not from the data of an epoch:
the side of which fewer bytes come in a time, since each is sent to every partition (decision 0043). Where
nothing is known of the sources, the rows of a step are estimated roughly, from the windows below it, and the
side with fewer rows is sent; of equal sides the right one. Where both have few rows, all pairs are made in
one partition.
"""

from __future__ import annotations

from slackwater.base.time import INFINITY
from slackwater.optimize.cost.statistics import width_of
from slackwater.physical import steps
from slackwater.physical.graph import Graph, Node

_FEW = 1_000
"""The most rows of the larger side that are joined in one partition."""
_AT_AN_INSTANT = 10_000
_OF_RELATION = 100_000
_IN_WINDOW = 1_000_000
_PARTITIONS = 1_000
_GROUP = 10
_ENDLESS = 1_000_000_000


def rows_alive(graph: Graph) -> list[int]:
    """About how many rows of each step are alive at an instant, as far as the plan says."""
    rows: list[int] = []
    for node in graph.nodes:
        rows.append(min(_estimate(node, [rows[source] for source in node.inputs]), _ENDLESS))
    return rows


def _estimate(node: Node, inputs: list[int]) -> int:
    match node.step:
        case steps.Once() | steps.Aggregate(keys=()) | steps.AtMostOne(key=()):
            return 1
        case steps.RangeWindow(duration=0):
            return _AT_AN_INSTANT
        case steps.RangeWindow(duration=duration) if duration >= INFINITY:
            return _ENDLESS
        case steps.RangeWindow() | steps.SlidingWindow() | steps.FixedWindow():
            return _IN_WINDOW
        case steps.SessionWindow():
            return _IN_WINDOW
        case steps.RowWindow(count=count, partition=partition):
            return count * _PARTITIONS if partition else count
        case steps.NestedRowWindows(windows=windows, partition=partition):
            return sum(count for count, _ in windows) * (_PARTITIONS if partition else 1)
        case steps.Over(limit=(_, most), partition=partition):
            return min(inputs[0], most * _PARTITIONS if partition else most)
        case steps.Aggregate():
            return max(inputs[0] // _GROUP, 1)
        case steps.Join(left=()):
            return inputs[0] * inputs[1]
    return max(inputs, default=_OF_RELATION)


def spread_side(graph: Graph, node: Node, rows: list[int]) -> int | None:
    """The input of a join that is spread; None where all pairs are made in one partition.

    Every partition has to know the time points of a synchronization.
    """
    if isinstance(node.step, steps.Synchronize) and len(node.inputs) == 2:
        return 0 if node.schema.names else None
    if isinstance(node.step, steps.BestMatch) and not node.step.left:
        return 0 if graph.nodes[node.inputs[0]].schema.names else None
    if not isinstance(node.step, steps.Join) or node.step.left:
        return None
    known = [graph.estimates[source] for source in node.inputs if source in graph.estimates]
    if len(known) == 2:
        weights = [one.flow for one in known]
        is_few = max(one.alive for one in known) <= _FEW
    else:
        weights = [float(rows[source]) for source in node.inputs]
        is_few = max(weights) <= _FEW
    spread = 0 if weights[0] >= weights[1] else 1
    return None if is_few or not graph.nodes[node.inputs[spread]].schema.names else spread


def flow_of(graph: Graph, place: int) -> float | None:
    """The bytes that leave a step in a time, if they are estimated of it, or of what it makes elements of."""
    width = width_of(graph.nodes[place].schema)
    while place not in graph.estimates and len(graph.nodes[place].inputs) == 1:
        (place,) = graph.nodes[place].inputs
    return graph.estimates[place].elements * width if place in graph.estimates else None
