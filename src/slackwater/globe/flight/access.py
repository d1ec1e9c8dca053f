"""Who may do what at a peer: bearer tokens, checked for every call."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

from pyarrow import flight

from slackwater.base.diagnostic import EngineError
from slackwater.globe.flight import problems
from slackwater.globe.flight.config import RIGHTS, Token

_HEADER = "authorization"
_SCHEME = "Bearer "
KEY = "access"


@dataclass(frozen=True, slots=True)
class Caller:
    """What the token of a call allows."""

    may: tuple[str, ...]
    peer: str = ""

    def require(self, right: str, action: str, name: str = "") -> None:
        """Raises EngineError without the right, or where the token belongs to a peer of another name."""
        if right not in self.may:
            raise EngineError(problems.NOT_ALLOWED.at(action=action))
        if self.peer and name and name != self.peer:
            raise EngineError(problems.OTHER_PEER.at(owner=self.peer, name=name))


class Access(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Finds the caller of each call by its token; without tokens everybody may do everything."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self._tokens = tokens

    def start_call(self, info: Any, headers: Any) -> Known:
        if not self._tokens:
            return Known(Caller(RIGHTS))
        shown = next(iter(headers.get(_HEADER, ())), "").removeprefix(_SCHEME)
        known = None
        for token in self._tokens:
            if hmac.compare_digest(token.token.encode(), shown.encode()):
                known = token
        if known is None:
            raise flight.FlightUnauthenticatedError("wrong token")
        return Known(Caller(known.may, known.peer))


class Known(flight.ServerMiddleware):  # type: ignore[misc]
    """The caller of a call."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller


class Shown(flight.ClientMiddlewareFactory):  # type: ignore[misc]
    """Adds a token to every call."""

    def __init__(self, token: str) -> None:
        self._token = token

    def start_call(self, info: Any) -> _Showing:
        return _Showing(self._token)


class _Showing(flight.ClientMiddleware):  # type: ignore[misc]
    def __init__(self, token: str) -> None:
        self._token = token

    def sending_headers(self) -> dict[str, str]:
        return {_HEADER: _SCHEME + self._token}


def caller_of(context: Any) -> Caller:
    known: Caller = context.get_middleware(KEY).caller
    return known


def flight_client(address: str, token: str = "", authority: bytes | None = None) -> flight.FlightClient:
    """A client of the peer at `host:port`."""
    scheme = "grpc+tls" if authority else "grpc"
    options: dict[str, Any] = {"tls_root_certs": authority} if authority else {}
    middleware = [Shown(token)] if token else []
    return flight.FlightClient(f"{scheme}://{address}", middleware=middleware, **options)
