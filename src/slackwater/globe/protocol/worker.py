"""The streams of a peer: received, computed, sent on and delivered, each epoch once.

    neighbour ═► log ─► task ─► log ═► neighbours
                  └─► subscription

A reader of a log has a position in it: the last edge that it has committed. If the log no longer has what
follows, it begins again there: a neighbour is asked to resume, a task to compute again, and so on up to the
source, which keeps all. So a reader never misses an epoch, and takes none twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from slackwater.base.diagnostic import Diagnostic
from slackwater.globe.compute.computation import Computation
from slackwater.globe.model import PeerName, StreamId, Task
from slackwater.globe.protocol import problems
from slackwater.globe.protocol.links import Limits, Outgoing
from slackwater.globe.protocol.messages import (
    Ack,
    Data,
    Delivered,
    Delivery,
    Effect,
    Epoch,
    Part,
    Reported,
    Resume,
    Send,
    StreamPart,
)
from slackwater.globe.protocol.store import Log, Store
from slackwater.globe.protocol.tasks import Running

NEVER = float("-inf")
ROUNDS = 64
"""How many epochs of each task are computed at a time."""
Make = Callable[[Task, Part], Computation]


@dataclass(slots=True)
class Stream:
    """A stream at this peer."""

    part: StreamPart
    log: Log
    is_published: bool
    """Whether it begins here, and its log is kept whole."""
    is_wanted: bool = False
    """Whether a reader has said where it is, so that the log is filled from there."""
    asked_at: float = NEVER
    """When the sender was last told where this peer is."""
    out: dict[PeerName, Outgoing] = field(default_factory=dict)


@dataclass(slots=True)
class Worker:
    """All streams, tasks and deliveries of a peer."""

    store: Store
    make: Make
    limits: Limits = field(default_factory=Limits)
    streams: dict[StreamId, Stream] = field(default_factory=dict)
    tasks: dict[StreamId, Running] = field(default_factory=dict)
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    sent: dict[tuple[PeerName, StreamId], int] = field(default_factory=dict)
    """The bytes sent on each link, of each stream."""
    has_more: bool = False
    """Whether there was more to compute than was done at a time."""
    _results: dict[str, Log] = field(default_factory=dict)
    _part: Part = field(default_factory=Part)
    _published: frozenset[StreamId] = frozenset()
    _failed: set[StreamId] = field(default_factory=set)
    _reading: dict[StreamId, tuple[list[Running], list[Delivery]]] = field(default_factory=dict)
    """What reads each stream here."""

    # What runs here.

    def install(self, part: Part, published: frozenset[StreamId], now: float) -> list[Effect]:
        """Run this part from now on; what it shares with the one before goes on."""
        before, self._part, self._published = self.streams, part, published
        streams = {one.id: self._stream(one, before.get(one.id)) for one in part.streams}
        for name, stream in before.items():
            if not stream.is_published and (name not in streams or streams[name].log is not stream.log):
                self.store.drop(_key(stream.part))
        self.streams = streams
        running = self.tasks
        self.tasks = {
            task.output: self._running(task, running.get(task.output))
            for task in part.tasks
            if task.output in streams
        }
        self.deliveries = {one.subscription: one for one in part.deliveries}
        self._reading = {name: ([], []) for name in streams}
        for task in self.tasks.values():
            for name in streams.keys() & task.task.inputs:
                self._reading[name][0].append(task)
        for one in part.deliveries:
            if one.stream in streams:
                self._reading[one.stream][1].append(one)
        self._failed &= self.tasks.keys()
        self._want_all()
        return self.pump(now)

    def _want_all(self) -> None:
        """All readers say where they are."""
        for one in self.deliveries.values():
            self._want(one.stream, self.result(one.subscription).position)
        for name, stream in self.streams.items():
            for out in stream.out.values():
                self._want(name, out.acked)
        for task in self.tasks.values():
            for source in task.task.inputs if task.position is not None else ():
                self._want(source, task.position or 0)

    def _stream(self, part: StreamPart, before: Stream | None) -> Stream:
        if before is not None and before.part.digest == part.digest:
            is_same = before.part.upstream == part.upstream
            before.part, before.asked_at = part, before.asked_at if is_same else NEVER
            before.out = {name: out for name, out in before.out.items() if name in part.downstream}
            return before
        is_published = part.id in self._published
        key = source_key(part.id) if is_published else _key(part)
        return Stream(part, self.store.log(key), is_published)

    def _running(self, task: Task, before: Running | None) -> Running:
        key = self.streams[task.output].part.digest
        known = (task.inputs, task.text)
        if before is not None and before.key == key and (before.task.inputs, before.task.text) == known:
            before.task = task
            return before
        part = self._part
        self.streams[task.output].is_wanted = False
        return Running(task, key, lambda: self.make(task, part), self.store, self.limits.snapshot)

    def result(self, subscription: str) -> Log:
        """The log of what was delivered; a new one begins where its subscription does."""
        if subscription not in self._results:
            key = result_key(subscription)
            log = self._results[subscription] = self.store.log(key)
            if not self.store.load(key):
                log.reset(self.deliveries[subscription].start)
                self.store.save(key, b"begun")
        return self._results[subscription]

    def forget(self, subscription: str) -> None:
        """The subscription has ended: its result is not needed any more."""
        self._results.pop(subscription, None)
        self.store.drop(result_key(subscription))
        self.store.save(result_key(subscription), b"")

    # Readers and their positions.

    def _want(self, name: StreamId, after: int) -> None:
        """A reader is at this position: fill the log from there, unless that is being done."""
        stream = self.streams.get(name)
        if stream is None or stream.is_published or (stream.is_wanted and stream.log.low <= after):
            return
        if not stream.log.low <= after <= stream.log.position:
            stream.log.reset(after)
        stream.is_wanted, stream.asked_at = True, NEVER
        task = self.tasks.get(name)
        needed = task.rewind(stream.log.position) if task is not None else None
        for source in task.task.inputs if task is not None and needed is not None else ():
            self._want(source, needed or 0)

    def _readers(self, name: StreamId, stream: Stream) -> Iterator[int | None]:
        """The positions of all that read a log; None where one has not said it yet."""
        for neighbour in stream.part.downstream:
            yield stream.out[neighbour].acked if neighbour in stream.out else None
        tasks, deliveries = self._reading[name]
        yield from (task.position for task in tasks)
        yield from (self.result(one.subscription).position for one in deliveries)

    # Messages.

    def append(self, name: StreamId, epoch: Epoch, now: float) -> list[Effect]:
        """A new epoch of a stream that is published here."""
        log = self.store.log(source_key(name))
        if epoch.edge > log.position:
            log.append([epoch])
        return self.pump(now)

    def resume(self, sender: PeerName, message: Resume, now: float) -> list[Effect]:
        stream = self._known(message.stream, message.digest)
        if stream is None or sender not in stream.part.downstream:
            return []
        out = stream.out.get(sender)
        if out is not None and out.acked <= message.after <= out.sent:
            out.acknowledge(message.after, max(out.room, 1), now)
            return self._continue(message.stream, stream, sender, now)
        if out is None:
            out = stream.out[sender] = Outgoing(message.after, self.limits.window)
        out.restart(message.after)
        self._want(message.stream, message.after)
        return self.pump(now)

    def receive(self, sender: PeerName, message: Data, now: float) -> list[Effect]:
        stream = self._known(message.stream, message.digest)
        if stream is None or sender != stream.part.upstream or not stream.is_wanted:
            return []
        log = stream.log
        if message.after > log.position:
            return [*self._ask(message.stream, stream, now, least=self.limits.resend)]
        fresh = [epoch for epoch in message.epochs if epoch.edge > log.position]
        if fresh and log.size < self.limits.log:
            log.append(fresh)
        stream.asked_at = now
        room = max(self.limits.log - log.size, 0)
        ack = Send(sender, Ack(message.stream, message.digest, log.position, room))
        return [ack, *self.pump(now)] if fresh else [ack]

    def acknowledge(self, sender: PeerName, message: Ack, now: float) -> list[Effect]:
        stream = self._known(message.stream, message.digest)
        out = stream.out.get(sender) if stream is not None else None
        if stream is None or out is None:
            return []
        out.acknowledge(message.position, message.room, now)
        return self._continue(message.stream, stream, sender, now)

    def _known(self, name: StreamId, digest: str) -> Stream | None:
        stream = self.streams.get(name)
        return stream if stream is not None and stream.part.digest == digest else None

    # Progress.

    def pump(self, now: float) -> list[Effect]:
        """Do what can be done: compute for a while, deliver, send, forget; ask for what has not come."""
        effects: list[Effect] = []
        for _ in range(ROUNDS):
            self.has_more = sum(self._compute(task) for task in self.tasks.values()) > 0
            if not self.has_more:
                break
        for name, task in self.tasks.items():
            effects += self._problems(name, task)
        for one in self.deliveries.values():
            effects += self._deliver(one)
        for name, stream in self.streams.items():
            for neighbour in stream.out:
                effects += self._send(name, stream, neighbour, now)
            self._trim(name, stream)
            effects += self._ask(name, stream, now, least=self.limits.resume)
        return effects

    def _continue(self, name: StreamId, stream: Stream, reader: PeerName, now: float) -> list[Effect]:
        """Do what a reader's new position allows: send more of the stream, and forget what it has."""
        was_full = stream.log.size >= self.limits.log
        effects = list(self._send(name, stream, reader, now))
        self._trim(name, stream)
        return [*effects, *self.pump(now)] if was_full and stream.log.size < self.limits.log else effects

    def _compute(self, task: Running) -> bool:
        output = self.streams[task.task.output]
        inputs = {name: self.streams[name].log for name in task.task.inputs if name in self.streams}
        is_full = output.log.size >= self.limits.log
        return not is_full and len(inputs) == len(task.task.inputs) and task.step(inputs, output.log)

    def _problems(self, name: StreamId, task: Running) -> Iterator[Effect]:
        if task.failure is not None and name not in self._failed:
            self._failed.add(name)
            yield reported(task.failure)
            yield reported(problems.TASK_STOPPED.at(name=task.task.id))
        for problem in task.take_problems():
            yield reported(problem)

    def _deliver(self, one: Delivery) -> Iterator[Effect]:
        stream, result = self.streams.get(one.stream), self.result(one.subscription)
        if stream is None:
            return
        while stream.log.low <= result.position < stream.log.position:
            epochs = stream.log.after(result.position, self.limits.message)
            result.append(epochs)
            yield from (Delivered(one.subscription, epoch) for epoch in epochs)

    def _send(self, name: StreamId, stream: Stream, neighbour: PeerName, now: float) -> Iterator[Effect]:
        out = stream.out[neighbour]
        while (batch := out.next(stream.log, self.limits, now)) is not None:
            after, epochs = batch
            key = (neighbour, name)
            self.sent[key] = self.sent.get(key, 0) + sum(len(epoch.items) for epoch in epochs)
            yield Send(neighbour, Data(name, stream.part.digest, after, tuple(epochs)))

    def _trim(self, name: StreamId, stream: Stream) -> None:
        if stream.is_published or not stream.is_wanted:
            return
        positions = list(self._readers(name, stream))
        known = [position for position in positions if position is not None]
        if known and len(known) == len(positions):
            stream.log.trim(min(known))

    def _ask(self, name: StreamId, stream: Stream, now: float, *, least: float) -> Iterator[Effect]:
        """Tell the sender of a stream where this peer is, unless it was told just before."""
        if stream.part.upstream and stream.is_wanted and now - stream.asked_at >= least:
            stream.asked_at = now
            yield Send(stream.part.upstream, Resume(name, stream.part.digest, stream.log.position))


def _key(part: StreamPart) -> str:
    return f"stream {part.id} {part.digest}"


def source_key(name: StreamId) -> str:
    """The log of a stream that is published here."""
    return f"source {name}"


def result_key(subscription: str) -> str:
    """The log of what a subscription was delivered."""
    return f"result {subscription}"


def reported(problem: Diagnostic) -> Reported:
    return Reported(problem.code, str(problem))
