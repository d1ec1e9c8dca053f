"""What a peer is: its name, address and limits, from a file or from options.

name = "SP1"
listen = "127.0.0.1:4711"
super = true
join = ["127.0.0.1:4710"]
links = [{ peer = "SP2", bandwidth = 1e7 }]
tokens = [{ token = "…", may = ["join", "publish", "subscribe"], peer = "P2" }]
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from slackwater.base.diagnostic import EngineError
from slackwater.globe.flight import problems
from slackwater.globe.model import Link, Peer
from slackwater.globe.network import CAPABILITIES

RIGHTS = ("join", "publish", "subscribe")


@dataclass(frozen=True, slots=True)
class Token:
    """A secret, what it allows, and the peer that has it, if it belongs to one."""

    token: str
    may: tuple[str, ...] = RIGHTS
    peer: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a peer."""

    name: str
    listen: str = "127.0.0.1:0"
    super: bool = False
    capacity: float = 1e5
    operators: tuple[str, ...] | None = None
    """What it can compute; by default everything on super-peers, and transforming on others."""
    join: tuple[str, ...] = ()
    links: tuple[tuple[str, float], ...] = ()
    """Neighbours, and bytes a second to each."""
    data: str = ""
    token: str = ""
    """What this peer shows to others."""
    tokens: tuple[Token, ...] = ()
    """What others have to show; without any, everybody on this machine may do everything."""
    certificate: str = ""
    key: str = ""
    authority: str = ""
    """Files for TLS: the certificate of this peer and its key, and the authority that signed all."""
    max_frame: int = 16 << 20
    max_message: int = 16 << 20
    max_subscriptions: int = 10_000
    max_log: int = 64 << 20
    """Bytes: of an epoch on its way, of a control message, of a stream on its way through."""
    beat: float = 0.5
    """Seconds between two signs of life."""

    @property
    def peer(self) -> Peer:
        default = CAPABILITIES if self.super else ("transform",)
        operators = frozenset(default if self.operators is None else self.operators)
        return Peer(self.name, "super" if self.super else "thin", self.capacity, operators)

    @property
    def network_links(self) -> tuple[Link, ...]:
        return tuple(Link(self.name, other, bandwidth) for other, bandwidth in self.links)


_NAMES = {one.name for one in fields(Config)}


def read_config(file: Path, **options: Any) -> Config:
    """The settings in a file, with options that take precedence; raises EngineError."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EngineError(problems.BAD_CONFIG.at(file=file.name, why=str(error))) from error
    if strange := content.keys() - _NAMES:
        raise EngineError(problems.BAD_CONFIG.at(file=file.name, why=f'no setting "{min(strange)}" exists'))
    content.update(options)
    try:
        return _config(content)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        why = "a setting is missing or of another type"
        raise EngineError(problems.BAD_CONFIG.at(file=file.name, why=why)) from error


def _config(content: dict[str, Any]) -> Config:
    links = tuple(
        (link, 1e8) if isinstance(link, str) else (link["peer"], float(link.get("bandwidth", 1e8)))
        for link in content.pop("links", ())
    )
    tokens = tuple(_token(entry) for entry in content.pop("tokens", ()))
    lists = {name: tuple(value) for name, value in content.items() if isinstance(value, list)}
    return replace(Config(**{**content, **lists}), links=links, tokens=tokens)


def _token(entry: str | dict[str, Any]) -> Token:
    if isinstance(entry, str):
        return Token(entry)
    made = Token(entry["token"], tuple(entry.get("may", RIGHTS)), entry.get("peer", ""))
    if not set(made.may) <= set(RIGHTS):
        raise ValueError(f"a token may {', '.join(RIGHTS)}")
    return made
