"""StreamGlobe: a network of peers that publish streams, subscribe to them, and share what they compute."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slackwater.globe.flight.client import Client, connect
    from slackwater.globe.flight.config import Config
    from slackwater.globe.flight.peer import Peer

__all__ = ["Client", "Config", "Peer", "connect"]
_HOMES = {"Client": "client", "connect": "client", "Config": "config", "Peer": "peer"}


def __getattr__(name: str) -> object:
    """The public names, fetched when they are used: planning needs no network."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.flight.{_HOMES[name]}"), name)
