"""Tokens -> what is built of them, by an LALR parser: tables say when to go on and when to reduce."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from slackwater.language.xquery.tables import Rule, Tables
from slackwater.language.xquery.tokens import Token

Build = Callable[[str, list[Any], int, int], Any]
"""Gives what a rule stands for: from its name, its parts, and where it begins and ends in the text."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol of the grammar that was read: what it became, and where it stands."""

    value: Any
    start: int
    end: int


class UnexpectedToken(Exception):
    """A token that cannot follow those before it; `accepted` are the kinds that can."""

    def __init__(self, token: Token, accepted: set[str]) -> None:
        super().__init__(token)
        self.token = token
        self.accepted = accepted


def parsed(tokens: Iterable[Token], tables: Tables, build: Build) -> Any:
    """What the tokens of a text, the one of its end included, are built to."""
    parsing = Parsing(tables, build)
    for token in tokens:
        parsing.take(token)
    return parsing.symbols[0].value


class Parsing:
    """How far a parse has come: the symbols read, and the states that they led through."""

    def __init__(self, tables: Tables, build: Build) -> None:
        self.tables = tables
        self.build = build
        self.states = [tables.start]
        self.symbols: list[Symbol] = []

    def take(self, token: Token) -> None:
        """Reduce all that ends before a token, then go on with it."""
        while (action := self._action(self.states, token.kind)) is not None:
            if action >= 0:
                self.states.append(action)
                self.symbols.append(Symbol(token, token.start, token.end))
                return
            rule = self.tables.rules[~action]
            self._leave(self.states, rule)
            self._reduce(rule)
        raise UnexpectedToken(token, self._accepted())

    def _action(self, states: list[int], kind: str) -> int | None:
        return self.tables.actions[states[-1]].get(kind)

    def _leave(self, states: list[int], rule: Rule) -> None:
        """Back to where the rule began, and on to where the whole of it leads."""
        del states[-rule.size :]
        states.append(self.tables.actions[states[-1]][rule.origin])

    def _reduce(self, rule: Rule) -> None:
        symbols = self.symbols[-rule.size :]
        del self.symbols[-rule.size :]
        start, end = symbols[0].start, symbols[-1].end
        parts = _parts(rule, symbols)
        if rule.is_single and len(parts) == 1:
            value = parts[0]
        else:
            value = self.build(rule.builds, parts, start, end) if rule.builds else parts
        self.symbols.append(Symbol(value, start, end))

    def _accepted(self) -> set[str]:
        kinds = [kind for kind in self.tables.actions[self.states[-1]] if kind.isupper()]
        return {kind for kind in kinds if self._takes(kind)}

    def _takes(self, kind: str) -> bool:
        """Whether a token of the kind could follow. A state may wait for one that fits no state before it."""
        states = self.states.copy()
        while (action := self._action(states, kind)) is not None:
            if action >= 0:
                return True
            self._leave(states, self.tables.rules[~action])
        return False


def _parts(rule: Rule, symbols: list[Symbol]) -> list[Any]:
    parts: list[Any] = []
    for place in rule.parts:
        if place is None:
            parts.append(None)
        elif place >= 0:
            parts.append(symbols[place].value)
        else:
            parts += symbols[~place].value
    return parts
