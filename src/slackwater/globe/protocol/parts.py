"""From a deployment to the part of each peer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from slackwater.base.diagnostic import EngineError
from slackwater.globe.mobile.modules import modules_in
from slackwater.globe.model import Deployment, Estimate, PeerName, StreamId, Task
from slackwater.globe.properties import fingerprint
from slackwater.globe.protocol import problems
from slackwater.globe.protocol.messages import Delivery, Part, StreamPart

_DIGITS = 12


@dataclass(slots=True)
class _Peer:
    """The streams of a peer while its part is put together."""

    upstream: dict[StreamId, PeerName] = field(default_factory=dict)
    downstream: dict[StreamId, list[PeerName]] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    exported: list[StreamId] = field(default_factory=list)
    """Streams that go to a neighbouring subnet from here."""


def parts_of(
    deployment: Deployment, starts: Mapping[str, int], definitions: Definitions | None = None
) -> dict[PeerName, Part]:
    """The parts of all peers; `starts` are the positions after which subscriptions begin.

    Raises EngineError where streams are computed from each other in a circle.
    """
    peers = {peer.name: _Peer() for peer in deployment.network.peers}
    for flow in deployment.flows:
        for sender, receiver in flow.links:
            peers[receiver].upstream.setdefault(flow.stream, sender)
            peers[sender].downstream.setdefault(flow.stream, []).append(receiver)
    for task in deployment.tasks:
        peers[task.at].tasks.append(task)
    for one in deployment.subscriptions:
        if one.need is None:
            peers[one.at].deliveries.append(Delivery(one.id, one.result, starts[one.id]))
        else:
            peers[one.at].exported.append(one.result)
    definitions = definitions or Definitions(deployment)
    for task in deployment.tasks:
        definitions.digest(task.output)
    return {name: _part(name, peer, definitions) for name, peer in peers.items()}


def _part(name: PeerName, peer: _Peer, definitions: Definitions) -> Part:
    local = definitions.at(name)
    streams = [
        *peer.upstream, *peer.downstream, *(task.output for task in peer.tasks),
        *(source for task in peer.tasks for source in task.inputs),
        *(delivery.stream for delivery in peer.deliveries), *peer.exported, *local,
    ]  # fmt: skip
    begun = local | {task.output for task in peer.tasks}
    ancestors = {task.id: task for one in peer.tasks for task in definitions.ancestors(one)}
    every = (*peer.tasks, *ancestors.values())
    sources = {source for task in every for source in task.inputs}
    modules = modules_in(" ".join(task.text for task in every), definitions.modules)
    return Part(
        tuple(
            StreamPart(
                stream, definitions.digest(stream), "" if stream in begun else peer.upstream.get(stream, ""),
                tuple(dict.fromkeys(peer.downstream.get(stream, ()))),
            )
            for stream in sorted(set(streams))
        ),
        tuple(peer.tasks),
        (*(definitions.published[one] for one in sorted(sources) if one in definitions.published), *modules),
        tuple(ancestors.values()),
        tuple(peer.deliveries),
    )  # fmt: skip


class Definitions:
    """What the streams of a deployment are computed from."""

    def __init__(self, deployment: Deployment) -> None:
        self.published = {stream.id: stream for stream in deployment.published if stream.kind == "stream"}
        self.modules = [one for one in deployment.published if one.kind == "module"]
        self.tasks = {task.output: task for task in deployment.tasks}
        self._digests: dict[StreamId, str] = {}
        self._open: set[StreamId] = set()

    def at(self, name: PeerName) -> set[StreamId]:
        """The streams that a peer publishes."""
        return {stream.id for stream in self.published.values() if stream.at == name}

    def estimate(self, stream: StreamId) -> Estimate:
        """What a computed stream is expected to carry."""
        task = self.tasks.get(stream)
        return replace(task.estimate, work=0.0) if task is not None else Estimate(0.0, 0.0)

    def digest(self, stream: StreamId) -> str:
        """A name for what a stream contains."""
        if stream not in self._digests:
            if stream in self._open:
                raise EngineError(problems.CYCLE.at(name=stream))
            self._open.add(stream)
            self._digests[stream] = hashlib.sha256(self._content(stream).encode()).hexdigest()[:_DIGITS]
        return self._digests[stream]

    def _content(self, stream: StreamId) -> str:
        task = self.tasks.get(stream)
        if task is None:
            published = self.published.get(stream)
            at = (published.origin or published.at) if published else ""
            return f"{stream} {at} {published.schema if published else ''}"
        inputs = [self.digest(source) for source in task.inputs]
        if not task.properties.computed and task.properties.source in self.published:
            # Whatever a part of a stream was computed from, and in whichever subnet: its items are the same.
            return f"{fingerprint(task.properties)} {self.digest(task.properties.source)}"
        return "\n".join([task.language, task.text, *inputs, *task.documents])

    def ancestors(self, task: Task) -> list[Task]:
        """The tasks that its inputs come from."""
        above = [self.tasks[source] for source in task.inputs if source in self.tasks]
        return [*above, *(one for parent in above for one in self.ancestors(parent))]

    def sources(self, stream: StreamId) -> set[StreamId]:
        """The published streams that a stream is computed from."""
        task = self.tasks.get(stream)
        if task is None:
            return {stream}
        return {source for name in task.inputs for source in self.sources(name)}
