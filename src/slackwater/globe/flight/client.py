"""Users of a peer: publish, subscribe, read results, look at the network.

>>> from slackwater.globe.flight.client import connect            # doctest: +SKIP
>>> peer = connect("127.0.0.1:4711")                               # doctest: +SKIP
>>> for item in peer.subscribe("high", query): print(item)         # doctest: +SKIP
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
from pyarrow import flight

from slackwater.base.diagnostic import EngineError
from slackwater.globe.compute.computation import END, START
from slackwater.globe.compute.items import pack_records, pack_rows, unpack_records, unpack_rows
from slackwater.globe.flight import problems
from slackwater.globe.flight.access import flight_client
from slackwater.globe.flight.answers import Shape, shape_of
from slackwater.globe.flight.errors import understood
from slackwater.globe.flight.wire import EPOCHS, batch_of, epochs_of
from slackwater.globe.mobile.modules import install_published, published_module
from slackwater.globe.mobile.resolve import resolved
from slackwater.globe.model import Deployment, Language, Published, StreamId, Subscription
from slackwater.globe.protocol import codec
from slackwater.globe.protocol.messages import NOW, Epoch

_PATIENCE = 1.0
"""A stream may have been published a moment ago: so many seconds a refusal may be out of date."""


class Client:
    """A connection to a peer."""

    def __init__(self, address: str, token: str = "", authority: bytes | None = None) -> None:
        self.address, self._token, self._authority = address, token, authority
        self._client = flight_client(address, token, authority)

    def _call(self, command: str, body: bytes = b"", timeout: float = 20.0) -> Any:
        options = flight.FlightCallOptions(timeout=timeout)
        with understood(self.address):
            results = list(self._client.do_action(flight.Action(command, body), options))
        return json.loads(results[0].body.to_pybytes())

    # Streams.

    def publish(self, stream: Published) -> None:
        """Announce a stream or document of the peer."""
        self._call("publish", codec.encode(stream))

    def position(self, name: StreamId) -> int:
        """The last edge of a stream that the peer publishes."""
        position: int = self._call("position", name.encode())
        return position

    def append(self, name: StreamId, epochs: Iterable[Epoch]) -> None:
        """Commit epochs of a published stream; when this returns, the peer has them on disk."""
        command = json.dumps({"stream": name}).encode()
        with understood(self.address):
            writer, _ = self._client.do_put(flight.FlightDescriptor.for_command(command), EPOCHS)
            with writer:
                for epoch in epochs:
                    writer.write_batch(batch_of([epoch]))

    def append_records(self, name: StreamId, records: Iterable[bytes], size: int = 100) -> None:
        """XML records as epochs of so many, after those that the stream has."""
        edge, part = max(self.position(name), 0), list[bytes]()

        def epochs() -> Iterator[Epoch]:
            nonlocal edge, part
            for record in records:
                part.append(record)
                if len(part) >= size:
                    edge, full, part = edge + 1, part, []
                    yield Epoch(edge, pack_records(full))
            if part:
                yield Epoch(edge + 1, pack_records(part))

        self.append(name, epochs())

    def append_rows(self, name: StreamId, frame: pl.DataFrame, edge: int) -> None:
        """Elements up to an instant, as one epoch."""
        self.append(name, [Epoch(edge, pack_rows(frame))])

    def end(self, name: StreamId) -> None:
        """No more will come."""
        self.append(name, [Epoch(END)])

    # Subscriptions.

    def register(
        self,
        id: str,
        text: str,
        *,
        at: str,
        language: Language = "xquery",
        beginning: bool = True,
        modules: Iterable[bytes] = (),
    ) -> None:
        """Subscribe, without waiting for an answer; `modules` in WebAssembly have functions that it calls."""
        if published := [published_module(content, at) for content in modules]:
            text = resolved(text, language, [install_published(one) for one in published])
        for one in published:
            self.publish(one)
        start = START if beginning else NOW
        body = json.dumps({"start": start}).encode() + b"\n"
        self._call("subscribe", body + codec.encode(Subscription(id, at, language, text)))

    def failure(self, id: str) -> str | None:
        """Why a subscription was refused, as far as the peer knows."""
        why: str | None = self._call("failure", id.encode())
        return why

    def await_plan(self, id: str, seconds: float = 20.0) -> None:
        """Wait until a subscription is planned; raises EngineError where it is refused for a while."""
        begin = time.monotonic()
        while (waited := time.monotonic() - begin) < seconds:
            why = self.failure(id)
            if why is not None and waited > _PATIENCE:
                raise EngineError(problems.REFUSED.at(name=id, detail=_reason(why)))
            if why is None and self._is_planned(id):
                return
            time.sleep(0.05)
        raise EngineError(problems.NO_SPEAKER.at())

    def _is_planned(self, id: str) -> bool:
        try:
            return any(one.id == id for one in self.deployment().subscriptions)
        except EngineError as error:
            if error.diagnostics[0].code != "no-speaker":
                raise
            return False

    def epochs(self, id: str, after: int = START, *, follow: bool = False) -> Iterator[Epoch]:
        """What a subscription was delivered after an edge; to follow is to wait for more, to its end."""
        ticket = json.dumps({"subscription": id, "after": after, "follow": follow}).encode()
        with understood(self.address):
            for chunk in self._client.do_get(flight.Ticket(ticket)):
                for epoch in epochs_of(chunk.data):
                    yield epoch
                    if epoch.edge == END:
                        return

    def items(self, id: str, after: int = START, *, follow: bool = False) -> Iterator[str]:
        """The XML items of a subscription."""
        for epoch in self.epochs(id, after, follow=follow):
            yield from (item.decode() for item in unpack_records(epoch.items))

    def frames(self, id: str, after: int = START, *, follow: bool = False) -> Iterator[pl.DataFrame]:
        """The rows of a subscription: `@from` is their instant, `@n` how many copies came (or left)."""
        for epoch in self.epochs(id, after, follow=follow):
            if (frame := unpack_rows(epoch.items)) is not None:
                yield frame

    def shape(self, id: str) -> Shape | None:
        """What the rows of a subscription are; None where it is in XQuery."""
        return shape_of(self.deployment(), id)

    def unsubscribe(self, id: str) -> None:
        self._call("unsubscribe", id.encode())

    # The network.

    def status(self) -> dict[str, Any]:
        """What the peer is doing."""
        status: dict[str, Any] = self._call("status")
        return status

    def speaker(self) -> Client:
        """A connection to the speaker; raises EngineError while there is none."""
        address = self.status()["speaker_address"]
        if not address:
            raise EngineError(problems.NO_SPEAKER.at())
        return self.at(address)

    def at(self, address: str) -> Client:
        """A connection to another peer, with the same token."""
        return self if address == self.address else Client(address, self._token, self._authority)

    def deployment(self) -> Deployment:
        """What runs in the subnet, from its speaker."""
        speaker = self.speaker()
        with understood(speaker.address):
            results = list(speaker._client.do_action(flight.Action("deployment", b"")))
        return codec.decode(Deployment, results[0].body.to_pybytes())

    def failures(self) -> dict[str, str]:
        """Which subscriptions of the subnet were refused, and why."""
        failures: dict[str, str] = self.speaker()._call("failures")
        return failures

    def reoptimize(self) -> None:
        """Plan everything in the subnet anew, if that is cheaper."""
        self.speaker()._call("reoptimize")

    def close(self) -> None:
        self._client.close()


def _reason(text: str) -> str:
    """What a report says, as sentences: without its frame.

    >>> _reason("error[no-route]: no route joins a and b\\n  = hint: Link them.")
    'No route joins a and b. Link them.'
    """
    head, *rest = text.splitlines()
    message = head.partition(": ")[2]
    notes = [line.partition(": ")[2] for line in rest if line.lstrip().startswith("= ")]
    return " ".join([f"{message[:1].upper()}{message[1:]}.", *notes])


def connect(address: str, token: str = "", authority: str | Path | None = None) -> Client:
    """A connection to the peer at `host:port`; `authority` is the file of the certificate for TLS."""
    return Client(address, token, None if authority is None else Path(authority).read_bytes())
