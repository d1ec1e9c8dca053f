"""The differences between a start and the checkpoint that it resumes from, as error texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slackwater.base.diagnostic import Diagnostic, EngineError, quoted
from slackwater.physical.description.expressions import SCHEMA
from slackwater.run.checkpoint import problems
from slackwater.storage.location import Location

SourceData = Mapping[str, Any]
"""A source as a checkpoint has it: its kind, columns and key, and whether its rows are changes."""


def refuse_other_sources(
    folder: Location, stored: Mapping[str, SourceData], declared: Mapping[str, SourceData]
) -> None:
    """Raise EngineError where sources of the checkpoint are not declared now, or otherwise."""
    mistakes: list[Diagnostic] = []
    where = str(folder)
    for name, before in stored.items():
        kind = before["kind"]
        if name not in declared:
            mistakes.append(problems.NO_SOURCE.at(where=where, kind=kind, name=name))
        elif declared[name] != before:
            what = difference(before, declared[name])
            mistakes.append(problems.OTHER_SOURCE.at(where=where, kind=kind, name=name, what=what))
    if mistakes:
        raise EngineError(mistakes)


def difference(before: SourceData, now: SourceData) -> str:
    """The first thing in which two descriptions of a source differ, in words."""
    if before["kind"] != now["kind"]:
        return f"It was a {before['kind']}, and is a {now['kind']}"
    old, new = (dict(SCHEMA.read(source["columns"])) for source in (before, now))
    for name in [*old, *new]:
        if name not in new:
            return f'Column "{name}" is missing'
        if name not in old:
            return f'Column "{name}" is new'
        if old[name] != new[name]:
            return f'Column "{name}" was {old[name]}, and is {new[name]}'
    if list(old) != list(new):
        return "Its columns are in another order"
    if before["key"] != now["key"]:
        keys = [", ".join(source["key"]) or "none" for source in (before, now)]
        return f"Its key was {keys[0]}, and is {keys[1]}"
    return (
        "Its rows were changes, and are not" if before["changelog"] else "Its rows are changes, and were not"
    )


def other_queries(folder: Location, added: Sequence[str], removed: Sequence[str]) -> Diagnostic:
    """The queries differ, and `allow_changes` is not set."""
    parts = [
        f"query {quoted(names)} is {how}" if len(names) == 1 else f"queries {quoted(names)} are {how}"
        for names, how in ((added, "new"), (removed, "missing"))
        if names
    ]
    whole = ", ".join(parts)
    return problems.OTHER_QUERIES.at(where=str(folder), differing=whole[:1].upper() + whole[1:])


def brief(text: str) -> str:
    """The beginning of a query's text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"
