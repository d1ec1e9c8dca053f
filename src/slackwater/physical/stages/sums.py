"""Partial sums: which aggregates may add up their elements before these move to them.

    elements      ══ by k ══► RangeWindow slide ─ Map ─ Aggregate SUM(v) by k
    partial sums  ══ by k ════════════════════════════► ┘

COUNT, SUM and all other linear aggregates are functions of sums, to which it does not matter where they are
added up. So elements that agree in group, from and to may move as one, with the sums of what they contribute.
The sender decides that for each frame. It then also computes a window with a slide, which gives many elements
the same times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from slackwater.algebra.expressions.aggregates import LINEAR
from slackwater.optimize.facts.failing import may_fail
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.stages.plan import Move, Stages, Work


def with_sums(graph: Graph, beside: Iterable[Work], stages: Sequence[Sequence[Work]]) -> list[list[Work]]:
    """The works of the stages, the aggregates among them with moves of partial sums if these are possible."""
    works = {work.node: work for stage in stages for work in stage}
    sources = {work.node for work in beside}
    uses = _uses(graph)

    def moves_before(aggregate: Work) -> Iterator[Move]:
        """The exchanges before an aggregate, if nothing between uses the elements but what leads to it.

        Those from beside the sources do not depend on other queries, so that sums that wait can be taken by
        whatever plan resumes.
        """
        (source,) = aggregate.inputs
        waits = False
        while True:
            node = source.node if isinstance(source, Move) else source
            # Only elements from beside the sources may start after the epoch.
            if isinstance(source, Move) and source.key is not None and (not waits or node in sources):
                yield Move(node, aggregate.keys[0], aggregate.node)
            step = graph.nodes[node].step
            if node in sources or uses[node] > 1 or not _runs_anywhere(step):
                return
            waits = waits or isinstance(step, steps.RangeWindow)
            (source,) = works[node].inputs

    def extended(work: Work) -> Work:
        step = graph.nodes[work.node].step
        if not (isinstance(step, steps.Aggregate) and is_linear(step)):
            return work
        return replace(work, sums=tuple(moves_before(work)))

    return [[extended(work) for work in stage] for stage in stages]


def steps_between(graph: Graph, move: Move) -> list[int]:
    """The steps from the elements of a move of partial sums to the aggregate, without both."""
    assert move.sums_for is not None
    path: list[int] = []
    (node,) = graph.nodes[move.sums_for].inputs
    while node != move.node:
        path.append(node)
        (node,) = graph.nodes[node].inputs
    return path[::-1]


def elements_of(stages: Stages, sums: Move) -> Move:
    """The move of the elements that partial sums are of."""
    assert sums.sums_for is not None
    taker = [*steps_between(stages.graph, sums), sums.sums_for][0]
    works = {work.node: work for stage in stages.stages for work in stage.works}
    (source,) = works[taker].inputs
    assert isinstance(source, Move)
    return source


def sums_instead(stages: Stages, moves: Iterable[Move]) -> dict[Move, Move]:
    """The partial sums that may move in place of elements: of elements that one step takes, not several."""
    inputs = [source for stage in stages.stages for work in stage.works for source in work.inputs]
    pairs = ((elements_of(stages, move), move) for move in moves if move.sums_for is not None)
    return {elements: sums for elements, sums in pairs if inputs.count(elements) == 1}


def is_linear(step: steps.Aggregate) -> bool:
    """Whether all its aggregates are functions of sums."""
    return all(call.function in LINEAR and not call.distinct for _, call in step.calls)


def _uses(graph: Graph) -> list[int]:
    """How often each step is an input or an output."""
    uses = [0] * len(graph.nodes)
    for place in chain(chain.from_iterable(node.inputs for node in graph.nodes), graph.outputs.values()):
        uses[place] += 1
    return uses


def _runs_anywhere(step: steps.Step) -> bool:
    """Whether a sender may run the step, before it is known which elements start in the epoch."""
    match step:
        case steps.RangeWindow():
            return True
        case steps.Filter(predicate=predicate):
            return not may_fail(predicate)
        case steps.Map(columns=columns):
            return not any(may_fail(expr) for _, expr in columns)
    return False
