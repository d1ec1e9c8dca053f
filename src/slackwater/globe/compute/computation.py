"""What a task computes: the items of its output up to an edge, from those of its inputs up to that edge.

    inputs   edge 10        edge 20        an epoch is what lies between two edges
    A        a1 a2     │    a3        │
    B        b1        │              │    the edges of the output are those of all inputs together
    output   f(…≤10)   │    f(…≤20)   │

Whatever the epochs are, and wherever a task is restored from a snapshot, the output has the same items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from slackwater.base.diagnostic import Diagnostic
from slackwater.globe.model import StreamId

START = -(2**63)
"""The position before the first edge of any stream."""
END = 2**63 - 1
"""The edge of the last epoch of a stream that has ended."""

Inputs = Mapping[StreamId, Sequence[bytes]]
"""The packed items of the epochs of each input that reach into an epoch of the output."""


class Computation(Protocol):
    """A task with its state."""

    @property
    def is_stateful(self) -> bool:
        """Whether an epoch depends on the epochs before it."""

    def epoch(self, inputs: Inputs, after: int, edge: int) -> bytes:
        """The packed items of the output after one edge and up to another; each edge once, in order."""

    def snapshot(self) -> bytes:
        """The state between two epochs."""

    def restore(self, state: bytes) -> None:
        """Continue from a snapshot of an equal task."""

    def take_problems(self) -> list[Diagnostic]:
        """What was wrong with items since the last call: they were left out."""


class Forward:
    """The input as it is."""

    is_stateful = False

    def epoch(self, inputs: Inputs, after: int, edge: int) -> bytes:
        (parts,) = inputs.values()
        if len(parts) == 1:
            return parts[0]
        raise ValueError("an input that is forwarded has the edges of the output")

    def snapshot(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        pass

    def take_problems(self) -> list[Diagnostic]:
        return []
