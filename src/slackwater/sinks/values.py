"""Values as text: numbers in full, NULL and booleans as words, instants in UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any


def format_value(value: Any, number: Callable[[float], str] = repr) -> str:
    """The value as text, as a .cqt file has it. `number` writes doubles; by default they read back equal.

    >>> format_value(1234567.25), format_value(None), format_value([1, "a"]), format_value(b"ab")
    ('1234567.25', 'null', '[1, a]', '0x6162')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return number(value)
        case bytes():
            return f"0x{value.hex()}"
        case datetime() if value.tzinfo is not None:
            return f"{value.astimezone(UTC).replace(tzinfo=None)}Z"
        case tuple() | list():
            return f"[{', '.join(format_value(element, number) for element in value)}]"
        case dict():
            return f"{{{', '.join(format_value(member, number) for member in value.values())}}}"
    return str(value)
