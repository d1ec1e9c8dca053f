"""The peers of a network as processes of this machine, on loopback addresses; they can be killed."""

from __future__ import annotations

import multiprocessing as mp
import time
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

from slackwater.base.diagnostic import EngineError
from slackwater.globe import Client, Config, connect
from slackwater.globe.model import Network, PeerName

_PRELOADED = [
    "slackwater.globe.flight.peer",
    "slackwater.globe.compute.records",
    "benchmarks.globe.processes",
]
"""Imported once, in the process that the peers are forked from."""
BEAT = 0.3
PATIENCE = 180.0


def run_peer(config: Config, address: Connection) -> None:
    """The main function of a process: a peer, until it is killed."""
    from slackwater.globe import Peer

    peer = Peer(config)
    address.send(peer.address)
    peer.wait()


class Processes:
    """A network of processes."""

    def __init__(self, network: Network, folder: Path, beat: float = BEAT) -> None:
        self.network, self._folder, self._beat = network, folder, beat
        self._context = mp.get_context("forkserver")
        self._context.set_forkserver_preload(_PRELOADED)
        self._running: dict[PeerName, mp.process.BaseProcess] = {}
        self.addresses: dict[PeerName, str] = {}

    def start(self, name: PeerName) -> None:
        """Start a peer, or start it again with what it has stored."""
        peer = self.network[name]
        others = self.network.neighbours(name)
        links = tuple((other, self.network.link(name, other).bandwidth) for other in others)
        supers = [one.name for one in self.network.peers if one.kind == "super" and one.name != name]
        contacts = tuple(self.addresses[one] for one in supers if one in self.addresses)
        config = Config(
            name, self.addresses.get(name, "127.0.0.1:0"), peer.kind == "super", peer.capacity,
            tuple(peer.operators), contacts, links, str(self._folder / name), beat=self._beat,
        )  # fmt: skip
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(target=run_peer, args=(config, sender), name=name, daemon=True)
        process.start()
        if not receiver.poll(PATIENCE):
            raise TimeoutError(f"{name} did not start")
        self.addresses[name] = receiver.recv()
        self._running[name] = process

    def start_all(self) -> None:
        for peer in self.network.peers:
            self.start(peer.name)
        names = {peer.name for peer in self.network.peers}
        first = self.client(next(iter(self.addresses)))
        await_true(
            lambda: {peer.name for peer in first.deployment().network.peers} == names, "all peers join"
        )

    def kill(self, name: PeerName) -> None:
        """As a power failure of the process: no signal that it could handle."""
        process = self._running.pop(name)
        process.kill()
        process.join()

    def client(self, name: PeerName) -> Client:
        return connect(self.addresses[name])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in list(self._running):
            self.kill(name)


def await_true(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Wait until something is true; peers that do not answer meanwhile are asked again."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if condition():
                return
        except EngineError:
            pass
        time.sleep(0.1)
    raise TimeoutError(what)


def answers(clients: Iterable[tuple[Client, str]]) -> list[list[str]]:
    """What each subscription has been delivered so far."""
    return [list(client.items(name)) for client, name in clients]
