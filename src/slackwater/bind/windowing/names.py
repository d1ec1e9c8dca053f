"""The names of the windows of GROUP BY, and of their parts."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.bind.windowing import problems

FORMS = {
    "tumble": ("tumble", ("size",), 1),
    "hop": ("hop", ("step", "size"), 2),
    "cumulate": ("cumulate", ("step", "size"), 2),
    "session": ("session", ("gap",), 1),
    "window": ("hop", ("size", "step", "offset"), 1),
    "session_window": ("session", ("gap",), 1),
}
"""The windows of GROUP BY: each with the table function it is, its lengths, and how many are needed."""
PARTS = {"start": "start", "end": "end", "rowtime": "time", "proctime": "time"}
"""What TUMBLE_START and the like name of a window."""
WITH_PARTS = ("tumble", "hop", "session")
"""The windows that have such functions."""


def names_part(name: str) -> tuple[str, str] | None:
    """The window function and the part that TUMBLE_START and the like name."""
    function, _, part = name.lower().rpartition("_")
    return (function, PARTS[part]) if function in WITH_PARTS and part in PARTS else None


def misplaced(name: str, span: Span) -> Diagnostic | None:
    """What is wrong where a window of GROUP BY, or a part of one, is used as a value."""
    if (names := names_part(name)) is not None:
        return problems.NO_SUCH_WINDOW.at(span, function=name.upper(), group=names[0].upper())
    if name.lower() not in FORMS:
        return None
    is_part = name.lower() in WITH_PARTS
    start, end = (
        f"{name.upper()}_{part}(…)" if is_part else f"window.{part.lower()}" for part in ("START", "END")
    )
    return problems.NOT_GROUPED_BY.at(span, function=name, start=start, end=end)
