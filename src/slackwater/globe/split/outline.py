"""The shape of a subscription's result, as far as its size can be estimated from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Outline:
    """What is done with the items that a subscription needs."""

    role: Literal["transform", "aggregate", "join"] = "transform"
    conditions: int = 0
    """Conditions that are checked after the filter."""
    copied: tuple[str, ...] | None = None
    """The parts of an item that the result has; None where that is not known."""
    computed: int = 0
    """Values in the result that are computed."""
    every: float | None = None
    """Aggregates: the time between two results."""
    bounds: tuple[tuple[str, float], ...] = ()
    """Best matches: by how much a part may differ from that of its partner."""
