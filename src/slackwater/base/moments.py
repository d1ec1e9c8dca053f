"""Dates and timestamps as texts: `2026-01-31`, `2026-01-31 12:00:00.5+02:00`; without a zone they are UTC."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"([ T](?P<time>[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)"
    r"(?P<zone>Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)


def parse_date(text: str) -> date:
    """The date in a text; raises ValueError."""
    if not _DATE.fullmatch(text.strip()):
        raise ValueError("no date")
    return date.fromisoformat(text.strip())


def parse_timestamp(text: str) -> datetime:
    """The timestamp in a text, in UTC; raises ValueError."""
    match = _TIMESTAMP.fullmatch(text.strip())
    if not match:
        raise ValueError("no timestamp")
    naive = datetime.fromisoformat(f"{match['date']} {_padded(match['time'])}")
    return naive - _offset(match["zone"] or "Z")


def _padded(clock: str | None) -> str:
    """`fromisoformat` before Python 3.11 takes three or six digits of a second; we take any."""
    whole, dot, fraction = (clock or "00:00").partition(".")
    return whole + dot + fraction.ljust(6, "0") if dot else whole


def _offset(zone: str) -> timedelta:
    if zone == "Z":
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    away = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -away if zone.startswith("-") else away
