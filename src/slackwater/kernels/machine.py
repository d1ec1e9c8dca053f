"""Runs the steps of a graph in one process, epoch by epoch, with their states.

    frames that move in ─► those after the epoch wait ─► steps, with their states ─► frames of the steps

All stages of a graph, with one partition, or one stage in one of several partitions: the code is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

import polars as pl

from slackwater.kernels import relations
from slackwater.kernels.aggregates import ROWS
from slackwater.kernels.execute import aggregate_final, best_match_final, execute, over_final
from slackwater.kernels.frames import FROM, concatenated, empty, frame_schema
from slackwater.kernels.idle import is_idle
from slackwater.kernels.layout import state_layout
from slackwater.kernels.stacked import FEW
from slackwater.kernels.state import Retention, State
from slackwater.kernels.streams import all_net_changes
from slackwater.physical.final import final_places
from slackwater.physical.graph import Graph, Node
from slackwater.physical.stages.cut import cut
from slackwater.physical.stages.plan import BESIDE_SOURCES, Move, Stages, Work
from slackwater.physical.stages.sums import elements_of
from slackwater.physical.steps import Aggregate, BestMatch, Changed, Over, Read

MOST_ROWS = 600_000
"""The most rows in one pass, unless more start at the same instant. Sorts and joins of more rows leave the
processor's caches (decision 0031); a batch in the driver has fewer."""
MATCH_MEMORY = 512 << 20
"""The bytes that the windows of best matches may take in memory, by default."""
WAITING = "waiting"
LAYOUT = {WAITING: Retention(due=FROM)}
_STATELESS = State({})

Frames = dict[int, pl.DataFrame]
"""Frames of elements, by the step that they are from."""


class Machine:
    """Runs some stages of a graph in a partition; by default all of them, in one. Its output does not depend
    on how the input is cut into epochs."""

    def __init__(
        self,
        plan: Graph | Stages,
        numbers: Sequence[int] | None = None,
        partition: int = 0,
        memory: int | None = None,
    ) -> None:
        """The `memory` is for the windows of all best matches here, in bytes; by default `MATCH_MEMORY`."""
        self.stages = cut(plan) if isinstance(plan, Graph) else plan
        self.graph = self.stages.graph
        self.partition = partition
        places = _all_or(numbers, self.stages)
        chosen = [self.stages.stages[at] for at in places]
        self._works = list(chain.from_iterable(stage.works for stage in chosen))
        own = {work.node for work in self._works}
        self.takes = [move for stage in chosen for move in stage.takes if move.node not in own]
        self.takes = list(dict.fromkeys(self.takes))
        takers = self.stages.first_takers
        entries = {move for move in self.stages.entries if takers[move] in places}
        self.states = _states(self.graph, self._works, MATCH_MEMORY if memory is None else memory)
        self.waiting = {move: State(LAYOUT) for move in self.takes if move in entries}
        self.arrived: dict[Move, pl.DataFrame] = {}
        """What moved in and starts in the last epoch."""
        self._final = final_places(self.graph)
        self._last_changes = _last_changes(self.graph, self._works)
        self._shown = own | {move.node for move in self.waiting if move.key is None}

    @property
    def waiting_rows(self) -> dict[int, int]:
        """How many elements wait, by the place of their move; partial sums count as what they are sums of."""
        places = {move: place for place, move in enumerate(self.stages.moves)}
        counts: dict[int, int] = {}
        for move, state in self.waiting.items():
            place = places[move if move.sums_for is None else elements_of(self.stages, move)]
            counts[place] = counts.get(place, 0) + _count(move, state)
        return counts

    @property
    def sizes(self) -> dict[int, tuple[int, int]]:
        """The size of each step's state, in rows and in bytes."""
        return {place: (state.rows, state.bytes) for place, state in self.states.items()}

    def epoch(
        self, inputs: Mapping[str, pl.DataFrame], lo: int, hi: int, number: int = 0
    ) -> dict[str, pl.DataFrame]:
        """The outputs' elements that start in [lo, hi), given the sources' elements; later ones wait."""
        beside = read_beside(self.stages, inputs)
        entries = [move for move in self.stages.entries if move.sums_for is None]
        frames = self.run({move: beside[move.node] for move in entries}, lo, hi, number)
        return self.outputs(frames)

    def empty(self, move: Move) -> pl.DataFrame:
        """No elements, or partial sums, of a move."""
        if move.sums_for is not None:
            return pl.DataFrame(schema={FROM: pl.Int64})
        return empty_frame(self.graph.nodes[move.node])

    def outputs(self, frames: Mapping[int, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """The outputs that its steps compute, from the frames of these."""
        places = self.graph.outputs.items()
        return {name: frames[place] for name, place in places if place in frames and place in self._shown}

    def run(self, moved: Mapping[Move, pl.DataFrame], lo: int, hi: int, number: int = 0) -> Frames:
        """The elements of the steps that start in [lo, hi), and those that moved in as they are.

        From beside the sources, elements may start at hi or later: they wait for their epoch. The number
        is the epoch's.
        """
        arrived = {
            move: self._arrived(move, moved.get(move), lo, hi, number)
            for move in self.takes
            if move.sums_for is None or move in moved or self._has_waiting(move)
        }
        self.arrived = arrived
        if lo == hi:
            return {}
        # Memory grows with the rows of an epoch, so an epoch of many rows is run as several.
        bounds = [lo, *_instants_between(list(arrived.values())), hi]
        parts = [
            self._part({move: _starting(frame, start, end) for move, frame in arrived.items()}, start, end)
            for start, end in pairwise(bounds)
        ]
        if len(parts) == 1:
            return parts[0]
        return {place: concatenated([part[place] for part in parts]) for place in parts[0]}

    def _has_waiting(self, move: Move) -> bool:
        return move in self.waiting and self.waiting[move].rows > 0

    def _arrived(self, move: Move, frame: pl.DataFrame | None, lo: int, hi: int, number: int) -> pl.DataFrame:
        """The elements of a move that start in the epoch: of those that moved in now, and of earlier ones."""
        node = self.graph.nodes[move.node]
        frame = self.empty(move) if frame is None else frame
        state = self.waiting.get(move)
        if state is None:
            return frame
        if is_changelog(node):
            frame = relations.numbered(frame, number)
        before = state.falling_due(WAITING, lo, hi)
        now = _starting(frame, lo, hi)
        if now.height < frame.height:
            state.add(WAITING, frame.filter(pl.col(FROM) >= hi))
        if before is not None:
            now = together(move, [before, now])
        state.expire(hi)
        return now

    def _part(self, moved: Mapping[Move, pl.DataFrame], lo: int, hi: int) -> Frames:
        frames = {move.node: frame for move, frame in moved.items() if move.key is None}
        small: Frames = {}
        for work in self._works:
            node = self.graph.nodes[work.node]
            if work.is_single and self.partition:
                frames[work.node] = empty(node.schema)
                continue
            state = self.states.get(work.node, _STATELESS)
            inputs = [_input(source, moved, frames) for source in work.inputs]
            inputs += [moved[move] for move in work.sums if move in moved]
            if is_idle(node.step, state, inputs, hi):
                frames[work.node] = empty(node.schema)
            elif work.node in self._last_changes and inputs[0].height < FEW:
                small[work.node] = inputs[0]
                continue
            elif isinstance(node.step, Aggregate) and node.inputs[0] in self._final:
                frames[work.node] = aggregate_final(node.step, node, state, inputs, lo, hi)
            elif isinstance(node.step, Over) and node.inputs[0] in self._final:
                frames[work.node] = over_final(node.step, node, state, inputs, lo, hi)
            elif isinstance(node.step, BestMatch) and self._final.issuperset(node.inputs):
                frames[work.node] = best_match_final(node.step, node, state, inputs, lo, hi)
            else:
                frames[work.node] = execute(node.step, node, state, inputs, lo, hi)
            state.expire(hi)
        states = [self.states[place] for place in small]
        frames.update(zip(small, all_net_changes(states, list(small.values()), lo, hi), strict=True))
        for state in states:
            state.expire(hi)
        return frames


def read_beside(stages: Stages, inputs: Mapping[str, pl.DataFrame]) -> Frames:
    """The elements of the steps beside the sources, from those of the sources; they need no epoch."""
    frames: Frames = {}
    for work in stages.beside.works:
        node = stages.graph.nodes[work.node]
        if isinstance(node.step, Read):
            frame = inputs.get(node.step.name)
            frames[work.node] = frame[columns_of(node)] if frame is not None else empty_frame(node)
            continue
        before = [frames[source] for source in work.inputs if isinstance(source, int)]
        if is_idle(node.step, _STATELESS, before, BESIDE_SOURCES):
            frames[work.node] = empty(node.schema)
        else:
            frames[work.node] = execute(node.step, node, _STATELESS, before, BESIDE_SOURCES, BESIDE_SOURCES)
    return frames


def _count(move: Move, state: State) -> int:
    if move.sums_for is None or not state.rows:
        return state.rows
    sums = state.get(WAITING)
    return 0 if sums is None else int(sums[ROWS].sum())


def together(move: Move, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The frames of a move as one. Partial sums may have different columns: zeros make none."""
    if move.sums_for is not None:
        return pl.concat(frames, how="diagonal")
    return concatenated([frame[frames[-1].columns] for frame in frames])


def columns_of(node: Node) -> list[str]:
    """The columns of a step's frames."""
    return list(empty_frame(node).columns)


def empty_frame(node: Node) -> pl.DataFrame:
    if is_changelog(node):
        return pl.DataFrame(schema={**frame_schema(node.schema), **relations.RECORD})
    return empty(node.schema)


def is_changelog(node: Node) -> bool:
    return isinstance(node.step, Read) and node.step.is_changelog


def _all_or(numbers: Sequence[int] | None, stages: Stages) -> Sequence[int]:
    return range(len(stages.stages)) if numbers is None else numbers


def _states(graph: Graph, works: Iterable[Work], memory: int) -> dict[int, State]:
    """The states of the steps; those that may be on disk have equal parts of the memory."""
    layouts = {work.node: state_layout(graph.nodes[work.node]) for work in works}
    spilling = [place for place, layout in layouts.items() if any(one.may_spill for one in layout.values())]
    share = memory // max(len(spilling), 1)
    return {
        place: State(layout, share if place in spilling else None)
        for place, layout in layouts.items()
        if layout
    }


def _last_changes(graph: Graph, works: Sequence[Work]) -> set[int]:
    """The steps that compute changes for sinks, and for no other step: they can wait for each other."""
    read = {source if isinstance(source, int) else source.node for work in works for source in work.inputs}
    steps = {work.node: graph.nodes[work.node].step for work in works}
    return {
        at for at, step in steps.items() if at not in read and isinstance(step, Changed) and not step.sign
    }


def _input(source: int | Move, moved: Mapping[Move, pl.DataFrame], frames: Frames) -> pl.DataFrame:
    """Elements that moved in, or of a step that ran here before."""
    if isinstance(source, int):
        return frames[source]
    return moved[source] if source in moved else frames[source.node]


def _instants_between(frames: Sequence[pl.DataFrame]) -> list[int]:
    """Where to cut time into equal shares of the largest frame's elements, of `MOST_ROWS` at most.

    The frames of one source are mostly the same rows, with the columns that different steps need.
    """
    largest = max(frames, key=lambda frame: frame.height, default=None)
    if largest is None or largest.height <= MOST_ROWS:
        return []
    times = largest[FROM].sort()
    share = math.ceil(largest.height / math.ceil(largest.height / MOST_ROWS))
    cuts = times.gather_every(share, offset=share).unique().sort()
    return [instant for instant in cuts.to_list() if instant > times[0]]


def _starting(frame: pl.DataFrame, lo: int, hi: int) -> pl.DataFrame:
    """The elements that start in [lo, hi). Usually all do: then nothing is copied."""
    first, last = frame[FROM].min(), frame[FROM].max()
    if not isinstance(first, int) or not isinstance(last, int) or (lo <= first and last < hi):
        return frame
    return frame.filter(pl.col(FROM).is_between(lo, hi, closed="left"))
