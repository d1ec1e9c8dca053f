"""A job: an epoch, as the tasks that compute it get it."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.physical.stages.plan import Stages
from slackwater.run.cluster.states import Logs
from slackwater.run.delivery import Delivery
from slackwater.run.input.aside import Aside
from slackwater.run.input.intake import Intake, Seen
from slackwater.run.watermarks import SourceTime, epoch_end, watermarks

_plans: dict[str, Plan] = {}


@dataclass(frozen=True, slots=True)
class Plan:
    """What stays the same from one epoch to the next."""

    stages: Stages
    intakes: tuple[Intake, ...] = ()
    """The sources; a scan reads some of them."""
    aside: Aside | None = None
    """Where rows go that cannot enter."""
    collected: frozenset[str] = frozenset()
    """The outputs that the driver wants."""
    parts: tuple[tuple[str, Delivery], ...] = ()
    """The sinks that tasks write, each with its output."""
    adds_up: bool = True
    """Whether scans may send partial sums in place of elements."""


@dataclass(frozen=True, slots=True)
class Job:
    """An epoch. Tasks compute its end from what all scans have seen, unless it is known."""

    plan_bytes: bytes
    token: str
    """One start of a query: what a process cached under another token is not used."""
    folder: str
    number: int
    """The number of the epoch."""
    partitions: int
    lo: int
    hi: int | None = None
    times: tuple[SourceTime, ...] = ()
    logs: Logs = field(default_factory=dict)
    filtered: frozenset[str] = frozenset()
    """The sources of which the JVM drops rows that no step needs."""

    @property
    def plan(self) -> Plan:
        if self.token not in _plans:
            if len(_plans) > 8:
                _plans.clear()
            # Bytes that the driver of this run wrote: no input.
            _plans[self.token] = pickle.loads(self.plan_bytes)
        return _plans[self.token]

    def end(self, seen: Mapping[str, Seen]) -> int:
        """The end of the epoch."""
        if self.hi is not None:
            return self.hi
        return epoch_end(self.lo, watermarks(self.times, seen))
