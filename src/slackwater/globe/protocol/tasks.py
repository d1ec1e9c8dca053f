"""A task at a peer: it reads logs, and writes the log of its output.

    input logs ─► epoch by epoch ─► output log

It can begin again at any position: without state there, with state at a snapshot before it or at the
beginning; what its log already has is computed again, and not written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from slackwater.base.diagnostic import Diagnostic, SlackwaterError
from slackwater.globe.compute.computation import START, Computation
from slackwater.globe.model import StreamId, Task
from slackwater.globe.protocol.messages import Epoch
from slackwater.globe.protocol.store import Log, Store

_ALL = 1 << 62


@dataclass(slots=True)
class Running:
    """A task with its position: the last edge that it has computed; None while its output is not wanted."""

    task: Task
    key: str
    make: Callable[[], Computation]
    store: Store
    every: int
    position: int | None = None
    failure: Diagnostic | None = None
    work: float = 0.0
    """Items' bytes that it has read: what it costs its peer."""
    _computation: Computation | None = field(init=False, default=None)
    _since: int = field(init=False, default=0)

    def rewind(self, after: int) -> int | None:
        """Be ready to compute what follows an edge; the position after which it needs its inputs."""
        try:
            self._computation, self.position = self.make(), after
            if self._computation.is_stateful:
                self.position = self._restore(self._computation, after)
        except SlackwaterError as error:
            self.failure, self.position = error.diagnostics[0], None
        return self.position

    def _restore(self, computation: Computation, after: int) -> int:
        stored = self.store.load(self._name)
        if stored is None:
            return START
        head, _, state = stored.partition(b"\n")
        edge: int = json.loads(head)
        if edge > after:
            return START
        computation.restore(state)
        return edge

    @property
    def _name(self) -> str:
        return f"state {self.key}"

    def step(self, inputs: Mapping[StreamId, Log], output: Log) -> bool:
        """Compute the next epoch, if all inputs have reached its edge."""
        position = self.position
        if position is None or self.failure is not None or self._computation is None:
            return False
        nexts = {name: log.after(position, 0) for name, log in inputs.items() if log.low <= position}
        if len(nexts) < len(inputs) or not all(nexts.values()):
            return False
        edge = min(epochs[0].edge for epochs in nexts.values())
        parts = {name: [epochs[0].items] for name, epochs in nexts.items()}
        try:
            items = self._computation.epoch(parts, position, edge)
        except SlackwaterError as error:
            self.failure = error.diagnostics[0]
            return False
        self.work += sum(len(epochs[0].items) for epochs in nexts.values() if epochs[0].edge == edge)
        self.position = edge
        if edge > output.position:
            output.append([Epoch(edge, items)])
        self._snapshot(edge)
        return True

    def _snapshot(self, edge: int) -> None:
        self._since += 1
        computation = self._computation
        if computation is not None and computation.is_stateful and self._since >= self.every:
            self.store.save(self._name, json.dumps(edge).encode() + b"\n" + computation.snapshot())
            self._since = 0

    def take_problems(self) -> list[Diagnostic]:
        """What was wrong with items since the last call."""
        return self._computation.take_problems() if self._computation is not None else []
