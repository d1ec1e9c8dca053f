"""The tables of XQuery's LALR parser, from the file that was made with the package.

In a checkout the grammar may be newer than the file: then the tables are made again, in memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Rule:
    """What becomes of the symbols on a rule's right side."""

    origin: str
    size: int
    """How many symbols there are."""
    builds: str
    """The method that is given the parts; none where the rule above takes the parts as its own."""
    is_single: bool
    """Whether a part that is the only one stands for the whole."""
    parts: list[int | None]
    """Places of symbols; ~place where a symbol's parts are taken, None where an optional symbol is absent."""


@dataclass(frozen=True, slots=True)
class Tables:
    """What to do in a state when a symbol comes: go to a state, or reduce by rule ~number."""

    start: int
    rules: tuple[Rule, ...]
    actions: tuple[dict[str, int], ...]


@cache
def tables() -> Tables:
    grammar = (_HERE / "grammar.lark").read_text(encoding="utf-8")
    found = _kept(grammar) or _made(grammar)
    rules = tuple(Rule(*each) for each in found["rules"])
    return Tables(found["start"], rules, tuple(found["actions"]))


def _kept(grammar: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads((_HERE / "tables.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return found if found["grammar"] == grammar else None


def _made(grammar: str) -> dict[str, Any]:
    from slackwater.language.xquery.analyse import analysed  # Lark is not loaded without need

    return analysed(grammar)
