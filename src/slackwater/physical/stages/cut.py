"""Stages: a graph cut into runs of steps that can work on one partitioning of their elements.

    Read ─ Filter ─ Map ══ by k ══► Aggregate k ─ Filter ══ by () ══► Aggregate
    └ beside the source            └ stage 0                         └ stage 1, all in one partition

Steps without state run beside the source until one needs a partitioning. A step with state needs the
elements that share its key in one partition; elements that are not placed so are *moved* to the next stage
by the hash of that key. Some of the key's columns are enough: elements equal in all of them are equal in
those.

    DISTINCT a, b, then GROUP BY a      placed by a, both are one stage

Elements that an output shows as they come from beside the source move to the first stage too, since those
after the epoch have to wait there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

from slackwater.algebra.expressions import Column
from slackwater.physical import steps
from slackwater.physical.graph import Graph, Node
from slackwater.physical.stages.broadcast import flow_of, rows_alive, spread_side
from slackwater.physical.stages.keys import Slots, later_keys, slots
from slackwater.physical.stages.plan import BESIDE_SOURCES, Key, Move, Placing, Stage, Stages, Work
from slackwater.physical.stages.sums import with_sums


def cut(graph: Graph) -> Stages:
    """The graph in stages, each of which needs only earlier ones."""
    return _Cutter(graph).cut()


def sources_of(stages: Stages) -> dict[str, list[int]]:
    """The places, among all that moves, of what comes from each source."""
    nodes = stages.graph.nodes
    beside = {work.node: work for work in stages.beside.works}
    places: dict[str, list[int]] = {}
    for place, move in enumerate(stages.moves):
        front = [move.node] if move.node in beside and move.sums_for is None else []
        while front:
            node = front.pop()
            step = nodes[node].step
            if isinstance(step, steps.Read):
                places.setdefault(step.name, []).append(place)
            front += nodes[node].inputs
    return places


class _Cutter:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.level: list[int] = []
        self.works: list[Work] = []
        self.later_keys = later_keys(graph)
        self.rows = rows_alive(graph)

    def cut(self) -> Stages:
        for place, node in enumerate(self.graph.nodes):
            key = slots(node)
            spread = spread_side(self.graph, node, self.rows)
            if spread is not None:
                self._broadcast(place, node, spread)
            elif key is not None:
                self._keyed(place, node, key)
            else:
                self._anywhere(place, node)
        return self._gathered()

    def _keyed(self, place: int, node: Node, key: Slots) -> None:
        """Take the columns that keep the step in the earliest stage, then those that save later steps the
        most exchanges, by their bytes where these are known."""

        def cost(chosen: tuple[int, ...]) -> tuple[int, float, int, tuple[int, ...]]:
            pairs = list(zip(node.inputs, _keys(key, chosen, len(node.inputs)), strict=True))
            levels = [self._arrival(source, columns) for source, columns in pairs]
            served = sum(
                flow * count
                for (source, columns), flow in zip(pairs, flows, strict=True)
                for later, count in self.later_keys[source].items()
                if columns and set(columns) <= set(later)
            )
            return max(levels, default=0), -served, -len(chosen), chosen

        flows = self._flows(node)
        chosen = min(self._choices(node, key), key=cost)
        keys = _keys(key, chosen, len(node.inputs))
        inputs = tuple(itertools.starmap(self._input, zip(node.inputs, keys, strict=True)))
        self.level.append(max(cost(chosen)[0], 0))
        placing = tuple(self._shared(node, inputs, at) for at in range(len(chosen)))
        self.works.append(Work(place, inputs, keys, placing))

    def _flows(self, node: Node) -> list[float]:
        """The bytes that come from each input in a time; all the same where that is not known of all."""
        flows = [flow_of(self.graph, source) for source in node.inputs]
        known = [flow for flow in flows if flow is not None]
        return known if len(known) == len(flows) else [1.0] * len(flows)

    def _broadcast(self, place: int, node: Node, spread: int) -> None:
        """A join without equal columns: one side stays as it is placed, or moves by its rows or by groups of
        them that are reduced; the other moves to every partition."""
        here, other = node.inputs[spread], node.inputs[1 - spread]
        later = [*self.later_keys[here]] if isinstance(node.step, steps.BestMatch) else []
        key = self._key_of_placing(here) or next(iter(later), self.graph.nodes[here].schema.names)
        pairs = [(self._input(here, key), key), (Move(other, (), is_broadcast=True), ())]
        inputs, keys = zip(*(pairs if spread == 0 else reversed(pairs)), strict=True)
        self.level.append(max(self._arrival(here, key), self.level[other] + 1))
        placing = self._placing_of(pairs[0][0])
        self.works.append(Work(place, inputs, keys, placing, broadcast=1 - spread))

    def _key_of_placing(self, node: int) -> Key:
        """The columns that place the elements of an earlier stage; () where that is not known, or in one
        partition."""
        placing = self._placing(node)
        return tuple(min(names) for names in placing) if placing and all(placing) else ()

    def _shared(self, node: Node, inputs: tuple[int | Move, ...], at: int) -> frozenset[str]:
        """The names that place the step's own elements: a pair's of either side, or those of all inputs."""
        names = [self._names(source, at) for source in inputs]
        combine = (
            frozenset.union if isinstance(node.step, steps.Join | steps.BestMatch) else frozenset.intersection
        )
        return combine(*names) & frozenset(node.schema.names)

    def _choices(self, node: Node, key: Slots) -> Iterable[tuple[int, ...]]:
        if not key or (node.inputs and all(self._placing(source) == () for source in node.inputs)):
            return [()]
        whole = tuple(range(len(key)))
        choices = {whole}
        for side, source in enumerate(node.inputs):
            columns = [slot[side] for slot in key]
            placing = self._placing(source)
            if placing:
                at = [next((i for i, c in enumerate(columns) if c in names), None) for names in placing]
                choices.add(tuple(i for i in at if i is not None) if None not in at else whole)
            for later in self.later_keys[source]:
                choices.add(tuple(i for i, column in enumerate(columns) if column in later) or whole)
        return sorted(choices)

    def _anywhere(self, place: int, node: Node) -> None:
        """A step without state runs in the stage of the last of its inputs."""
        level = max((self.level[source] for source in node.inputs), default=BESIDE_SOURCES)
        placings = [self._placing(source) for source in node.inputs if self.level[source] == level]
        near = placings[0] if placings else None
        key = None if near is None else tuple(min(names) for names in near)
        inputs: list[int | Move] = []
        for source in node.inputs:
            if self.level[source] == level:
                inputs.append(source)
            elif self.level[source] == BESIDE_SOURCES:
                inputs.append(Move(source, key))
            else:
                inputs.append(Move(source, None))
        self.level.append(level)
        self.works.append(Work(place, tuple(inputs), (), self._common_placing(node, inputs)))

    def _common_placing(self, node: Node, inputs: list[int | Move]) -> Placing:
        placings = [self._placing_of(source) for source in inputs]
        first = placings[0] if placings else None
        if first is None or any(placing is None or len(placing) != len(first) for placing in placings):
            return None
        shared = [
            first[at].intersection(*(placing[at] for placing in placings if placing))
            for at in range(len(first))
        ]
        if isinstance(node.step, steps.Map):
            shared = [_renamed(names, node.step) for names in shared]
        return tuple(shared) if all(shared) else None

    def _placing(self, node: int) -> Placing:
        return self.works[node].placing

    def _placing_of(self, source: int | Move) -> Placing:
        if isinstance(source, int):
            return self._placing(source)
        if source.key is None:
            return self._placing(source.node)
        return tuple(frozenset((name,)) for name in source.key)

    def _names(self, source: int | Move, at: int) -> frozenset[str]:
        placing = self._placing_of(source)
        return frozenset() if not placing else placing[at]

    def _fits(self, node: int, key: Key) -> bool:
        placing = self._placing(node)
        if placing is None or len(placing) != len(key) or self.level[node] == BESIDE_SOURCES:
            return False
        return all(name in names for name, names in zip(key, placing, strict=True))

    def _arrival(self, node: int, key: Key) -> int:
        """The first stage that can have the node's elements placed by the key."""
        return self.level[node] + (not self._fits(node, key))

    def _input(self, node: int, key: Key) -> int | Move:
        return node if self._fits(node, key) else Move(node, key)

    def _gathered(self) -> Stages:
        stages: list[list[Work]] = [[] for _ in range(max(self.level, default=-1) + 1)]
        beside: list[Work] = []
        for work, level in zip(self.works, self.level, strict=True):
            inputs = tuple(
                Move(source, None) if isinstance(source, int) and self.level[source] < level else source
                for source in work.inputs
            )
            (beside if level == BESIDE_SOURCES else stages[level]).append(replace(work, inputs=inputs))
        return _linked(self.graph, beside, with_sums(self.graph, beside, stages))


def _linked(graph: Graph, beside: list[Work], later: list[list[Work]]) -> Stages:
    """The stages with what each takes, passes on and gives."""
    read = {work.node for work in beside}
    shown = [Move(place, None) for place in graph.outputs.values() if place in read]
    later = later or [[]] * bool(shown)
    takes = [list(dict.fromkeys(move for work in works for move in work.moves)) for works in later]
    if shown:
        takes[0] = list(dict.fromkeys([*takes[0], *shown]))
    stages: list[Stage] = []
    for level, works in enumerate([beside, *later], start=BESIDE_SOURCES):
        own = {work.node for work in works}
        needed = list(dict.fromkeys(itertools.chain.from_iterable(takes[level + 1 :])))
        earlier = {work.node for stage in [beside, *later][: level + 1] for work in stage}
        stages.append(
            Stage(
                tuple(works),
                tuple(takes[level]) if level >= 0 else (),
                tuple(move for move in needed if move.node in earlier),
                tuple(move for move in needed if move.node in own),
            )
        )
    return Stages(graph, stages[0], tuple(stages[1:]))


def _keys(key: Slots, chosen: tuple[int, ...], sides: int) -> tuple[Key, ...]:
    return tuple(tuple(key[at][side] for at in chosen) for side in range(sides))


def _renamed(names: frozenset[str], step: steps.Map) -> frozenset[str]:
    return frozenset(name for name, expr in step.columns if isinstance(expr, Column) and expr.name in names)
