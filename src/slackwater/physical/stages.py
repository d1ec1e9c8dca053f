"""Stages: a graph cut into runs of steps that can work on one partitioning of their elements.

    Read ─ Filter ─ Map ══ by k ══► Aggregate k ─ Filter ══ by () ══► Aggregate
    └ beside the source            └ stage 0                         └ stage 1, all in one partition

Steps that keep nothing work beside the source for as long as nothing else is asked. A step that keeps
something wants the elements that share its key in one partition; elements that are not placed so are
*moved* to the next stage by the hash of that key. Fewer columns than the key has will do, too: what is
equal in all of them is equal in some.

    DISTINCT a, b, then GROUP BY a      placed by a, both are one stage
"""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.expressions import Column
from slackwater.physical import steps
from slackwater.physical.graph import Graph, Node
from slackwater.physical.stage_keys import Slots, slots, wishes
from slackwater.physical.stage_plan import BESIDE_SOURCES, Key, Move, Placing, Stage, Stages, Work

__all__ = ["BESIDE_SOURCES", "Move", "Stage", "Stages", "Work", "cut"]


def cut(graph: Graph) -> Stages:
    """The graph in stages, each of which needs only earlier ones."""
    return _Cutter(graph).cut()


class _Cutter:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.level: list[int] = []
        self.works: list[Work] = []
        self.wishes = wishes(graph)

    def cut(self) -> Stages:
        for place, node in enumerate(self.graph.nodes):
            wanted = slots(node)
            if wanted is not None:
                self._keyed(place, node, wanted)
            else:
                self._anywhere(place, node)
        return self._gathered()

    def _keyed(self, place: int, node: Node, wanted: Slots) -> None:
        """Take the key that keeps the step in the earliest stage, then the one most others want, too."""

        def cost(chosen: tuple[int, ...]) -> tuple[int, int, int, tuple[int, ...]]:
            keys = _keys(wanted, chosen, len(node.inputs))
            levels = [self._arrival(each, key) for each, key in zip(node.inputs, keys, strict=True)]
            served = sum(
                bool(key) and set(key) <= set(wish)
                for each, key in zip(node.inputs, keys, strict=True)
                for wish in self.wishes[each]
            )
            return max(levels, default=0), -served, -len(chosen), chosen

        chosen = min(self._choices(node, wanted), key=cost)
        keys = _keys(wanted, chosen, len(node.inputs))
        inputs = tuple(self._given(each, key) for each, key in zip(node.inputs, keys, strict=True))
        self.level.append(max(cost(chosen)[0], 0))
        placing = tuple(self._shared(node, inputs, at) for at in range(len(chosen)))
        self.works.append(Work(place, inputs, keys, placing))

    def _shared(self, node: Node, inputs: tuple[int | Move, ...], at: int) -> frozenset[str]:
        """The names that place the step's own elements: a pair's of either side, or those of all inputs."""
        found = [self._names(given, at) for given in inputs]
        both = frozenset.union if isinstance(node.step, steps.Match) else frozenset.intersection
        return both(*found) & frozenset(node.schema.names)

    def _choices(self, node: Node, wanted: Slots) -> Iterable[tuple[int, ...]]:
        if not wanted or (node.inputs and all(self._placing(each) == () for each in node.inputs)):
            return [()]
        whole = tuple(range(len(wanted)))
        found = {whole}
        for side, each in enumerate(node.inputs):
            columns = [slot[side] for slot in wanted]
            placing = self._placing(each)
            if placing:
                at = [next((i for i, c in enumerate(columns) if c in names), None) for names in placing]
                found.add(tuple(i for i in at if i is not None) if None not in at else whole)
            for wish in self.wishes[each]:
                found.add(tuple(i for i, column in enumerate(columns) if column in wish) or whole)
        return sorted(found)

    def _anywhere(self, place: int, node: Node) -> None:
        """A step that keeps nothing works in the stage of the last of its inputs."""
        level = max((self.level[each] for each in node.inputs), default=BESIDE_SOURCES)
        placings = [self._placing(each) for each in node.inputs if self.level[each] == level]
        near = placings[0] if placings else None
        key = None if near is None else tuple(min(names) for names in near)
        inputs: list[int | Move] = []
        for each in node.inputs:
            if self.level[each] == level:
                inputs.append(each)
            elif self.level[each] == BESIDE_SOURCES:
                inputs.append(Move(each, key))
            else:
                inputs.append(Move(each, None))
        self.level.append(level)
        self.works.append(Work(place, tuple(inputs), (), self._kept_placing(node, inputs)))

    def _kept_placing(self, node: Node, inputs: list[int | Move]) -> Placing:
        placings = [self._placing_of(each) for each in inputs]
        first = placings[0] if placings else None
        if first is None or any(each is None or len(each) != len(first) for each in placings):
            return None
        shared = [
            first[at].intersection(*(each[at] for each in placings if each)) for at in range(len(first))
        ]
        if isinstance(node.step, steps.Map):
            shared = [_renamed(names, node.step) for names in shared]
        return tuple(shared) if all(shared) else None

    def _placing(self, node: int) -> Placing:
        return self.works[node].placing

    def _placing_of(self, given: int | Move) -> Placing:
        if isinstance(given, int):
            return self._placing(given)
        if given.key is None:
            return self._placing(given.node)
        return tuple(frozenset((name,)) for name in given.key)

    def _names(self, given: int | Move, at: int) -> frozenset[str]:
        placing = self._placing_of(given)
        return frozenset() if not placing else placing[at]

    def _fits(self, node: int, key: Key) -> bool:
        placing = self._placing(node)
        if placing is None or len(placing) != len(key) or self.level[node] == BESIDE_SOURCES:
            return False
        return all(name in names for name, names in zip(key, placing, strict=True))

    def _arrival(self, node: int, key: Key) -> int:
        """The stage in which the node's elements can be had, placed by the key."""
        return self.level[node] + (not self._fits(node, key))

    def _given(self, node: int, key: Key) -> int | Move:
        return node if self._fits(node, key) else Move(node, key)

    def _gathered(self) -> Stages:
        found: list[list[Work]] = [[] for _ in range(max(self.level, default=-1) + 1)]
        beside: list[Work] = []
        for work, level in zip(self.works, self.level, strict=True):
            inputs = tuple(
                Move(each, None) if isinstance(each, int) and self.level[each] < level else each
                for each in work.inputs
            )
            (beside if level == BESIDE_SOURCES else found[level]).append(
                Work(work.node, inputs, work.keys, work.placing)
            )
        return _linked(self.graph, beside, found)


def _linked(graph: Graph, beside: list[Work], found: list[list[Work]]) -> Stages:
    """The stages with what each takes, passes on and gives."""
    takes = [
        list(dict.fromkeys(m for w in works for m in w.inputs if isinstance(m, Move))) for works in found
    ]
    stages: list[Stage] = []
    for level, works in enumerate([beside, *found], start=BESIDE_SOURCES):
        mine = {work.node for work in works}
        later = list(dict.fromkeys(move for each in takes[level + 1 :] for move in each))
        born = {work.node for each in ([beside, *found])[: level + 1] for work in each}
        stages.append(
            Stage(
                tuple(works),
                tuple(takes[level]) if level >= 0 else (),
                tuple(move for move in later if move.node in born),
                tuple(move for move in later if move.node in mine),
            )
        )
    return Stages(graph, stages[0], tuple(stages[1:]))


def _keys(wanted: Slots, chosen: tuple[int, ...], sides: int) -> tuple[Key, ...]:
    return tuple(tuple(wanted[at][side] for at in chosen) for side in range(sides))


def _renamed(names: frozenset[str], step: steps.Map) -> frozenset[str]:
    return frozenset(name for name, expr in step.columns if isinstance(expr, Column) and expr.name in names)
