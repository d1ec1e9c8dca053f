"""What a plan costs: traffic relative to the bandwidth of links, work relative to the capacity of peers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How much a share of a link's bandwidth counts beside a share of a peer's capacity."""

    traffic: float = 1.0
    work: float = 0.1


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """Shares of links and peers that a plan uses, together; `None` in place of a cost is an overload."""

    total: float
    hops: int = 0
    tasks: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.total + other.total, self.hops + other.hops, self.tasks + other.tasks)


NOTHING = Cost(0.0)
