"""Which rows of a source some step needs: the others need not leave the JVM.

    Read S ─┬─ Filter v > 10 AND f(w) ─ …        v > 10 OR k = 1 is needed of every row
            └─ Range ─ Filter k = 1 ─ …          (of f, which Spark does not have, nothing is said)

A source that some step reads without a filter has none. The steps stay as they are, so a filter here may
accept more rows than they do, never fewer.
"""

from __future__ import annotations

from slackwater.algebra.expressions import Call, Column, Expression, conjunction, conjuncts
from slackwater.algebra.types import BOOLEAN
from slackwater.optimize.facts.failing import may_fail
from slackwater.physical.graph import Graph
from slackwater.physical.pushdown.spelling import spelled
from slackwater.physical.steps import Filter, FixedWindow, RangeWindow, Read, Since, SlidingWindow

_TIMED = (RangeWindow, SlidingWindow, FixedWindow, Since)
"""Steps that pass on the rows of a stream by their times only."""


def row_filters(graph: Graph) -> dict[str, Expression]:
    """By stream, what is true of every row that some step needs, as far as the JVM can compute it."""
    filters: dict[str, Expression] = {}
    for place, node in enumerate(graph.nodes):
        if isinstance(node.step, Read) and not node.step.is_changelog:
            needed = _needed(graph, place)
            if needed is not None:
                filters[node.step.name] = needed
    return filters


def _needed(graph: Graph, place: int) -> Expression | None:
    """The condition under which a row at a place of the graph is needed; None is every row."""
    if place in graph.outputs.values():
        return None
    needed: Expression | None = None
    for at, node in enumerate(graph.nodes):
        if place not in node.inputs:
            continue
        match node.step:
            case Filter(predicate):
                condition = _in_jvm(predicate)
            case step if isinstance(step, _TIMED):
                condition = _needed(graph, at)
            case _:
                condition = None
        if condition is None:
            return None
        needed = condition if needed is None else _either(needed, condition)
    return needed


def _either(one: Expression, other: Expression) -> Expression:
    return one if one == other else Call(BOOLEAN, "or", (one, other))


def _in_jvm(predicate: Expression) -> Expression | None:
    """The conditions of a predicate that the JVM can compute.

    A predicate that may fail has to see every row.
    """
    if may_fail(predicate):
        return None
    names = {part.name: part.name for part in predicate.walk() if isinstance(part, Column)}
    return conjunction([part for part in conjuncts(predicate) if spelled(part, names) is not None])
