"""A job: an epoch, as the tasks that compute it get it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace

from slackwater.physical.stages.plan import Stages
from slackwater.run.cluster.states import Log, Logged, Logs
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
    memory: int | None = None
    """The bytes for the windows of best matches in a partition, if that was chosen."""


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
    logs: Mapping[str, bytes] = field(default_factory=dict)
    """By site. A task reads its own; as bytes, the logs of all others cost it nothing."""
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

    def for_stage(self, number: int) -> Job:
        """The job as the tasks of a stage need it."""
        sites = {site_of(number, partition) for partition in range(self.partitions)}
        return replace(self, logs={site: log for site, log in self.logs.items() if site in sites})

    def log(self, site: str) -> Log:
        """The log of a site."""
        return [Logged(*file) for file in json.loads(self.logs.get(site, b"[]"))]

    def end(self, seen: Mapping[str, Seen]) -> int:
        """The end of the epoch."""
        if self.hi is not None:
            return self.hi
        return epoch_end(self.lo, watermarks(self.times, seen))


def site_of(number: int, partition: int) -> str:
    """The site of a stage in a partition."""
    return f"{number}-{partition}"


def packed_logs(logs: Logs) -> dict[str, bytes]:
    """Logs as jobs have them."""
    return {site: json.dumps([astuple(file) for file in log]).encode() for site, log in logs.items()}
