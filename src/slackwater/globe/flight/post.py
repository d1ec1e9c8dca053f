"""Outgoing messages of a peer: a queue and a thread for each receiver; what cannot be sent is dropped."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa
from pyarrow import flight

from slackwater.globe.flight.access import flight_client
from slackwater.globe.flight.wire import EPOCHS, batch_of
from slackwater.globe.model import PeerName
from slackwater.globe.protocol import codec
from slackwater.globe.protocol.messages import Data, Message

MOST_WAITING = 1_000
"""Messages for one receiver; more are dropped, and sent again later like all that is lost."""
_SECONDS = 5.0
"""How long a call may take before the receiver counts as unreachable for now."""


class Outbox:
    """The messages to one address."""

    def __init__(self, sender: PeerName, own: str, address: str, token: str, authority: bytes | None) -> None:
        self._envelope = {"sender": sender, "address": own}
        self._address, self._token, self._authority = address, token, authority
        self._queue: queue.Queue[Message | None] = queue.Queue(MOST_WAITING)
        self._client: flight.FlightClient | None = None
        self._writer: flight.FlightStreamWriter | None = None
        self.bytes = 0
        threading.Thread(target=self._run, name=f"to {address}", daemon=True).start()

    def put(self, message: Message | None) -> None:
        with suppress(queue.Full):
            self._queue.put_nowait(message)

    def _run(self) -> None:
        while (message := self._queue.get()) is not None:
            try:
                self._send(message)
            except (pa.ArrowException, OSError):
                self._drop()
        self._drop()

    def _send(self, message: Message) -> None:
        client = self._client
        if client is None:
            client = self._client = flight_client(self._address, self._token, self._authority)
        if isinstance(message, Data):
            self._send_data(client, message)
            return
        content = json.dumps(self._envelope).encode() + b"\n" + codec.pack(message)
        options = flight.FlightCallOptions(timeout=_SECONDS)
        for _ in client.do_action(flight.Action("message", content), options):
            pass

    def _send_data(self, client: flight.FlightClient, message: Data) -> None:
        """On a call that stays open: one batch for a message."""
        if self._writer is None:
            command = json.dumps({"peer": self._envelope["sender"]}).encode()
            self._writer, _ = client.do_put(flight.FlightDescriptor.for_command(command), EPOCHS)
        about = {"stream": message.stream, "digest": message.digest, "after": message.after}
        batch = batch_of(message.epochs)
        self._writer.write_with_metadata(batch, json.dumps(about).encode())
        self.bytes += batch.nbytes

    def _drop(self) -> None:
        for part in (self._writer, self._client):
            with suppress(pa.ArrowException, OSError):
                if part is not None:
                    part.close()
        self._writer = self._client = None


class Post:
    """All outgoing messages; addresses are found by the names of peers."""

    def __init__(
        self, sender: PeerName, own: str, find: Callable[[PeerName], str], token: str, authority: bytes | None
    ) -> None:
        self._sender, self._own, self._find = sender, own, find
        self._token, self._authority = token, authority
        self._boxes: dict[str, Outbox] = {}

    def send(self, to: PeerName, message: Message) -> None:
        address = self._find(to)
        if not address or address == self._own:
            return
        if address not in self._boxes:
            self._boxes[address] = Outbox(self._sender, self._own, address, self._token, self._authority)
        self._boxes[address].put(message)

    def close(self) -> None:
        for box in self._boxes.values():
            box.put(None)
