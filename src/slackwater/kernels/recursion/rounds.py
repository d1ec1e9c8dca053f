"""The rounds of a recursion: a machine whose instants they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import polars as pl

from slackwater.algebra.recursion import MOST_ROUNDS
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TIMES, TO, N, columns_of
from slackwater.kernels.state import State
from slackwater.physical.lifetimes import SINCE, UNTIL

OUTPUT = "round"


class Endless(Exception):
    """The rounds of an instant do not end."""


class Rounds(Protocol):
    """A machine that runs the graph of a round."""

    states: dict[int, State]

    def epoch(
        self, inputs: Mapping[str, pl.DataFrame], lo: int, hi: int, number: int = 0
    ) -> dict[str, pl.DataFrame]: ...


def check(rounds: int) -> None:
    """Raise Endless after too many rounds."""
    if rounds > MOST_ROUNDS:
        raise Endless


@dataclass(slots=True)
class Derivations:
    """The body of a recursion over all that it was given so far: rows with lifetimes, as a bag.

    It is linear in each relation. So a change of a relation, with positive and negative copies, gives the
    change of what is derived, at every instant.
    """

    make: Callable[[], Rounds]
    number: int = 0
    """Of the next round."""
    machine: Rounds = field(init=False)
    rows: int = 0
    """How many rows it was given."""

    def __post_init__(self) -> None:
        self.machine = self.make()

    def change(self, changes: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        """The change of what is derived, from changes of the relations; all are elements."""
        frames = {name: self._rows(frame) for name, frame in changes.items() if frame.height}
        self.rows += sum(frame.height for frame in frames.values())
        made = self.machine.epoch(frames, self.number, self.number + 1)[OUTPUT]
        self.number += 1
        for state in self.machine.states.values():
            state.changes.clear()
        own = [name for name in columns_of(made) if name not in (SINCE, UNTIL)]
        return made.select(*own, pl.col(SINCE).alias(FROM), pl.col(UNTIL).alias(TO), N)

    def _rows(self, elements: pl.DataFrame) -> pl.DataFrame:
        lifetimes = (pl.col(FROM).alias(SINCE), pl.col(TO).alias(UNTIL))
        now, ever = pl.lit(self.number, pl.Int64).alias(FROM), pl.lit(INFINITY, pl.Int64).alias(TO)
        own = [name for name in elements.columns if name not in TIMES]
        return elements.select(*own, *lifetimes, now, ever, N)
