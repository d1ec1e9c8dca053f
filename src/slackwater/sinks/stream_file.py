"""Answers as the STREAM prototype writes them: `[time]:sign:v1, v2`.

Time goes forward; within an instant, removals come before additions, in the order of the values.
The elements of a stream all have the sign `+`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.sinks import problems
from slackwater.sinks.values import format_value

Row = tuple[Any, ...]


def lines(changes: Mapping[int, Mapping[Row, int]]) -> Iterator[str]:
    """One line for each copy that is added or removed."""
    for time in sorted(changes):
        bag = changes[time]
        for row in sorted(bag, key=lambda row: (bag[row] > 0, _order(row))):
            line = f"[{time}]:{'+' if bag[row] > 0 else '-'}:{', '.join(map(_shown, row))}"
            for _ in range(abs(bag[row])):
                yield line


def write(path: str | Path, changes: Mapping[int, Mapping[Row, int]]) -> int:
    """Write the lines to a file, in a new folder if needed; returns their count."""
    texts = list(lines(changes))
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("".join(f"{line}\n" for line in texts), encoding="utf-8", newline="\n")
    except (OSError, ValueError) as cause:
        raise EngineError(unwritable_file(str(path), cause)) from cause
    return len(texts)


def _shown(value: Any) -> str:
    return format_value(value, "{:g}".format)  # six digits, as C++ streams print them


def _order(row: Row) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(_value_order, row))


def _value_order(value: Any) -> tuple[Any, ...]:
    """NULL first; NaN, which no comparison orders, last."""
    if value is None:
        return (0,)
    if value != value:
        return (2,)
    return (1, _order(value) if isinstance(value, tuple) else value)


def unwritable_file(name: str, cause: Exception) -> Diagnostic:
    reason = (cause.strerror if isinstance(cause, OSError) else None) or str(cause)
    return problems.UNWRITABLE_FILE.at(name=name, why=reason[:1].upper() + reason[1:])
