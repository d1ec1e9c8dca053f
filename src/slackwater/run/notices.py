"""Warnings of a run: rows that were set aside, files that changed after they were read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.run.input.aside import LATE, MALFORMED


class DataWarning(UserWarning):
    """An answer does not include all of the data."""


@dataclass(slots=True)
class Notices:
    """Findings of a run, by subject; each is a warning once, and once more at the end if it grew."""

    texts: dict[str, str] = field(default_factory=dict)
    warned: dict[str, str] = field(default_factory=dict)

    def count(self, kind: str, source: str, count: int, seen: str | None = None) -> None:
        """Note how many rows were set aside."""
        if count:
            row, were = ("row", "was") if count == 1 else ("rows", "were")
            why = f": rows up to {seen} had been read; increase delay to include late rows" if seen else ""
            self.texts[f"{kind} {source}"] = f'{count:,} {kind} {row} of "{source}" {were} set aside{why}'

    def warn(self, *, is_over: bool, stacklevel: int = 3) -> None:
        for about, text in list(self.texts.items()):
            if about not in self.warned or (is_over and self.warned[about] != text):
                self.warned[about] = text
                warnings.warn(text, DataWarning, stacklevel=stacklevel)


def by_arrival(source: str) -> str:
    """The notice on a relation without times in files that may grow in number."""
    return (
        f'"{source}" has no time column, and files may be added to it: each row is valid from when it is '
        "read, so it does not join with earlier rows of other sources; name its time column, or use a table "
        "that does not grow: one file, or a DataFrame"
    )


def by_the_clock(source: str) -> str:
    """The notice on a stream without times and with all its rows."""
    return (
        f'"{source}" has no time column: each row has the time when it is read, so it does not join with '
        "earlier rows of other sources; name its time column, or make it a relation, which is always valid"
    )


def count_all(
    notices: Notices,
    late: Mapping[str, int],
    malformed: Mapping[str, int],
    ahead: Mapping[str, int],
    seen: Mapping[str, str],
) -> Notices:
    """The notices with the rows that were set aside by now."""
    for source, count in late.items():
        notices.count(LATE, source, count, seen.get(source))
    for source, count in malformed.items():
        notices.count(MALFORMED, source, count)
    for source, count in ahead.items():
        notices.count("far ahead", source, count)
    return notices
