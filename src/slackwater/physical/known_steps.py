"""Queries that are added to a graph while it runs: which of their steps it has, with what is alive of them.

    running    Read S ─ RangeWindow ─ Aggregate ═► a
    added                                └─ Alive since 17 ─ Filter ═► b      b has the groups of a from 17 on

A step of an added query is *known* if the running graph has it and, unless it is a stream, if a state has its
elements that are alive. Known steps are like sources: a relation has the rows that it has when the query
begins, a stream goes on. What is not known begins then, without what came before (`merge`). What follows
known relations is a function of their rows at each instant, so a query whose relations are all known answers
as if it had always been there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from slackwater.base.time import INFINITY
from slackwater.physical import steps
from slackwater.physical.graph import Graph, Node
from slackwater.physical.merge import add_step

_HAVE_THEIR_OWN = (
    steps.Apply,
    steps.Aggregate,
    steps.Over,
    steps.Count,
    steps.RowWindow,
    steps.NestedRowWindows,
    steps.Join,
)
"""Steps whose state has what is alive of their elements."""
_STREAMS = (steps.Changed, steps.Repeat)
_KEEP_ENDS = (
    steps.Filter, steps.Map, steps.Unnest, steps.Assign, steps.Negate, steps.Union, steps.AliveSince,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Holder:
    """A step whose state has the elements that are alive, its own or those of one of its inputs."""

    place: int
    side: int | None = None


def holders(graph: Graph, place: int) -> Iterator[Holder]:
    """The steps whose state has what is alive of the elements at a place; last those that have it only if
    all these elements have an end."""
    if isinstance(graph.nodes[place].step, _HAVE_THEIR_OWN) and not _forgets(graph.nodes[place].step):
        yield Holder(place)
    for kind in (steps.Join, steps.Changed):
        for at, node in enumerate(graph.nodes):
            if place in node.inputs and isinstance(node.step, kind) and not _forgets(node.step):
                yield Holder(at, node.inputs.index(place))


def _forgets(step: steps.Step) -> bool:
    """Whether it keeps no state of rows that are over, though they are alive."""
    match step:
        case steps.Aggregate() | steps.Over() | steps.Count() | steps.Join():
            return step.closing is not None
    return False


@dataclass(slots=True)
class KnownSteps:
    """The queries of another graph, to be added to a running one at the end of an epoch."""

    running: Graph
    added: Graph
    now: int
    """The end of the last epoch."""
    in_sums: Collection[int] = ()
    """The steps of the running graph whose elements may wait as partial sums, which no other step can use."""
    known: dict[int, int] = field(init=False, default_factory=dict)
    """The known steps that the added queries begin with, and their places in the running graph."""
    _needed: list[int] = field(init=False)
    """The known steps and those after them, inputs first."""

    def __post_init__(self) -> None:
        equals = _Equals(self.running, self.now)
        needed: set[int] = set()
        front = list(self.added.outputs.values())
        while front:
            place = front.pop()
            if place in needed:
                continue
            needed.add(place)
            there = self._known(equals.of(self.added, place))
            if there is None:
                front += self.added.nodes[place].inputs
            else:
                self.known[place] = there
        self._needed = sorted(needed)

    @property
    def read(self) -> list[str]:
        """The sources that are read by steps that are not known."""
        needed = [self.added.nodes[place].step for place in self._needed]
        return list(dict.fromkeys(step.name for step in needed if isinstance(step, steps.Read)))

    def graph(self, begin: int) -> Graph:
        """The running graph with the outputs of the added queries, which begin at that instant."""
        graph = self.running.copy()
        places: dict[int, int] = {}
        for place in self._needed:
            node = self.added.nodes[place]
            if place in self.known:
                kind = steps.Since if isinstance(node.step, _STREAMS) else steps.AliveSince
                step = kind(begin, origin=node.step.origin)
                places[place] = graph.add(step, (self.known[place],), node.schema)
            else:
                inputs = tuple(places[source] for source in node.inputs)
                places[place] = add_step(graph, node, inputs, begin)
        known = self.added.estimates.items()
        graph.estimates |= {places[place]: estimate for place, estimate in known if place in places}
        graph.outputs |= {name: places[place] for name, place in self.added.outputs.items()}
        return graph

    def _known(self, equal: Collection[int]) -> int | None:
        """One of the equal steps of the running graph that can be used."""
        for place in equal:
            if isinstance(self.running.nodes[place].step, _STREAMS):
                return place
            is_held = any(self.has_all(holder) for holder in holders(self.running, place))
            if is_held and place not in self.in_sums:
                return place
        return None

    def has_all(self, holder: Holder) -> bool:
        """Whether it has all elements that are alive: one that has only ends lacks those without."""
        node = self.running.nodes[holder.place]
        return not isinstance(node.step, steps.Changed) or self._end(node.inputs[0])

    def _end(self, place: int) -> bool:
        """Whether all elements so far have an end."""
        node = self.running.nodes[place]
        match node.step:
            case steps.RangeWindow(duration=size, slide=slide):
                return self.now + size + slide < INFINITY
            case steps.SlidingWindow(size=size) | steps.FixedWindow(size=size):
                return self.now + size < INFINITY
            case step if isinstance(step, _KEEP_ENDS):
                return all(self._end(source) for source in node.inputs)
        return False


class _Equals:
    """Finds the steps of a running graph that give the same from now on.

    A query that began earlier with the rows that were alive has had all rows since: `AliveSince` is left out.
    """

    def __init__(self, graph: Graph, now: int) -> None:
        self._first: dict[Node, int] = {}
        self._equal: dict[int, list[int]] = {}
        firsts: list[int] = []
        for place, node in enumerate(graph.nodes):
            if isinstance(node.step, steps.AliveSince) and node.step.begin < now:
                (first,) = (firsts[source] for source in node.inputs)
            else:
                first = self._first.setdefault(_over(node, [firsts[source] for source in node.inputs]), place)
            firsts.append(first)
            self._equal.setdefault(first, []).append(place)
        self._matches: dict[int, int | None] = {}

    def of(self, graph: Graph, place: int) -> Sequence[int]:
        """The places of steps that equal one of another graph, which is the same in all calls."""
        for at in range(len(self._matches), place + 1):
            inputs = [self._matches[source] for source in graph.nodes[at].inputs]
            known = [source for source in inputs if source is not None]
            is_whole = len(known) == len(inputs)
            self._matches[at] = self._first.get(_over(graph.nodes[at], known)) if is_whole else None
        first = self._matches[place]
        return () if first is None else self._equal[first]


def _over(node: Node, inputs: Sequence[int]) -> Node:
    return Node(node.step, tuple(inputs), node.schema)
