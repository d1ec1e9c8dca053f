"""The tables of XQuery's LALR parser, from the file that was generated with the package.

In a checkout the grammar may be newer than the file: then the tables are generated again, in memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_HERE = files(__package__)
"""May be inside a zip."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a reduction does with the symbols on a rule's right side."""

    origin: str
    size: int
    """How many symbols there are."""
    builds: str
    """The method that builds the node from the parts; empty where the enclosing rule takes the parts."""
    is_single: bool
    """Whether a single part replaces the whole."""
    parts: list[int | None]
    """Indexes of symbols; ~index where the symbol's own parts are spliced in, None where it is absent."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The action of each state for each symbol: go to a state, or reduce by rule ~number."""

    start: int
    rules: tuple[Rule, ...]
    actions: tuple[dict[str, int], ...]


@cache
def tables() -> Tables:
    grammar = (_HERE / "grammar.lark").read_text(encoding="utf-8")
    data = _load(grammar) or _generate(grammar)
    rules = tuple(Rule(*rule) for rule in data["rules"])
    return Tables(data["start"], rules, tuple(data["actions"]))


def _load(grammar: str) -> dict[str, Any] | None:
    try:
        data: dict[str, Any] = json.loads((_HERE / "tables.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return data if data["grammar"] == grammar else None


def _generate(grammar: str) -> dict[str, Any]:
    from slackwater.language.xquery.analyse import make_tables  # Lark is slow to import

    return make_tables(grammar)
