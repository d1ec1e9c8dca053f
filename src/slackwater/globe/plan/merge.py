"""Streams that overlap, sent as one as far as they go the same way: a part of global optimization.

    q ══ a ══►   d ── a ──►            q ══ a ∪ b ══► d ── a ──►         a, b: filters of one stream
      ══ b ══►     ── b ──►      ═►                    ── b ──►          now at d, over what contains both

Links between q and d then carry the cover instead of both. If it is one of them, only the other moves; if it
is the stream that both are filtered from, that is sent on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from slackwater.globe.model import Deployment, Flow, PeerName, Properties, StreamId, Task
from slackwater.globe.plan.apply import common_name, rewritten, work_of
from slackwater.globe.plan.cost import Weights
from slackwater.globe.plan.estimate import of_filter
from slackwater.globe.plan.state import State
from slackwater.globe.properties import contains, cover, crossing_name, is_same
from slackwater.globe.split import Input, filter_text, in_order

_MOST_PAIRS, _MOST_TASKS, _MOST_SIBLINGS = 8, 2_000, 40
"""How many merges are tried at each step, and up to which size of a deployment and of a peer's list."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two filters of one stream that are sent along the same path first."""

    one: Task
    other: Task
    path: tuple[PeerName, ...]
    both: Properties
    saving: float


def merged(deployment: Deployment, weights: Weights) -> Deployment:
    """The deployment with overlapping streams merged, as long as that is cheaper and causes no overload."""
    state = State(deployment)
    while len(state.tasks) <= _MOST_TASKS:
        pairs = sorted(_pairs(state), key=lambda pair: (-pair.saving, pair.one.id, pair.other.id))
        tried = (State(_joined(state, pair)) for pair in pairs[:_MOST_PAIRS])
        better = next((one for one in tried if one.fits and one.cost(weights) < state.cost(weights)), None)
        if better is None:
            break
        state = better
    return state.deployment()


def _pairs(state: State) -> Iterator[_Pair]:
    for (at, stream), names in state.reading.items():
        filters = [task for name in names if (task := state.tasks[name]).needs == "filter"]
        for one, other in combinations(filters[:_MOST_SIBLINGS], 2):
            path = _shared(state, one.id, other.id, at)
            if len(path) < 2 or "filter" not in state.network[path[-1]].operators:
                continue
            published = state.published[one.properties.source]
            both = in_order(cover(one.properties, other.properties), published)
            sent = one.estimate.bytes_per_second + other.estimate.bytes_per_second
            saving = (len(path) - 1) * (sent - of_filter(both, published).bytes_per_second)
            if saving > 0 and contains(state.streams[stream].properties, both):
                yield _Pair(one, other, path, both, saving)


def _shared(state: State, one: StreamId, other: StreamId, at: PeerName) -> tuple[PeerName, ...]:
    """The path that both streams go together, and on which neither is read before its end."""
    path = [at]
    while True:
        streams = [state.streams[name] for name in (one, other)]
        nexts = {tuple(stream.children.get(path[-1], ())) for stream in streams}
        if len(nexts) > 1 or any(path[-1] in stream.users for stream in streams):
            return tuple(path)
        (next_,) = nexts
        if len(next_) != 1:
            return tuple(path)
        path.append(next_[0])


def _joined(state: State, pair: _Pair) -> Deployment:
    """The deployment with the pair computed at the end of its path."""
    deployment, pairs = state.deployment(), (pair.one, pair.other)
    (name,) = pair.one.inputs
    known = state.streams[name]
    whole = next((task for task in pairs if is_same(task.properties, pair.both)), None)
    tasks, flows = list(deployment.tasks), list(deployment.flows)
    if is_same(known.properties, pair.both):
        source, items = Input(name, known.properties), known.estimate.items_per_second
        flows.append(Flow(name, pair.path))
    else:
        made = whole or _cover(state, pair)
        source, items = Input(made.output, made.properties), made.estimate.items_per_second
        if whole is None:
            tasks.append(made)
            flows.append(Flow(made.output, pair.path))
    moves = {
        task.id: replace(rewritten(state, task, source, items), at=pair.path[-1], inputs=(source.name,))
        for task in pairs
        if task.output != source.name
    }
    left = (_shortened(flow, pair.path) if flow.stream in moves else flow for flow in flows)
    return replace(
        deployment,
        tasks=tuple(moves.get(task.id, task) for task in tasks),
        flows=tuple(flow for flow in left if flow is not None),
    )


def _cover(state: State, pair: _Pair) -> Task:
    (stream,) = pair.one.inputs
    published = state.published[pair.both.source]
    units = work_of(state, "filter", pair.both, stream)
    is_outside = state.network[pair.one.at].kind == "subnet"
    name = state.unused(crossing_name(pair.both) if is_outside else common_name(pair.one))
    text = filter_text(pair.both, Input(stream, state.streams[stream].properties), state.published)
    estimate = replace(of_filter(pair.both, published), work=units)
    return replace(pair.one, id=name, output=name, text=text, properties=pair.both, estimate=estimate)


def _shortened(flow: Flow, path: tuple[PeerName, ...]) -> Flow | None:
    """The flow from the end of the path on."""
    if flow.route[: len(path)] != path[: len(flow.route)]:
        return flow
    rest = flow.route[len(path) - 1 :]
    return Flow(flow.stream, rest) if len(rest) > 1 else None
