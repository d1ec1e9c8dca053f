"""Times read and written by formats, in plain Python."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from slackwater.algebra.expressions.time_formats import DAYS, MONTHS, Field, parts


def shown(moment: datetime, format_: str) -> str:
    """The time in the format."""
    return "".join(_field(part, moment) if isinstance(part, Field) else part for part in parts(format_))


def _field(field: Field, moment: datetime) -> str:
    count = field.count
    match field.letter:
        case "y" | "u":
            return f"{moment.year % 100:02d}" if count == 2 else f"{moment.year:0{count}d}"
        case "M" | "L":
            name = MONTHS[moment.month - 1]
            return f"{moment.month:0{count}d}" if count < 3 else name[:3] if count == 3 else name
        case "E":
            name = DAYS[moment.weekday()]
            return name[:3] if count < 4 else name
        case "Q" | "q":
            quarter = (moment.month + 2) // 3
            return f"{quarter:0{count}d}" if count < 3 else f"Q{quarter}"
        case "a":
            return "AM" if moment.hour < 12 else "PM"
        case "S":
            return f"{moment.microsecond:06d}000"[:count]
    return f"{_number(field.letter, moment):0{count}d}"


def _number(letter: str, moment: datetime) -> int:
    numbers = {
        "d": moment.day,
        "D": moment.timetuple().tm_yday,
        "H": moment.hour,
        "k": moment.hour or 24,
        "K": moment.hour % 12,
        "h": moment.hour % 12 or 12,
        "m": moment.minute,
        "s": moment.second,
    }
    return numbers[letter]


def parsed(text: str, format_: str) -> datetime | None:
    """The time that the text has in the format; None if it is not in the format, or there is no such time."""
    fields = [part for part in parts(format_) if isinstance(part, Field)]
    pattern = "".join(
        _pattern(part) if isinstance(part, Field) else re.escape(part) for part in parts(format_)
    )
    match = re.fullmatch(pattern, text, re.ASCII | re.IGNORECASE)
    if match is None:
        return None
    values = {field.letter: _value(field, word) for field, word in zip(fields, match.groups(), strict=True)}
    half = values.get("h", 12)
    if not 1 <= half <= 12:
        return None
    hour = values.get("H", half % 12 + 12 * values.get("a", 0))
    year = values.get("y", values.get("u", 1970))
    month = values.get("M", values.get("L", 1))
    try:
        moment = datetime(year, month, values.get("d", 1), hour, values.get("m", 0), values.get("s", 0))
    except (ValueError, OverflowError):
        return None
    return moment + timedelta(microseconds=values.get("S", 0))


def _pattern(field: Field) -> str:
    match field.letter:
        case "a":
            return "(AM|PM)"
        case "S":
            return f"([0-9]{{1,{field.count}}})"
        case "M" | "L" if field.count > 2:
            return f"({'|'.join(name[:3] if field.count == 3 else name for name in MONTHS)})"
    return f"([0-9]{{{field.count}}})" if field.count > 1 else "([0-9]{1,19})"


def _value(field: Field, word: str) -> int:
    match field.letter:
        case "a":
            return int(word.upper() == "PM")
        case "S":
            return int(word.ljust(9, "0")[:6])
        case "M" | "L" if field.count > 2:
            return [name[:3].upper() for name in MONTHS].index(word[:3].upper()) + 1
        case "y" | "u" if field.count == 2:
            return 2000 + int(word)
    return int(word)
