"""Graphs that go on: the steps of an earlier start, and those of queries that are added.

    stored     Read S ─ RangeWindow ─ Aggregate ═► a
    added            └─ Since 17 ─ RangeWindow ─ Aggregate ═► b       b begins at 17, without what came before

The steps of a query that goes on are those that it was started with, whatever would be made of its text
today: their states fit. A query that is added at an instant has no step with state in common with others,
except for relations that are read: their current rows count for it. One that is added from the beginning
shares all steps that compute the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from slackwater.algebra.expressions import Column, Expression, changed, column
from slackwater.base.depth import deep
from slackwater.base.span import Span
from slackwater.base.tree import children, rebuild
from slackwater.physical import steps
from slackwater.physical.description import state_names
from slackwater.physical.graph import Graph, Node
from slackwater.physical.steps import Step


@deep()
def continued(stored: Graph, outputs: Iterable[str], today: Graph, also: Iterable[int] = ()) -> Graph:
    """The part of a stored graph that computes the outputs, and these places as well.

    What is in today's graph, too, has its origins.
    """
    graph = Graph(begin=stored.begin, changelogs=stored.changelogs)
    names, with_origin = state_names(stored), _Origins(today)
    estimates = {state_names(today)[place]: estimate for place, estimate in today.estimates.items()}
    needed = sorted(_before(stored, [*(stored.outputs[name] for name in outputs), *also]))
    places: dict[int, int] = {}
    for place in needed:
        node = stored.nodes[place]
        inputs = tuple(places[source] for source in node.inputs)
        places[place] = graph.add(with_origin(node.step), inputs, node.schema)
        graph.names[places[place]] = names[place]
        if names[place] in estimates:
            graph.estimates[places[place]] = estimates[names[place]]
    graph.outputs = {name: places[stored.outputs[name]] for name in outputs}
    return graph


def add_from(graph: Graph, others: Graph, begin: int | None = None) -> None:
    """Add the outputs of another graph, as if time began at that instant, with the relations of then.

    Without an instant: as if they had been there from the beginning on.
    """
    places: list[int] = []
    for node in others.nodes:
        inputs = tuple(places[source] for source in node.inputs)
        places.append(add_step(graph, node, inputs, begin))
    graph.estimates |= {places[place]: estimate for place, estimate in others.estimates.items()}
    graph.outputs |= {name: places[place] for name, place in others.outputs.items()}


def add_step(graph: Graph, node: Node, inputs: tuple[int, ...], begin: int | None) -> int:
    """Add a step of another graph, as if time began at that instant; the place of what comes after it."""
    step, schema = node.step, node.schema
    if begin is None:
        return graph.add(step, inputs, schema)
    if isinstance(step, steps.Once):
        return graph.add(replace(step, begin=max(begin, step.begin)), inputs, schema)
    place = graph.add(step, inputs, schema)
    match step:
        case steps.Read(is_changelog=False) | steps.Ticks():
            return graph.add(steps.Since(begin, origin=step.origin), (place,), schema)
        case steps.Apply() | steps.Aggregate(keys=()):
            # An aggregate without groups has a row even if there is nothing to aggregate.
            return graph.add(steps.AliveSince(begin, origin=step.origin), (place,), schema)
    return place


def _before(graph: Graph, places: Iterable[int]) -> set[int]:
    """The places, and those of all steps before them."""
    needed: set[int] = set()
    front = list(places)
    while front:
        place = front.pop()
        if place not in needed:
            needed.add(place)
            front += graph.nodes[place].inputs
    return needed


class _Origins:
    """Finds the place in the text of a step, or of a part of it, that was read from a description.

    Columns may have other names in today's graph, `x.a` for `a`: such a place counts if there is only one.
    """

    def __init__(self, graph: Graph) -> None:
        self._steps: dict[Step, Step] = {}
        self._spans: dict[Expression, set[Span]] = {}
        for node in graph.nodes:
            self._steps.setdefault(node.step, node.step)
            for expr in _expressions(node.step):
                if expr.origin is not None:
                    self._spans.setdefault(_bare(expr), set()).add(expr.origin)

    def __call__(self, step: Step) -> Step:
        return self._steps.get(step) or rebuild(step, Expression, self._expression)

    def _expression(self, expr: Expression) -> Expression:
        inside = rebuild(expr, Expression, self._expression)
        spans = self._spans.get(_bare(expr), set())
        return replace(inside, origin=next(iter(spans))) if len(spans) == 1 else inside


def _bare(expr: Expression) -> Expression:
    """The expression with the last parts of the names of its columns."""

    def rename(part: Expression) -> Expression | None:
        return column(part.name.rpartition(".")[2], part.type) if isinstance(part, Column) else None

    return changed(expr, rename)


def _expressions(step: Step) -> Iterator[Expression]:
    for expr in children(step, Expression):
        yield from expr.walk()
