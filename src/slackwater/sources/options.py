"""The options of a source, parsed: lengths in chronons, policies as words.

`language.options` lists the options; those of Spark's readers are passed on to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.base.diagnostic import EngineError
from slackwater.base.time import Clock, Duration, length_in
from slackwater.language.option_values import spark_value
from slackwater.language.options import OPTIONS
from slackwater.sources.frame_errors import bad_option
from slackwater.sources.zones import is_zone

COLUMNS = ("until", "sequence", "punctuation")
"""The options that name a column beside those of the rows."""
POLICIES = ("fail", "set aside")
ORDERS = ("time", "name", "modified")
_OURS = {option.name for option in OPTIONS if not option.formats} - {"timezone"}
"""Options that are not passed to the reader of a format."""


@dataclass(frozen=True, slots=True)
class Options:
    delay: int = 0
    """How many chronons a row may be out of order."""
    idle: float | None = None
    """After how many seconds without a row other sources no longer wait for this one."""
    max_ahead: float | None = None
    """How many seconds a row may be ahead of the clock."""
    until: str | None = None
    """The column with the end of a row."""
    sequence: str | None = None
    """The column that orders changes of one instant."""
    punctuation: str | None = None
    """The column that is true in rows that are watermarks: nothing earlier follows."""
    read_ahead: int | None = None
    """How many rows with later times may come before a row."""
    zone: str | None = None
    """The zone of times that have none of their own; None is UTC."""
    malformed: str = "fail"
    late: str = "set aside"
    order: str | None = None
    """What puts files in order: the times in them, their names, or when they were modified."""
    reader: Mapping[str, str] = field(default_factory=dict)


def options_of(name: str, options: Mapping[str, object], clock: Clock) -> Options:
    """The options of a source, parsed; raises EngineError."""
    settings = {key.lower(): str(value) for key, value in options.items() if value is not None}
    idle, ahead = settings.get("idle"), settings.get("max_ahead")
    return Options(
        delay=_chronons(name, "delay", settings["delay"], clock) if "delay" in settings else 0,
        idle=None if idle is None else _seconds(name, "idle", idle),
        max_ahead=None if ahead is None else _seconds(name, "max_ahead", ahead),
        until=settings.get("until"),
        sequence=settings.get("sequence"),
        punctuation=settings.get("punctuation"),
        read_ahead=_read_ahead(name, settings),
        zone=_zone(name, settings.get("timezone")),
        malformed=_policy(name, "malformed", settings.get("malformed", "fail")),
        late=_policy(name, "late", settings.get("late", "set aside")),
        order=_order(name, settings.get("order")),
        reader={
            key: spark_value(key, str(value))
            for key, value in options.items()
            if key.lower() not in _OURS and value is not None
        },
    )


def duration_of(text: str) -> Duration | None:
    """`5 seconds`, or a plain number of chronons."""
    length = length_in(text)
    return None if length is None else length.duration


def _chronons(name: str, option: str, text: str, clock: Clock) -> int:
    duration = duration_of(text)
    count = None if duration is None else clock.chronons(duration)
    # Beside timestamps a plain number would count microseconds, which is hardly ever meant.
    is_bare = duration is not None and duration.unit is None and clock.calendar
    if count is None or (is_bare and count):
        raise EngineError(
            bad_option(f'source "{name}"', option, text, "Write a length of time such as '5 seconds'.")
        )
    return count


def _seconds(name: str, option: str, text: str) -> float:
    duration = duration_of(text)
    if duration is None or duration.microseconds is None:
        raise EngineError(
            bad_option(f'source "{name}"', option, text, "Write a length of time such as '30 seconds'.")
        )
    return float(duration.microseconds / 1_000_000)


def _read_ahead(name: str, settings: Mapping[str, str]) -> int | None:
    """It is one of three ways to say how far rows are out of order."""
    text = settings.get("read_ahead")
    if text is None:
        return None
    other = next((option for option in ("delay", "punctuation") if option in settings), None)
    if not text.isdigit() or other is not None:
        hint = f"Remove it, or {other}." if other else "Write a whole number, 0 or greater."
        raise EngineError(bad_option(f'source "{name}"', "read_ahead", text, hint))
    return int(text)


def _zone(name: str, text: str | None) -> str | None:
    if text is not None and not is_zone(text):
        hint = "Write a time zone such as 'UTC', 'Europe/Berlin' or '+01:00'."
        raise EngineError(bad_option(f'source "{name}"', "timezone", text, hint))
    return text


def _policy(name: str, option: str, text: str) -> str:
    word = text.lower().replace("_", " ").replace("-", " ")
    if word not in POLICIES:
        raise EngineError(bad_option(f'source "{name}"', option, text, "Write 'fail' or 'set aside'."))
    return word


def _order(name: str, text: str | None) -> str | None:
    if text is not None and text.lower() not in ORDERS:
        raise EngineError(
            bad_option(f'source "{name}"', "order", text, "Write 'time', 'name' or 'modified'.")
        )
    return None if text is None else text.lower()
