"""Units of the calendar: the length of each, or how many months it has."""

from __future__ import annotations

from datetime import timedelta

LENGTHS = {
    "microsecond": timedelta(microseconds=1),
    "millisecond": timedelta(milliseconds=1),
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
