"""Automata of content models: order, cardinality and what is past (sections 3.2, 3.3).

States are numbers, 0 is the first; the number after the last is the state after the closing tag (⊙).
Character content is the symbol `TEXT`: in mixed content it is allowed in every state and changes none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

_T = TypeVar("_T")

TEXT = "#text"
ANYTHING = "*"
"""Stands in tables for all names that are not listed."""
START = 0


class Otherwise(dict[str, _T]):
    """Moves of a state that allows any name: all names that are not listed share one move."""

    def __init__(self, move: _T) -> None:
        super().__init__({ANYTHING: move})

    def __missing__(self, name: str) -> _T:
        return self[ANYTHING]


@dataclass(frozen=True)
class Automaton:
    """A deterministic automaton: `moves[state][name]` is the next state, KeyError where there is none."""

    moves: tuple[Mapping[str, int], ...]
    accepting: frozenset[int]
    last: tuple[str, ...]
    """q^#, the symbol that leads to each state; none leads to the first."""
    symbols: tuple[str, ...]
    mixed: bool = False

    @property
    def end(self) -> int:
        """The state after the closing tag."""
        return len(self.moves)

    def expected(self, state: int) -> tuple[str, ...]:
        """The names that may come next."""
        return tuple(name for name in self.moves[state] if name != ANYTHING)

    def may_end(self, state: int) -> bool:
        return state in self.accepting

    def may_come(self, state: int, name: str) -> bool:
        """The symbol can still occur after this state, which begins at the start tag of its last child."""
        return state != self.end and _holds(self._coming[state], name)

    def past(self, state: int, names: Iterable[str]) -> bool:
        """Past_ρ for all of `names` (definition 3.3.2): none is being read, and none can occur any more.

        The state that a child's start tag leads to is not past its name, even if no other can follow: a
        handler that waits for it fires when the child is complete, at the next tag (figure 3.1).
        """
        if state == self.end:
            return True
        last = self.last[state]
        return not any(_is(last, name) or self.may_come(state, name) for name in names)

    def past_table(self, names: Iterable[str]) -> tuple[bool, ...]:
        """PastTable_ρ,S: `past` of every state, including the one after the closing tag."""
        listed = tuple(names)
        return tuple(self.past(state, listed) for state in range(self.end + 1))

    def ordered(self, a: str, b: str) -> bool:
        """Ord_ρ(a, b): no word has an a after a b (definition 3.2.1); also true where either cannot occur.

        As computed in section 3.3 from Past_ρ: no symbol that occurs is ordered with itself, since while it
        is being read it is not past. `at_most_one` says whether there is a second.
        """
        return not self._follows(a, b) and (a != b or self.never(a))

    def _follows(self, a: str, b: str) -> bool:
        after = self._after
        return _holds(after.get(b, _NONE), a) or (b != TEXT and _holds(after.get(ANYTHING, _NONE), a))

    def never(self, a: str) -> bool:
        """a ∈ ‖ρ‖⁰: no word has an a."""
        return not self.may_come(START, a)

    def at_most_one(self, a: str) -> bool:
        """a ∈ ‖ρ‖^{≤1}: no word has an a after an a.

        The formula printed in section 3.3 requires *some* state with no a before or after it, which
        (b | (a, a)) fulfils; the definition requires that none follows any a.
        """
        return not self._follows(a, a)

    def at_least_one(self, a: str) -> bool:
        """Every word has an a."""
        return not self.possible(without=[a])

    def exactly_one(self, a: str) -> bool:
        """a ∈ ‖ρ‖^{=1}."""
        return self.at_most_one(a) and self.at_least_one(a)

    def possible(self, having: Iterable[str] = (), without: Iterable[str] = ()) -> bool:
        """L(ρ) ∩ ⋂ L(Σ*.a.Σ*) ∩ L((Σ∖without)*) ≠ ∅, with an a for each of `having` (section 3.6.1).

        TEXT is not counted: an element with mixed content may have none, and may have some.
        """
        required, excluded = frozenset(having), frozenset(without)
        if required & excluded:
            return False
        if TEXT in required and not self.mixed:
            return False
        return self._reaches(required - {TEXT}, excluded - {TEXT})

    def _reaches(self, required: frozenset[str], excluded: frozenset[str]) -> bool:
        seen = {(START, required)}
        waiting = [(START, required)]
        while waiting:
            state, missing = waiting.pop()
            if not missing and state in self.accepting:
                return True
            for name, to in self.moves[state].items():
                symbols = {name} if name != ANYTHING else {*(missing - set(self.moves[state])), name}
                for reached in {(to, missing - {symbol}) for symbol in symbols - excluded} - seen:
                    seen.add(reached)
                    waiting.append(reached)
        return False

    @cached_property
    def _useful(self) -> frozenset[int]:
        """The states from which a word can still be completed."""
        reached = self._closure({q: {q} & self.accepting for q in range(self.end)})
        return frozenset(q for q, ends in reached.items() if ends)

    @cached_property
    def _coming(self) -> tuple[frozenset[str], ...]:
        """Δ as symbols: what can still occur after each state on the way to an accepting one."""
        text = {TEXT} if self.mixed else set()
        steps = {
            q: {name for name, to in row.items() if to in self._useful} | text
            for q, row in enumerate(self.moves)
        }
        return tuple(frozenset(names) for names in self._closure(steps).values())

    def _closure(self, own: dict[int, set[_T]]) -> dict[int, set[_T]]:
        """The union of `own` over each state and all states that it reaches."""
        before: dict[int, set[int]] = {q: set() for q in own}
        for state, row in enumerate(self.moves):
            for to in row.values():
                before[to].add(state)
        waiting = list(own)
        while waiting:
            state = waiting.pop()
            for earlier in before[state]:
                if not own[state] <= own[earlier]:
                    own[earlier] |= own[state]
                    waiting.append(earlier)
        return own

    @cached_property
    def _after(self) -> dict[str, frozenset[str]]:
        """For each symbol, what can still occur after it: Ord_ρ as a table."""
        after: dict[str, set[str]] = {}
        for row in self.moves:
            for name, to in row.items():
                if to in self._useful:
                    after.setdefault(name, set()).update(self._coming[to])
        if self.mixed:
            after[TEXT] = set(self._coming[START])
        return {name: frozenset(names) for name, names in after.items()}


_NONE: frozenset[str] = frozenset()


def _holds(names: frozenset[str], name: str) -> bool:
    return name in names or (ANYTHING in names and name != TEXT)


def _is(symbol: str, name: str) -> bool:
    return symbol == name or (symbol == ANYTHING and name != TEXT)


NOTHING_KNOWN = Automaton((Otherwise(START),), frozenset({START}), ("",), (), mixed=True)
"""Any children in any order: the content of an element without a schema."""

ONE_OF_ANYTHING = Automaton((Otherwise(1), {}), frozenset({1}), ("", ANYTHING), ())
"""One child of any name: the content of a document without a schema."""
