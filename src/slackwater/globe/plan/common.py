"""Common parts: what two tasks of a peer both need of a stream is selected once.

vela-filter ─► rxj-filter       vela-filter ─► rxj-common ─► rxj-filter
            ─► rxj-alert    ═►                            ─► rxj-alert
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.globe.model import Estimate, PeerName, Properties, StreamId, Task
from slackwater.globe.plan.estimate import checks, of_filter, work
from slackwater.globe.plan.state import State
from slackwater.globe.properties import contains, cover, is_same, remaining
from slackwater.globe.split import in_order

MOST_SIBLINGS = 32
"""How many tasks over the same stream are compared with a new one."""
LEAST = 0.2
"""The part of their work that two tasks must save by a common part: it is a task of its own."""


@dataclass(frozen=True, slots=True)
class Common:
    """What a task and a new one need together of the stream that both read."""

    task: Task
    properties: Properties
    estimate: Estimate
    gain: float
    """The part of the work of both that is saved."""


def common_part(state: State, need: Properties, stream: StreamId, at: PeerName) -> Common | None:
    """The common part with another task of the peer that saves the most work; None if none saves any."""
    known, published = state.streams[stream], state.published[need.source]
    best: Common | None = None
    names = [*state.reading[at, stream]][-MOST_SIBLINGS:]
    for task in (state.tasks[name] for name in names):
        other = replace(task.properties, computed="")
        if len(task.inputs) > 1 or other.source != need.source:
            continue
        both = in_order(cover(other, need), published)
        if is_same(both, known.properties) or not contains(known.properties, both):
            continue
        one = _gain(state, task, both, need, stream)
        if one.gain >= LEAST and (best is None or one.gain > best.gain):
            best = one
    return best


def _gain(state: State, task: Task, both: Properties, need: Properties, stream: StreamId) -> Common:
    """The work of both over the stream, less the work of the common part and of both over it."""
    published, known = state.published[need.source], state.streams[stream]
    items, estimate = known.estimate.items_per_second, of_filter(both, published)
    units = work("filter", items, checks(remaining(both, known.properties)))
    before, after = 0.0, units
    for one in (replace(task.properties, computed=""), need):
        before += work("filter", items, checks(remaining(one, known.properties)))
        if not is_same(one, both):
            after += work("filter", estimate.items_per_second, checks(remaining(one, both)))
    made = Estimate(estimate.items_per_second, estimate.bytes_per_second, units)
    return Common(task, both, made, 1 - after / before if before else 0.0)
