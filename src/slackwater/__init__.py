"""Slackwater: continuous queries, exact at every instant."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slackwater.base.diagnostic import EngineError, QueryError, SlackwaterError
    from slackwater.flux.run import XQuery, xqueries, xquery
    from slackwater.run.notices import DataWarning
    from slackwater.run.query import Query
    from slackwater.session import Session, connect
    from slackwater.sinks.driver import Callback, Console, Memory, View
    from slackwater.sinks.files import Files

    __version__: str

_HOMES = {
    "connect": "session",
    "Session": "session",
    "Query": "run.query",
    "Files": "sinks.files",
    "Callback": "sinks.driver",
    "Console": "sinks.driver",
    "Memory": "sinks.driver",
    "View": "sinks.driver",
    "XQuery": "flux.run",
    "xqueries": "flux.run",
    "xquery": "flux.run",
    "DataWarning": "run.notices",
    "EngineError": "base.diagnostic",
    "QueryError": "base.diagnostic",
    "SlackwaterError": "base.diagnostic",
}
__all__ = [
    "Callback",
    "Console",
    "DataWarning",
    "EngineError",
    "Files",
    "Memory",
    "Query",
    "QueryError",
    "Session",
    "SlackwaterError",
    "View",
    "XQuery",
    "__version__",
    "connect",
    "xqueries",
    "xquery",
]


def __getattr__(name: str) -> object:
    """The public names, fetched when they are used: checking a query needs no Spark."""
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("slackwater")
    except PackageNotFoundError:
        return "0+unknown"
