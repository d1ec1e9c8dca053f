"""The report on a case: one line when it passes, the differences when it does not.

✗ a time window forgets by the clock
  at 4 (windows.cqt:12), reference, all at once
             | symbol | price
  missing    | B      | 30
  unexpected | B      | 31
"""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.base.diagnostic import render
from slackwater.sinks.values import format_value
from slackwater.testing.compare import Difference
from slackwater.testing.runner import Failure, Outcome

MOST_ROWS = 20


def report(outcome: Outcome) -> str:
    """The lines about one case."""
    mark = "✓" if outcome.passed else "✗"
    lines = [f"{mark} {outcome.case.name}"]
    for failure in outcome.failures:
        lines += _failure(failure)
    text = "\n".join(f"  {line}".rstrip() if at else line for at, line in enumerate(lines))
    return "\n\n".join([text, *map(render, outcome.mistakes)]) + ("\n" if outcome.mistakes else "")


def _failure(failure: Failure) -> Iterator[str]:
    span = failure.check.span
    way = f", {failure.way.engine}, {failure.way.cuts}" if failure.way else ""
    yield f"{span.content} ({span.text.name}:{span.line}){way}"
    yield from failure.reason.split("\n") if failure.reason else ()
    if failure.differences:
        yield from _aligned(_rows(failure))
    if len(failure.differences) > MOST_ROWS:
        yield f"… and {len(failure.differences) - MOST_ROWS} more"


def _rows(failure: Failure) -> Iterator[list[str]]:
    timed = failure.check.kind != "at"
    signed = failure.check.kind in ("changes", "tagged")
    yield ["", *["time"] * timed, *["op"] * signed, *failure.names]
    for difference in failure.differences[:MOST_ROWS]:
        yield [
            _kind(difference),
            *[str(difference.instant)] * timed,
            *[difference.op] * signed,
            *map(format_value, difference.row),
        ]


def _kind(difference: Difference) -> str:
    word = "missing" if difference.copies > 0 else "unexpected"
    return word if abs(difference.copies) == 1 else f"{word} × {abs(difference.copies)}"


def _aligned(rows: Iterator[list[str]]) -> list[str]:
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
