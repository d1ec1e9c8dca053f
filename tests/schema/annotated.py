"""Automata whose transitions carry the on-first-past events that they fire (section 3.7.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from slackwater.schema.automaton import ANYTHING, START, Automaton, Otherwise


@dataclass(frozen=True, slots=True)
class Annotated:
    """Bit i stands for the i-th set of names.

    `first` fires before any child; `moves[q][name]` is the next state and the bits that become past by it;
    `end[q]` are the bits still to fire at the closing tag.
    """

    first: int
    moves: tuple[Mapping[str, tuple[int, int]], ...]
    end: tuple[int, ...]


def annotated(automaton: Automaton, sets: Sequence[Iterable[str]]) -> Annotated:
    """For every transition the sets that become past by it: first-past_ρ,S as bits."""
    tables = [automaton.past_table(names) for names in sets]
    past = [
        sum(1 << bit for bit, table in enumerate(tables) if table[state])
        for state in range(automaton.end + 1)
    ]
    moves = [_transitions(row, past, before) for row, before in zip(automaton.moves, past, strict=False)]
    everything = past[automaton.end]
    return Annotated(past[START], tuple(moves), tuple(everything & ~bits for bits in past[: automaton.end]))


def _transitions(row: Mapping[str, int], past: Sequence[int], before: int) -> Mapping[str, tuple[int, int]]:
    if isinstance(row, Otherwise):
        to = row[ANYTHING]
        return Otherwise((to, past[to] & ~before))
    return {name: (to, past[to] & ~before) for name, to in row.items()}
