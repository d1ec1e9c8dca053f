"""The Flight server of a peer: what others may call.

message      a message of another peer                 put {peer}     its data
publish      a stream or document of this peer         put {stream}   its epochs
subscribe    and unsubscribe                           get            the result of a subscription
status  deployment  reoptimize                         for people
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import flight

from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.globe.flight import problems
from slackwater.globe.flight.access import KEY, Access, Caller, caller_of
from slackwater.globe.flight.config import Config
from slackwater.globe.flight.errors import as_flight, reporting
from slackwater.globe.flight.wire import EPOCHS, batch_of, epochs_of
from slackwater.globe.model import Published, Subscription
from slackwater.globe.protocol import codec
from slackwater.globe.protocol import problems as protocol_problems
from slackwater.globe.protocol.messages import Data

if TYPE_CHECKING:
    from slackwater.globe.flight.peer import Peer

Command = Callable[[Caller, bytes], Any]


class Server(flight.FlightServerBase):  # type: ignore[misc]
    """Checks who calls and how much, then asks the peer."""

    def __init__(self, config: Config, peer: Peer) -> None:
        options: dict[str, Any] = {}
        if config.certificate:
            pair = (Path(config.certificate).read_bytes(), Path(config.key).read_bytes())
            options["tls_certificates"] = [pair]
        scheme = "grpc+tls" if config.certificate else "grpc"
        super().__init__(f"{scheme}://{config.listen}", middleware={KEY: Access(config.tokens)}, **options)
        self._config, self._peer = config, peer
        self._commands: dict[str, Command] = {
            "message": self._message, "publish": self._publish, "position": self._position,
            "subscribe": self._subscribe, "unsubscribe": self._unsubscribe, "failure": self._failure,
            "status": lambda caller, body: peer.status(), "deployment": self._deployment,
            "failures": lambda caller, body: peer.failures(), "reoptimize": self._reoptimize,
        }  # fmt: skip

    # Commands.

    def do_action(self, context: Any, action: flight.Action) -> Iterator[flight.Result]:
        with reporting():
            size = action.body.size
            if size > self._config.max_message:
                raise EngineError(
                    protocol_problems.LARGE_MESSAGE.at(size=size, most=self._config.max_message)
                )
            command = self._commands.get(action.type)
            if command is None:
                raise EngineError(problems.UNKNOWN_COMMAND.at(name=action.type))
            answer = command(caller_of(context), action.body.to_pybytes())
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return iter([flight.Result(pa.py_buffer(content))])

    def _message(self, caller: Caller, body: bytes) -> None:
        head, _, content = body.partition(b"\n")
        envelope = _facts(head, "sender", "address")
        caller.require("join", "take part in the network", envelope["sender"])
        self._peer.take(envelope["sender"], envelope["address"], codec.unpack(content))

    def _publish(self, caller: Caller, body: bytes) -> None:
        stream = codec.decode(Published, body)
        # A module comes with a subscription.
        right = "subscribe" if stream.kind == "module" else "publish"
        caller.require(right, right)
        self._peer.publish(stream)

    def _position(self, caller: Caller, body: bytes) -> int:
        caller.require("publish", "publish")
        return self._peer.position(body.decode())

    def _subscribe(self, caller: Caller, body: bytes) -> None:
        caller.require("subscribe", "subscribe")
        head, _, content = body.partition(b"\n")
        self._peer.subscribe(codec.decode(Subscription, content), int(_facts(head, "start")["start"]))

    def _unsubscribe(self, caller: Caller, body: bytes) -> None:
        caller.require("subscribe", "subscribe")
        self._peer.unsubscribe(body.decode())

    def _failure(self, caller: Caller, body: bytes) -> str | None:
        return self._peer.failure(body.decode())

    def _deployment(self, caller: Caller, body: bytes) -> bytes:
        return codec.encode(self._peer.deployment())

    def _reoptimize(self, caller: Caller, body: bytes) -> None:
        caller.require("join", "change plans")
        self._peer.reoptimize()

    # Epochs.

    def do_put(self, context: Any, descriptor: flight.FlightDescriptor, reader: Any, writer: Any) -> None:
        with reporting():
            caller, target = caller_of(context), _facts(descriptor.command)
            if "peer" in target:
                caller.require("join", "take part in the network", target["peer"])
            else:
                caller.require("publish", "publish")
            for chunk in reader:
                size, most = chunk.data.nbytes, self._config.max_frame
                if size > most:
                    raise EngineError(problems.LARGE_FRAME.at(size=size, most=most))
                epochs = epochs_of(chunk.data)
                if "peer" in target:
                    about = _facts(chunk.app_metadata.to_pybytes(), "stream", "digest", "after")
                    data = Data(about["stream"], about["digest"], about["after"], tuple(epochs))
                    self._peer.take(target["peer"], "", data)
                else:
                    self._peer.append(target.get("stream", ""), epochs)

    def do_get(self, context: Any, ticket: flight.Ticket) -> flight.GeneratorStream:
        with reporting():
            caller_of(context).require("subscribe", "subscribe")
            facts = _facts(ticket.ticket, "subscription", "after", "follow")
        return flight.GeneratorStream(EPOCHS, self._batches(facts))

    def _batches(self, facts: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        try:
            for epochs in self._peer.results(facts["subscription"], facts["after"], follow=facts["follow"]):
                yield batch_of(epochs)
        except SlackwaterError as error:
            raise as_flight(error.diagnostics[0]) from None


def _facts(content: bytes, *names: str) -> dict[str, Any]:
    """A record of JSON with these names; raises EngineError."""
    try:
        facts = json.loads(content)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict) or not set(names) <= facts.keys():
        raise EngineError(protocol_problems.BAD_MESSAGE.at(why="its head is incomplete"))
    return facts
