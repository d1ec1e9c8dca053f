"""What another placement left: its states, read whole or divided over partitions."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from slackwater.base.diagnostic import SlackwaterError
from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.physical.stages.plan import Move, Stages
from slackwater.run.cluster.host_cache import HostCache, cache_of
from slackwater.run.cluster.job import site_of
from slackwater.run.cluster.names import (
    Beginning,
    all_states,
    beginnings,
    names_of,
    replicated,
    without_sums_for,
)
from slackwater.run.cluster.parcels import split
from slackwater.run.cluster.states import Logged, Logs, States, adopt, read, states_of, write
from slackwater.storage.locate import location
from slackwater.storage.location import Location

Share = Callable[[str, str, pl.DataFrame], pl.DataFrame]
"""The part that a site gets of a frame, of the names of a state and of its frame."""


@dataclass(frozen=True, slots=True)
class Past:
    """What another placement left: its logs, the names of its states, and how they are placed."""

    logs: Logs
    states: Sequence[str]
    layout: Sequence[Sequence[Any]] = ()

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Past:
        """From what a manifest says of it."""
        logs = {site: [Logged(*file) for file in log] for site, log in facts["logs"].items()}
        return cls(logs, facts["states"], facts.get("layout", ()))

    @property
    def same_frames(self) -> set[tuple[str, str]]:
        """The frames of states that are the same in all its partitions."""
        return replicated(self.states, self.layout)


def _whole(state: str, name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame


def read_past(
    folder: Location,
    pasts: Sequence[Past],
    stages: Stages,
    states: States,
    now: int,
    share: Share = _whole,
    cache: HostCache | None = None,
) -> None:
    """Fill empty states with those that other placements left; each with that of the first that has it.

    Partial sums belong to the state of their aggregate, and to those of the steps before it.
    """
    filled: set[str] = set()
    for past in pasts:
        names = without_sums_for(past.states, filled)
        begin = {name: old for name, old in beginnings(stages, names).items() if name not in filled}
        _read_all(folder, past.logs.values(), states, now, begin, past.same_frames, share, cache)
        filled |= begin.keys()


def succeed(machine: Machine, before: Machine, now: int) -> None:
    """Give a machine the states of the one before it in this process, as far as it needs them.

    They are copies that share their runs, so that the one before can go on if there is no change after all.
    """
    old, new = states_of(before), states_of(machine)
    for name, source in beginnings(machine.stages, all_states(before.stages)).items():
        if name == source.state:
            new[name] = old[name].copy()
        else:
            for frame_name, frame in source.frames(old[source.state].frames, now).items():
                new[name].replace(frame_name, frame)
    adopt(machine, new)


def _read_all(
    folder: Location,
    logs: Iterable[Sequence[Logged]],
    states: States,
    now: int,
    begin: Mapping[str, Beginning],
    same: Collection[tuple[str, str]],
    share: Share,
    cache: HostCache | None,
) -> None:
    """Fill empty states with those of all sites, or with a share of each frame; one site after the other.

    `begin` says which of the old states each begins with. The `same` frames, of old states, are equal in all
    sites that have them: they are read once.
    """
    frames: dict[tuple[str, str], list[pl.DataFrame]] = {}
    sources = {name: begin[name] for name in states if name in begin}
    read_before: set[tuple[str, str]] = set()
    for log in logs:
        part = {source.state: State(source.layout) for source in sources.values()}
        read(folder, log, part, now, cache=cache)
        of_site = {name: dict(state.frames) for name, state in part.items()}
        for place, source in sources.items():
            own = of_site[source.state]
            if not source.is_of_both_sides:
                own = {name: own[name] for name in own if (source.state, name) not in read_before}
            for name, frame in source.frames(own, now).items():
                frames.setdefault((place, name), []).append(share(place, name, frame))
        read_before |= {(state, name) for state, name in same if name in of_site.get(state, ())}
    for (place, name), parts in frames.items():
        states[place].replace(name, pl.concat(parts, how="diagonal"))


def share_of(
    stages: Stages, partition: int, partitions: int, state: str, name: str, frame: pl.DataFrame
) -> pl.DataFrame:
    """The rows of a frame of a state that belong to a partition."""
    at = next(at for at, of in names_of(stages).items() if of == state)
    if isinstance(at, Move):
        if at.is_broadcast:
            return frame
        key = at.key
    else:
        works = {work.node: work for stage in stages.stages for work in stage.works}
        key = works[at].key_of(name)
        if key is None:
            return frame
    return split(frame, key, partitions).get(partition, frame.clear())


def divide(
    plan_bytes: bytes,
    folder: str,
    pasts: Sequence[Past],
    partitions: int,
    now: int,
    site: tuple[int, int],
) -> list[Logged] | SlackwaterError:
    """In a task: the log of a stage in a partition, with its share of the states of all sites of before.

    An error is returned, not raised: Spark would pass on its text only.
    """
    number, partition = site
    plan = pickle.loads(plan_bytes)
    stages = plan.stages
    states = states_of(Machine(stages, [number], partition, plan.memory))
    share = partial(share_of, stages, partition, partitions)
    version = max((log[-1].version for past in pasts for log in past.logs.values() if log), default=0)
    where, cache = location(folder), cache_of(location(folder))
    try:
        read_past(where, pasts, stages, states, now, share, cache)
        return write(where, version, site_of(*site), states, [], cache)
    except SlackwaterError as error:
        return error


def pasts_of(facts: Mapping[str, Any], backfilled: Mapping[str, Any] | None) -> list[Past]:
    """What to resume from, the backfill first: in its states, unlike others, all elements are elements."""
    if backfilled is None:
        return [Past.of(facts)]
    states = backfilled["states"]
    return [Past.of({**backfilled, "states": without_sums_for(states, states)}), Past.of(facts)]
