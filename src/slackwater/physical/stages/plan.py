"""Staged plans, as data: which steps work together, and which elements move between them."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.physical.description import state_names
from slackwater.physical.graph import Graph

SIDES = ("left", "right")
"""The frames of a join's state."""
ENDS = ("left ends", "right ends")
"""The frames of when elements of these end, which best matches have, too."""
EVERYWHERE = "everywhere"
"""In layouts, in place of a key."""
BESIDE_SOURCES = -1
"""The number of the stage whose steps run where the sources are read."""

Key = tuple[str, ...]
Placing = tuple[frozenset[str], ...] | None
"""Where elements are: by the hash of columns, each under all the names it has; () all in the first
partition; None anywhere."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step's elements on their way to a later stage.

    By the hash of the key; () to the first partition; None to where they are, or, from beside the
    sources, to anywhere.
    """

    node: int
    key: Key | None
    sums_for: int | None = None
    """The aggregate for which they are added up before they move: partial sums move instead."""
    is_broadcast: bool = False
    """Whether they move to every partition; the key is () then."""


@dataclass(frozen=True, slots=True)
class Work:
    """A step in its stage: its inputs, and how its state and its output are placed."""

    node: int
    inputs: tuple[int | Move, ...]
    keys: tuple[Key, ...] = ()
    """For each input the columns that place it, where the step keeps something."""
    placing: Placing = None
    sums: tuple[Move, ...] = ()
    """Partial sums that an aggregate takes beside its input: a sender sends elements or sums of them."""
    broadcast: int | None = None
    """The side of a join that is in every partition."""

    @property
    def moves(self) -> list[Move]:
        """What it takes from earlier stages."""
        return [*(source for source in self.inputs if isinstance(source, Move)), *self.sums]

    @property
    def is_single(self) -> bool:
        """Whether it works in the first partition only."""
        return self.placing == ()

    def key_of(self, frame: str) -> Key | None:
        """The columns that say in which partition a row of a frame of its state belongs; None: in all."""
        side = int(frame in (SIDES[1], ENDS[1]))
        return None if side == self.broadcast else self.keys[side]


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps on one partitioning, with their inputs from earlier stages and their outputs to later ones."""

    works: tuple[Work, ...]
    takes: tuple[Move, ...] = ()
    passes: tuple[Move, ...] = ()
    """Inputs that it hands on to later stages."""
    gives: tuple[Move, ...] = ()
    """What its own steps give to later stages."""


@dataclass(frozen=True, slots=True)
class Stages:
    """A graph cut into stages."""

    graph: Graph
    beside: Stage
    """The steps beside the sources; they keep nothing."""
    stages: tuple[Stage, ...]

    @property
    def moves(self) -> list[Move]:
        """Everything that moves, in an order that follows from the graph."""
        return list(dict.fromkeys(move for stage in self.stages for move in stage.takes))

    @property
    def entries(self) -> list[Move]:
        """What comes from beside the sources."""
        beside = {work.node for work in self.beside.works}
        return [move for move in self.moves if move.node in beside]

    @property
    def first_takers(self) -> dict[Move, int]:
        """The first stage that takes each move. Elements that come too early wait there, and nowhere else."""
        takers: dict[Move, int] = {}
        for number, stage in enumerate(self.stages):
            for move in stage.takes:
                takers.setdefault(move, number)
        return takers

    def layout(self) -> list[list[object]]:
        """Which columns place which step's state: equal layouts can use each other's partitions."""
        names = state_names(self.graph)
        return [
            [names[work.node], number, _keys_in_layout(work)]
            for number, stage in enumerate(self.stages)
            for work in stage.works
            if work.keys
        ]


def _keys_in_layout(work: Work) -> list[object]:
    return [EVERYWHERE if side == work.broadcast else list(key) for side, key in enumerate(work.keys)]
