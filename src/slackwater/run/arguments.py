"""What users pass to queries, checked at once: instants, lengths of time, targets, folders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from operator import index
from os import PathLike
from typing import Any

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.time import INFINITY, Clock
from slackwater.run import problems
from slackwater.sinks.targets import MODES, Target, wrong_mode
from slackwater.sources.frame_errors import bad_option
from slackwater.sources.options import duration_of

Instant = int | str | date | datetime
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TARGETS = "sw.Files, sw.View, sw.Console, sw.Callback or sw.Memory"


def instant_of(given: Instant, clock: Clock) -> int:
    """An instant as a user writes it: a number, a date (its first instant), or a date and time."""
    found = _chronons(given, clock)
    if found is None or not -INFINITY <= found <= INFINITY:
        raise EngineError(no_instant(given, clock))
    return found


def _chronons(given: Any, clock: Clock) -> int | None:
    if not isinstance(given, bool) and hasattr(given, "__index__"):
        return None if clock.calendar else index(given)
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
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


def interval_of(given: object) -> str | None:
    """How often a query looks for rows, as Spark writes it; raises EngineError."""
    if given is None:
        return None
    duration = duration_of(given) if isinstance(given, str) else None
    length = None if duration is None else duration.microseconds
    if length is None:
        hint = "Write a length of time such as '10 seconds'."
        raise EngineError(bad_option("start", "interval", str(given), hint))
    return f"{round(length / 1_000)} milliseconds"


def seconds_of(timeout: object) -> float | None:
    """How long to wait: a number of seconds; None is for ever. Raises EngineError."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0:
        hint = "Write a number of seconds, or None to wait for ever."
        raise EngineError(bad_option("await_termination", "timeout", str(timeout), hint))
    return float(timeout)


def targets_of(given: Sequence[object]) -> tuple[Target, ...]:
    """The targets, each of which takes answers in a form there is; raises EngineError."""
    return tuple(map(_target, given))


def _target(given: Any) -> Target:
    takes = all(callable(getattr(given, name, None)) for name in ("prepare", "put", "replace"))
    if isinstance(given, type) or not takes or not hasattr(given, "mode"):
        raise EngineError(not_a_target(given))
    if given.mode is not None and given.mode not in MODES:
        raise EngineError(wrong_mode("an answer", str(given.mode), " or ".join(MODES)))
    target: Target = given
    return target


def no_instant(given: object, clock: Clock) -> Diagnostic:
    moment = "'2024-02-29 12:00:00'"
    hint = None
    if not clock.calendar:
        hint = "Time is a whole number here: write one."
    elif isinstance(given, str | datetime) and not clock.zoned:
        hint = f"Write it without a zone, as the data has it: {moment}."
    return problems.NO_INSTANT.at(given=given, hint=hint)


def flag_of(given: object, name: str) -> bool:
    """True or False, and nothing that merely counts as one; raises EngineError."""
    if not isinstance(given, bool):
        raise EngineError(bad_option("start", name, str(given), "Write True or False."))
    return given


def not_a_target(given: object) -> Diagnostic:
    hint = None
    if isinstance(given, str | PathLike):
        hint = f'Write sw.Files("{given}") to write files there.'
    elif callable(given) and not isinstance(given, type):
        hint = "Write sw.Callback(function) to have a function called."
    return problems.NOT_A_TARGET.at(given=given, targets=TARGETS, hint=hint)
