"""A peer as a process: a node with a clock, a disk and a Flight server.

calls ─► server ─► node ─► effects ─► post ─► other peers
          ticks ─►             └─► results, which users read
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from slackwater.base.diagnostic import EngineError
from slackwater.globe import plan
from slackwater.globe.compute.computation import START, Computation
from slackwater.globe.compute.make import computation
from slackwater.globe.flight import problems
from slackwater.globe.flight.config import Config
from slackwater.globe.flight.disk import DiskStore
from slackwater.globe.flight.post import Post
from slackwater.globe.flight.server import Server
from slackwater.globe.mobile.modules import install_published
from slackwater.globe.model import PeerName, Published, StreamId, Subscription, Task
from slackwater.globe.protocol.links import Limits
from slackwater.globe.protocol.membership import Times
from slackwater.globe.protocol.messages import Delivered, Effect, Epoch, Message, Part, Reported, Send
from slackwater.globe.protocol.node import Node
from slackwater.globe.protocol.worker import result_key

_TICK = 0.1
_RESEND = 5.0
"""Seconds: Flight loses nothing while both ends live, so that only a death makes it necessary."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MOST_REPORTS = 100


class Peer:
    """A running peer; `with` closes it."""

    def __init__(self, config: Config, on_report: Callable[[Reported], None] = lambda report: None) -> None:
        host, _, _ = config.listen.rpartition(":")
        if host not in _LOOPBACK and not config.tokens:
            raise EngineError(problems.OPEN_PEER.at(address=config.listen))
        self.config, self._on_report = config, on_report
        self._store = DiskStore(Path(config.data or mkdtemp(prefix="slackwater-peer-")))
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._stopped = threading.Event()
        self._book: dict[PeerName, str] = {}
        self.reports: list[Reported] = []
        authority = Path(config.authority).read_bytes() if config.authority else None
        try:
            self._server = Server(config, self)
        except (pa.ArrowException, OSError) as error:
            self._store.close()
            raise EngineError(problems.NO_ADDRESS.at(address=config.listen)) from error
        self.address = f"{host}:{self._server.port}"
        self._post = Post(config.name, self.address, self._find, config.token, authority)
        self.node = Node(
            config.peer, self._store, plan, self._make, config.network_links, config.join, self.address,
            Limits(log=config.max_log, resend=_RESEND, resume=4 * config.beat),
            Times(beat=config.beat), most_wishes=config.max_subscriptions,
        )  # fmt: skip
        with self._lock:
            self._carry_out(self.node.start(time.time()))
        self._ticker = threading.Thread(target=self._tick, name="ticks", daemon=True)
        self._ticker.start()

    def _make(self, task: Task, part: Part) -> Computation:
        """Documents are those that this peer itself has published: no other may name its files."""
        own = {one.id: one for one in self.node.profile.published if one.kind == "document"}
        documents = {name: Path(own[name].location).read_bytes() for name in task.documents if name in own}
        return computation(task, part.published, part.ancestors, documents)

    def _tick(self) -> None:
        while not self._stopped.wait(0 if self.node.worker.has_more else _TICK):
            with self._lock:
                self._carry_out(self.node.tick(time.time()))

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._post.send(effect.to, effect.message)
            elif isinstance(effect, Delivered):
                self._changed.notify_all()
            else:
                self.reports = [*self.reports[-MOST_REPORTS:], effect]
                self._on_report(effect)

    def _find(self, name: PeerName) -> str:
        """The address of a peer; what is an address is one already."""
        if ":" in name:
            return name
        member = self.node.membership
        known = member.members.get(name) or member.lost.get(name)
        others = [one.address for one in member.neighbours.values() if one.speaker == name]
        others += [address for peer, address in self.node.part.addresses if peer == name]
        return self._book.get(name) or (known.address if known else "") or next(iter(others), "")

    # Calls of other peers.

    def take(self, sender: PeerName, address: str, message: Message) -> None:
        with self._lock:
            if address:
                self._book[sender] = address
            self._carry_out(self.node.handle(sender, message, time.time()))

    # Calls of users.

    def publish(self, stream: Published) -> None:
        if stream.kind == "module":
            install_published(stream)
        with self._lock:
            self._carry_out(self.node.publish(stream, time.time()))

    def append(self, name: StreamId, epochs: Iterable[Epoch]) -> None:
        """Commit epochs of a published stream."""
        for epoch in epochs:
            with self._lock:
                self._carry_out(self.node.append(name, epoch, time.time()))

    def position(self, name: StreamId) -> int:
        with self._lock:
            return self.node.position(name)

    def subscribe(self, subscription: Subscription, start: int = START) -> None:
        with self._lock:
            self._carry_out(self.node.subscribe(subscription, time.time(), start))

    def unsubscribe(self, id: str) -> None:
        with self._lock:
            self._carry_out(self.node.unsubscribe(id, time.time()))

    def failure(self, id: str) -> str | None:
        """Why a subscription was refused, as far as is known."""
        with self._lock:
            return dict(self.node.part.failures).get(id)

    def results(self, id: str, after: int, *, follow: bool) -> Iterator[list[Epoch]]:
        """What a subscription was delivered after an edge; to follow is to wait for more."""
        while not self._stopped.is_set():
            with self._lock:
                if all(wish.subscription.id != id for wish in self.node.profile.wishes):
                    raise EngineError(problems.NO_RESULT.at(peer=self.config.name, name=id))
                log = self._store.log(result_key(id))
                epochs = log.after(after, 1 << 20) if log.position > after else []
                if not epochs and follow:
                    self._changed.wait(1.0)
            if epochs:
                after = epochs[-1].edge
                yield epochs
            elif not follow:
                return

    def status(self) -> dict[str, Any]:
        """What this peer is doing, for people."""
        with self._lock:
            node = self.node
            member = node.membership
            sent = [[to, stream, size] for (to, stream), size in sorted(node.worker.sent.items())]
            work = {name: task.work for name, task in node.worker.tasks.items()}
            return {
                "name": self.config.name, "subnet": member.subnet, "speaker": member.speaker,
                "speaker_address": self._find(member.speaker) if not member.is_speaker else self.address,
                "members": {name: one.address for name, one in sorted(member.members.items())},
                "sent": sent, "work": work, "cpu": time.process_time(),
                "reports": [report.text for report in self.reports],
            }  # fmt: skip

    def deployment(self) -> Any:
        """What the speaker has planned; raises EngineError where this peer is not the speaker."""
        with self._lock:
            if self.node.speaker is None:
                raise EngineError(problems.NO_SPEAKER.at())
            return self.node.speaker.deployment

    def failures(self) -> dict[str, str]:
        with self._lock:
            return {} if self.node.speaker is None else dict(self.node.speaker.failures)

    def reoptimize(self) -> None:
        """Plan everything anew, if this peer is the speaker."""
        with self._lock:
            if self.node.speaker is None:
                raise EngineError(problems.NO_SPEAKER.at())
            self._carry_out(self.node.reoptimize(time.time()))

    def leave(self) -> None:
        """Leave the network for good, then close."""
        with self._lock:
            self._carry_out(self.node.leave())
        time.sleep(_TICK)
        self.close()

    def close(self) -> None:
        self._stopped.set()
        with self._lock:
            self._changed.notify_all()
        self._ticker.join()
        self._server.shutdown()
        self._post.close()
        self._store.close()

    def wait(self) -> None:
        """Until it is closed."""
        self._stopped.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.close()
