"""An LALR parser: tokens -> nodes, by tables that say when to shift and when to reduce."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from slackwater.language.xquery.scan.tokens import Token
from slackwater.language.xquery.tables import Rule, Tables

Build = Callable[[str, list[Any], int, int], Any]
"""Builds the node of a rule: from its name, its parts, and its start and end in the text."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol of the grammar on the stack: the node built of it, and its place in the text."""

    value: Any
    start: int
    end: int


class UnexpectedToken(Exception):
    """A token that cannot follow those before it; `accepted` are the kinds that can."""

    def __init__(self, token: Token, accepted: set[str]) -> None:
        super().__init__(token)
        self.token = token
        self.accepted = accepted


def parse_tokens(tokens: Iterable[Token], tables: Tables, build: Build) -> Any:
    """The node of a whole text; the last token is the one of kind END."""
    parsing = Parsing(tables, build)
    for token in tokens:
        parsing.take(token)
    return parsing.symbols[0].value


class Parsing:
    """The state of a parse: a stack of symbols, and the stack of states."""

    def __init__(self, tables: Tables, build: Build) -> None:
        self.tables = tables
        self.build = build
        self.states = [tables.start]
        self.symbols: list[Symbol] = []

    def take(self, token: Token) -> None:
        """Reduce everything that ends before the token, then shift it."""
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
        """Pop the states of the rule's symbols and push the state after the whole rule."""
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
        """Whether a token of the kind can follow: a state may list one that fails after a reduction."""
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
