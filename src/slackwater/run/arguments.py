"""Arguments that users pass, checked at the call: instants, lengths of time, orders, sinks, folders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from inspect import signature
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict

from slackwater.algebra.import_paths import path_of
from slackwater.algebra.orders import ORDERS, Order
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.time import INFINITY, Clock
from slackwater.run import problems
from slackwater.sinks.driver import MODES, Sink, wrong_mode
from slackwater.sources.frame_errors import bad_option
from slackwater.sources.options import duration_of

Instant = int | str | date | datetime
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_OF_TWO_PAIRS = 4
ADDED_FROM = ("now", "beginning")
SINKS = "sw.Files, sw.View, sw.Console, sw.Callback or sw.Memory"


class StartOptions(TypedDict, total=False):
    """How queries are started; the defaults are in `Session.start`."""

    checkpoint: str | Path | None
    """The folder from which a query that was stopped, or killed, resumes."""
    follow: bool
    """Whether to wait for new input; otherwise the query ends with its current input."""
    interval: str | None
    """The time between the starts of two batches, such as '10 seconds'."""
    allow_changes: bool
    """Whether the checkpoint may have other queries: new ones begin, missing ones end."""
    added_from: str
    """From when on such new queries answer: `now`, or the `beginning` of the checkpoint."""


def instant_of(value: Instant, clock: Clock) -> int:
    """An instant as a user writes it: a number, a date (its first instant), or a date and time."""
    chronons = _chronons(value, clock)
    if chronons is None or not -INFINITY <= chronons <= INFINITY:
        raise EngineError(no_instant(value, clock))
    return chronons


def _chronons(value: Any, clock: Clock) -> int | None:
    if not isinstance(value, bool) and hasattr(value, "__index__"):
        return None if clock.calendar else index(value)
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(moment, date) or not clock.calendar:
        return None
    if isinstance(moment, datetime) and moment.tzinfo and not clock.zoned:
        return None
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def interval_of(value: object) -> str | None:
    """How often a query looks for rows, as Spark writes it; raises EngineError."""
    if value is None:
        return None
    duration = duration_of(value) if isinstance(value, str) else None
    length = None if duration is None else duration.microseconds
    if length is None:
        hint = "Write a length of time such as '10 seconds'."
        raise EngineError(bad_option("start", "interval", str(value), hint))
    return f"{round(length / 1_000)} milliseconds"


def seconds_of(timeout: object) -> float | None:
    """How long to wait, in seconds; None is without limit. Raises EngineError."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0:
        hint = "Write a number of seconds, or None to wait for ever."
        raise EngineError(bad_option("await_termination", "timeout", str(timeout), hint))
    return float(timeout)


def bytes_of(value: object, name: str) -> int | None:
    """A number of bytes, or a text such as '2 GiB'; raises EngineError."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    parsed = _BYTES.fullmatch(value.strip()) if isinstance(value, str) else None
    power = 0 if parsed is None else " kmgt".index(parsed[2].lower() or " ")
    size = 0 if parsed is None else int(float(parsed[1]) * 1024**power)
    if size < 1:
        hint = "Write a number of bytes, or a text such as '512 MiB' or '2 GiB'."
        raise EngineError(bad_option("connect", name, str(value), hint))
    return size


def sinks_of(sinks: Sequence[object]) -> tuple[Sink, ...]:
    """The sinks, each checked, with its mode; raises EngineError."""
    return tuple(map(_sink, sinks))


def _sink(value: Any) -> Sink:
    takes = all(callable(getattr(value, name, None)) for name in ("prepare", "put", "replace"))
    if isinstance(value, type) or not takes or not hasattr(value, "mode"):
        raise EngineError(not_a_sink(value))
    if value.mode is not None and value.mode not in MODES:
        raise EngineError(wrong_mode("an answer", str(value.mode), " or ".join(MODES)))
    sink: Sink = value
    return sink


def no_instant(value: object, clock: Clock) -> Diagnostic:
    moment = "'2024-02-29 12:00:00'"
    hint = None
    if not clock.calendar:
        hint = "Time is an integer here: pass a whole number."
    elif isinstance(value, str | datetime) and not clock.zoned:
        hint = f"Pass it without a zone, as in the data: {moment}."
    return problems.NO_INSTANT.at(value=value, hint=hint)


def flag_of(value: object, name: str) -> bool:
    """A bool, and no other value that is merely true or false; raises EngineError."""
    if not isinstance(value, bool):
        raise EngineError(bad_option("start", name, str(value), "Write True or False."))
    return value


def from_beginning_of(value: object, allow_changes: bool) -> bool:
    """Whether queries that are added answer from the beginning on; raises EngineError."""
    if value not in ADDED_FROM:
        raise EngineError(bad_option("start", "added_from", str(value), "Choose now or beginning."))
    if value == "beginning" and not allow_changes:
        hint = "It is about queries that are added: pass allow_changes=True, too."
        raise EngineError(bad_option("start", "added_from", str(value), hint))
    return value == "beginning"


def args_of(args: object) -> Mapping[str, Any]:
    """The values of parameters by their names; raises EngineError."""
    if args is None:
        return {}
    if not isinstance(args, Mapping) or not all(isinstance(name, str) for name in args):
        hint = 'Pass the values by name: args={"n": 5} for :n.'
        raise EngineError(bad_option("query", "args", str(args), hint))
    return args


def order_of(name: object, function: object) -> Order:
    """The order of a user; raises EngineError for a name or a function that it cannot have."""
    if not isinstance(name, str) or not name.isidentifier():
        hint = "Choose a name of letters, digits and underscores, such as same_letters."
        raise EngineError(bad_option("register_order", "name", str(name), hint))
    if name.lower() in ORDERS:
        hint = f"Choose a name other than {', '.join(ORDERS)}."
        raise EngineError(bad_option("register_order", "name", str(name), hint))
    path = path_of(function) if callable(function) else None
    if path is None:
        shown = getattr(function, "__qualname__", str(function))
        hint = "Pass a function that is defined at the top of a module, where the workers can import it."
        raise EngineError(bad_option("register_order", "function", shown, hint))
    if not _takes_pairs(function):
        hint = "Pass a function of four columns: def order(r, s, other_r, other_s)."
        shown = getattr(function, "__qualname__", str(function))
        raise EngineError(bad_option("register_order", "function", shown, hint))
    return Order(name.lower(), path)


def _takes_pairs(function: Any) -> bool:
    """Whether the function can be called with the values of two pairs, as far as Python can tell."""
    try:
        signature(function).bind(*range(_OF_TWO_PAIRS))
    except TypeError:
        return False
    except ValueError:  # a function of C without a signature
        return True
    return True


def not_a_sink(value: object) -> Diagnostic:
    hint = None
    if isinstance(value, str | PathLike):
        hint = f'Pass sw.Files("{value}") to write files there.'
    elif callable(value) and not isinstance(value, type):
        hint = "Pass sw.Callback(function) to call a function."
    return problems.NOT_A_SINK.at(value=value, sinks=SINKS, hint=hint)
