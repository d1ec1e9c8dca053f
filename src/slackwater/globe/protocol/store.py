"""What a peer keeps: logs of epochs, and small facts by name. In memory here; on disk in `flight`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from slackwater.globe.compute.computation import START
from slackwater.globe.protocol.messages import Epoch


class Log(Protocol):
    """The epochs of a stream in (low, position], without a gap."""

    @property
    def low(self) -> int: ...
    @property
    def position(self) -> int: ...
    @property
    def size(self) -> int:
        """The bytes of its items."""

    def append(self, epochs: Sequence[Epoch]) -> None:
        """Commit epochs that follow the position."""

    def after(self, edge: int, most: int) -> list[Epoch]:
        """The epochs after an edge, about so many bytes; at least one, if there is any."""

    def trim(self, edge: int) -> None:
        """Drop the epochs up to an edge."""

    def reset(self, edge: int) -> None:
        """Begin again, empty, after an edge."""


class Store(Protocol):
    def log(self, key: str) -> Log:
        """The log of that name; a new one is empty, and begins before all edges."""

    def drop(self, key: str) -> None:
        """Delete a log."""

    def load(self, name: str) -> bytes | None: ...
    def save(self, name: str, content: bytes) -> None: ...


@dataclass(slots=True)
class MemoryLog:
    """A log in memory."""

    low: int = START
    position: int = START
    size: int = 0
    epochs: list[Epoch] = field(default_factory=list)

    def append(self, epochs: Sequence[Epoch]) -> None:
        for epoch in epochs:
            assert epoch.edge > self.position
            self.epochs.append(epoch)
            self.position = epoch.edge
            self.size += cost(epoch)

    def after(self, edge: int, most: int) -> list[Epoch]:
        chosen: list[Epoch] = []
        for epoch in self.epochs[self._place(edge) :]:
            most -= cost(epoch)
            if most < 0 and chosen:
                break
            chosen.append(epoch)
        return chosen

    def trim(self, edge: int) -> None:
        if edge > self.low:
            place = self._place(edge)
            self.size -= sum(map(cost, self.epochs[:place]))
            del self.epochs[:place]
            self.low = min(edge, self.position)

    def reset(self, edge: int) -> None:
        self.low = self.position = edge
        self.size = 0
        self.epochs.clear()

    def _place(self, edge: int) -> int:
        return bisect_right(self.epochs, edge, key=lambda epoch: epoch.edge)


@dataclass(slots=True)
class MemoryStore:
    """A store in memory; it outlives the peer in simulations."""

    logs: dict[str, MemoryLog] = field(default_factory=dict)
    facts: dict[str, bytes] = field(default_factory=dict)

    def log(self, key: str) -> Log:
        return self.logs.setdefault(key, MemoryLog())

    def drop(self, key: str) -> None:
        self.logs.pop(key, None)

    def load(self, name: str) -> bytes | None:
        return self.facts.get(name)

    def save(self, name: str, content: bytes) -> None:
        self.facts[name] = content


OVERHEAD = 16
"""What an epoch takes beside its items."""


def cost(epoch: Epoch) -> int:
    """The bytes that an epoch counts for where bytes are limited."""
    return len(epoch.items) + OVERHEAD
