"""Diagnostics across Flight: an error of a peer is the same error at its caller."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import flight

from slackwater.base.diagnostic import Diagnostic, EngineError, SlackwaterError
from slackwater.base.problem import Problem
from slackwater.globe.flight import problems

_MOST = 2_000


@contextmanager
def reporting() -> Iterator[None]:
    """In a server: an error with diagnostics goes to the caller."""
    try:
        yield
    except SlackwaterError as error:
        raise as_flight(error.diagnostics[0]) from None


def as_flight(problem: Diagnostic) -> flight.FlightServerError:
    facts = {"code": problem.code, "message": problem.message, "detail": problem.detail, "hint": problem.hint}
    return flight.FlightServerError(
        f"[{problem.code}] {problem.message}"[:_MOST], json.dumps(facts)[:8_000].encode()
    )


@contextmanager
def understood(address: str) -> Iterator[None]:
    """In a client: an error of the peer is an EngineError here."""
    try:
        yield
    except flight.FlightUnauthenticatedError as error:
        raise EngineError(problems.WRONG_TOKEN.at(address=address)) from error
    except flight.FlightError as error:
        raise EngineError(_problem(error, address)) from error
    except (pa.ArrowException, OSError) as error:
        raise EngineError(problems.UNREACHABLE.at(address=address, why=_reason(error))) from error


def _problem(error: flight.FlightError, address: str) -> Diagnostic:
    extra = getattr(error, "extra_info", b"") or b""
    try:
        facts = json.loads(extra)
        received = Problem(facts["code"], "{message}")
        return received.at(message=facts["message"], detail=facts["detail"], hint=facts["hint"])
    except (ValueError, KeyError, TypeError):
        return problems.UNREACHABLE.at(address=address, why=_reason(error))


def _reason(error: Exception) -> str:
    """The last words of gRPC, without the addresses and times around them.

    >>> _reason(OSError("failed to connect to all addresses; last error: ipv4:127.0.0.1:1: refused"))
    'refused'
    """
    first = str(error).splitlines()[0].split(". gRPC client debug context")[0]
    return first.rpartition(": ")[2][:_MOST]
