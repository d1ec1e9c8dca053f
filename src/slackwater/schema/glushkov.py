"""The Glushkov automaton of a content model (section 3.3).

    ρ  = (a*, b, c*, (d | e*), a*)
    ρ' = (a₁*, b₂, c₃*, (d₄ | e₅*), a₆*)        a state for each position, and a start state

A content model is one-unambiguous when no two positions that can follow have the same symbol. Others are
determinized: for a DTD that is worth a warning, an XML Schema with counts is allowed to be ambiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeVar, assert_never

from slackwater.schema.automaton import Automaton
from slackwater.schema.content import Choice, Content, Interleave, Repeat, Sequence, Symbol, symbols

_State = TypeVar("_State", bound=Hashable)

_MOST_COPIES = 12
"""Counts above it are treated as unbounded: that enlarges the language, so every fact derived still holds."""
_MOST_INTERLEAVED = 6


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a marked expression: its first and last positions, and whether it may be empty."""

    nullable: bool
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


_EPSILON = _Part(True)


@dataclass(slots=True)
class Positions:
    """The marking ρ' of ρ: the symbol of each position and what may follow it. Position 0 is the start."""

    symbol: list[str] = field(default_factory=lambda: [""])
    follow: list[set[int]] = field(default_factory=lambda: [set()])
    last: frozenset[int] = frozenset()

    def read(self, content: Content) -> _Part:
        match content:
            case Symbol(name):
                return self._position(name)
            case Sequence(parts):
                return reduce(self._then, map(self.read, parts), _EPSILON)
            case Choice(parts):
                return _either(map(self.read, parts))
            case Repeat(part, low, high):
                return self._repeat(part, *_bounded(low, high))
            case Interleave(parts):
                return self.read(Repeat(Choice(parts), 0, None))
        assert_never(content)

    def _position(self, name: str) -> _Part:
        self.symbol.append(name)
        self.follow.append(set())
        here = frozenset({len(self.symbol) - 1})
        return _Part(False, here, here)

    def _then(self, one: _Part, two: _Part) -> _Part:
        for position in one.last:
            self.follow[position] |= two.first
        return _Part(
            one.nullable and two.nullable,
            one.first | two.first if one.nullable else one.first,
            one.last | two.last if two.nullable else two.last,
        )

    def _repeat(self, part: Content, low: int, high: int | None) -> _Part:
        """`low` copies, then `(x, (x, …)?)?` or, if unbounded, a loop on the last copy."""
        if high is None:
            copies = [self.read(part) for _ in range(max(low, 1))]
            whole = self._then(copies[-1], copies[-1])
            loop = _Part(whole.nullable or low == 0, whole.first, whole.last)
            return reduce(self._then, [*copies[:-1], loop], _EPSILON)
        must = reduce(self._then, [self.read(part) for _ in range(low)], _EPSILON)
        may = _EPSILON
        for copy in reversed([self.read(part) for _ in range(high - low)]):
            more = self._then(copy, may)
            may = _Part(True, more.first, more.last)
        return self._then(must, may)


def _bounded(low: int, high: int | None) -> tuple[int, int | None]:
    return min(low, _MOST_COPIES), None if high is not None and high > _MOST_COPIES else high


def _either(parts: Iterable[_Part]) -> _Part:
    nullable, first, last = False, set[int](), set[int]()
    for part in parts:
        nullable = nullable or part.nullable
        first |= part.first
        last |= part.last
    return _Part(nullable, frozenset(first), frozenset(last))


def marked(content: Content) -> Positions:
    positions = Positions()
    whole = positions.read(content)
    positions.follow[0] |= whole.first
    positions.last = whole.last | ({0} if whole.nullable else set())
    return positions


def ambiguity(content: Content) -> str | None:
    """A name that one symbol of lookahead cannot assign to a position; none if there is none."""
    positions = marked(content)
    for after in positions.follow:
        seen = set[str]()
        for name in [positions.symbol[position] for position in sorted(after)]:
            if name in seen:
                return name
            seen.add(name)
    return None


def automaton(content: Content, mixed: bool = False) -> Automaton:
    """The deterministic automaton of a content model; all positions of a state have one symbol."""
    if isinstance(content, Interleave) and len(content.parts) <= _MOST_INTERLEAVED:
        return _interleaved(content, mixed)
    positions = marked(content)
    begin = frozenset({0})

    def targets(state: frozenset[int]) -> dict[str, frozenset[int]]:
        positions_by_symbol: dict[str, set[int]] = {}
        for position in sorted({after for before in state for after in positions.follow[before]}):
            positions_by_symbol.setdefault(positions.symbol[position], set()).add(position)
        return {name: frozenset(to) for name, to in positions_by_symbol.items()}

    states, moves = _explored(begin, targets)
    accepting = frozenset(number for number, state in enumerate(states) if state & positions.last)
    last = tuple(positions.symbol[min(state)] for state in states)
    return Automaton(tuple(moves), accepting, last, symbols(content), mixed)


def _explored(
    begin: _State, targets: Callable[[_State], Mapping[str, _State]]
) -> tuple[list[_State], list[dict[str, int]]]:
    """All reachable states, numbered in the order of discovery, and the moves of each."""
    numbers = {begin: 0}
    states, moves = [begin], list[dict[str, int]]()
    for state in states:
        row: dict[str, int] = {}
        for name, to in targets(state).items():
            if to not in numbers:
                numbers[to] = len(states)
                states.append(to)
            row[name] = numbers[to]
        moves.append(row)
    return states, moves


def _interleaved(content: Interleave, mixed: bool) -> Automaton:
    """A state is the set of parts already seen, and the last of them."""
    bounds: list[tuple[str, int, int | None]] = []
    for part in content.parts:
        low, high = (part.low, part.high) if isinstance(part, Repeat) else (1, 1)
        bounds.append((symbols(part)[0], low, high))

    def targets(state: tuple[frozenset[str], str]) -> dict[str, tuple[frozenset[str], str]]:
        seen, _ = state
        return {
            name: (seen | {name}, name)
            for name, _, high in bounds
            if high != 0 and not (name in seen and high == 1)
        }

    states, moves = _explored((frozenset[str](), ""), targets)
    needed = {name for name, low, _ in bounds if low}
    accepting = frozenset(number for number, (seen, _) in enumerate(states) if needed <= seen)
    return Automaton(tuple(moves), accepting, tuple(last for _, last in states), symbols(content), mixed)
