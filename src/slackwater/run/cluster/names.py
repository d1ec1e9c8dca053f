"""The names of states, and where each begins when a run resumes.

    9c5f…                      the state of a step, named after the step and all before it
    9c5f… waiting by ["k"]     elements of that step that wait for their epoch, in partitions by k
    9c5f… waiting by "everywhere"    the same, where they move to every partition
    9c5f… sums for 07aa… by ["k"]    partial sums that wait, of elements of one step for another

A name says what is computed, not at which place of which graph: a plan with other queries, or cut into
other stages, finds the states of the steps that it shares with the plan before.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from slackwater.base.diagnostic import Bug
from slackwater.kernels.alive import alive, alive_input
from slackwater.kernels.layout import state_layout
from slackwater.kernels.machine import LAYOUT, WAITING
from slackwater.kernels.relations import EARLIER, until
from slackwater.kernels.state import Retention
from slackwater.physical.description import state_names
from slackwater.physical.graph import Graph, Node
from slackwater.physical.known_steps import holders
from slackwater.physical.stages.plan import ENDS, EVERYWHERE, SIDES, Move, Stages
from slackwater.physical.stages.sums import elements_of
from slackwater.physical.steps import AliveSince, Join

_WAITING, _SUMS, _BY = " waiting by ", " sums for ", " by "
_MOST_PLANS = 16
_names: dict[int, tuple[Stages, dict[int | Move, str]]] = {}
"""By the identity of the plan, which is kept with them."""


def names_of(stages: Stages) -> dict[int | Move, str]:
    """The name of each step's state, and of the elements that wait at each move from beside the sources.

    Computed once for each plan in a process: every task of every epoch needs them.
    """
    if id(stages) not in _names:
        if len(_names) > _MOST_PLANS:
            _names.clear()
        _names[id(stages)] = stages, _make_names(stages)
    return _names[id(stages)][1]


def _make_names(stages: Stages) -> dict[int | Move, str]:
    steps = state_names(stages.graph)
    waiting = {move: _waiting_name(move, steps) for move in stages.entries}
    names: dict[int | Move, str] = dict(enumerate(steps))
    return names | waiting


def _waiting_name(move: Move, steps: Sequence[str]) -> str:
    key = json.dumps(EVERYWHERE if move.is_broadcast else move.key)
    if move.sums_for is None:
        return f"{steps[move.node]}{_WAITING}{key}"
    return f"{steps[move.node]}{_SUMS}{steps[move.sums_for]}{_BY}{key}"


def all_states(stages: Stages) -> list[str]:
    """The names of the states that the stages have, of steps and of waiting elements, in order.

    Waiting elements that may be missing, since sums of them wait instead, come first: see `_by_step`.
    """
    names, graph = names_of(stages), stages.graph
    stateful = [work.node for stage in stages.stages for work in stage.works]
    places = [place for place in stateful if state_layout(graph.nodes[place])]
    states = [*(names[place] for place in places), *(names[move] for move in stages.entries)]
    sums = [move for move in stages.entries if move.sums_for is not None]
    in_sums = {names.get(elements_of(stages, move)) for move in sums}
    return sorted(states, key=lambda name: (name not in in_sums, name))


def replicated(stored: Collection[str], layout: Sequence[Sequence[Any]]) -> set[tuple[str, str]]:
    """The frames of stored states that are the same in every partition: the state, and the frame's name."""
    waiting = {(name, WAITING) for name in stored if name.endswith(f"{_WAITING}{json.dumps(EVERYWHERE)}")}
    sides = {
        (state, frame)
        for state, _, keys in layout
        for *frames, key in zip(SIDES, ENDS, keys, strict=False)
        if key == EVERYWHERE
        for frame in frames
    }
    return waiting | sides


@dataclass(frozen=True, slots=True)
class Beginning:
    """The state that another begins with, of the run before."""

    state: str
    layout: Mapping[str, Retention]
    begin: int | None = None
    """Where it has elements that are alive: the instant at which they are to start."""
    holder: Node | None = None
    """The step whose state that is."""
    side: int | None = None
    """The input that the elements are of; None: they are its own."""

    @property
    def is_of_both_sides(self) -> bool:
        """Whether a frame is needed in each site that has it, even one that is the same in all of them."""
        return self.holder is not None and self.side is None and isinstance(self.holder.step, Join)

    def frames(self, frames: Mapping[str, pl.DataFrame], now: int) -> dict[str, pl.DataFrame]:
        """The frames to begin with, from those of the run before."""
        if self.begin is None or self.holder is None:
            return dict(frames)
        if self.side is None:
            held: pl.DataFrame | None = alive(self.holder, frames, now)
        else:
            held = alive_input(self.holder, self.side, frames, now)
        return {} if held is None or not held.height else {EARLIER: until(held, self.begin)}


def beginnings(stages: Stages, stored: Collection[str]) -> dict[str, Beginning]:
    """What each state begins with, of the stored ones; the others begin empty.

    Usually that is the state of the same name. All elements of a step wait at each of its moves, so that
    those of one may wait at another. What a query that is added begins with is in the state of a holder.
    """
    graph, waiting = stages.graph, _by_step(stored)
    _ensure_sums_go_on(stages, waiting)
    begin: dict[str, Beginning] = {}
    for at, name in names_of(stages).items():
        if isinstance(at, Move):
            other = name if name in stored else waiting.get(_what_waits(name))
            if other is not None:
                begin[name] = Beginning(other, LAYOUT)
        elif name in stored:
            begin[name] = Beginning(name, state_layout(graph.nodes[at]))
        elif isinstance(step := graph.nodes[at].step, AliveSince):
            begin |= _alive(graph, at, step.begin, stored)
    return begin


def _by_step(stored: Collection[str]) -> dict[str, str]:
    """One of the states of the waiting elements of each step, and of their partial sums: the last one."""
    return {_what_waits(name): name for name in stored if _WAITING in name or _SUMS in name}


def _ensure_sums_go_on(stages: Stages, waiting: Collection[str]) -> None:
    """Partial sums cannot become elements again: an aggregate that has some must be able to take them."""
    names = names_of(stages)
    steps = {name for at, name in names.items() if isinstance(at, int)}
    takers = {_what_waits(name) for at, name in names.items() if isinstance(at, Move)}
    for what in waiting:
        if _SUMS in what and what.partition(_SUMS)[2] in steps and what not in takers:
            raise Bug(f"partial sums wait, and nothing takes them: {what}")


def sums_in(stored: Collection[str]) -> list[tuple[str, str]]:
    """The partial sums that wait: the step of their elements, and the aggregate that they are for."""
    sums = [_what_waits(name).partition(_SUMS) for name in stored if _SUMS in name]
    return [(step, aggregate) for step, _, aggregate in sums]


def without_sums_for(stored: Collection[str], aggregates: Collection[str]) -> list[str]:
    """The names without those of partial sums for these aggregates."""
    return [name for name in stored if not any(taker in aggregates for _, taker in sums_in([name]))]


def _what_waits(name: str) -> str:
    """The name without the key."""
    return name.partition(_BY)[0]


def _alive(graph: Graph, place: int, instant: int, stored: Collection[str]) -> dict[str, Beginning]:
    (source,) = graph.nodes[place].inputs
    names = state_names(graph)
    for holder in holders(graph, source):
        if names[holder.place] in stored:
            node = graph.nodes[holder.place]
            layout = state_layout(node)
            begin = Beginning(names[holder.place], layout, instant, node, holder.side)
            return {names[place]: begin}
    return {}
