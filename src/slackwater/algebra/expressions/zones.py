"""Time zones by their names of the IANA, or as offsets: 'Europe/Berlin', 'UTC', '+02:00'."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

_OFFSET = re.compile(r"([+-])(\d\d?):(\d\d)")


@lru_cache(maxsize=256)
def zone(name: str) -> tzinfo | None:
    """The time zone of that name; None if there is none."""
    offset = _OFFSET.fullmatch(name)
    if offset:
        length = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        is_one = length <= timedelta(hours=18) and int(offset[3]) < 60
        return timezone(-length if offset[1] == "-" else length) if is_one else None
    return ZoneInfo(name) if name in available_timezones() else None
