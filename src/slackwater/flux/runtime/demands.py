"""Demands: what a query needs of an element, and the functions that run at its events."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

from slackwater.flux.values.tree import Name
from slackwater.schema import Automaton, Type

Attributes: TypeAlias = dict[str, str]
Enter: TypeAlias = Callable[[Attributes], Any]
Leave: TypeAlias = Callable[[str], Any]
Act: TypeAlias = Callable[[], Any]
Take: TypeAlias = Callable[[str], Any]


class Demand:
    """Something that a query needs of an element; demands with the same key are the same.

    `enter` and `leave` give the functions for its tags, `text` takes its character content, `children` gives
    the demands on a child. Demands enter in the order of their ranks. One that does not stay ends with the
    start tag. Where the `enter` of a gate returns True, the demands of its group are dropped for the element.
    """

    key: Hashable
    rank = 0
    stays = True
    gate = False
    group: Hashable = None
    whole = False
    """The whole content of the element is needed."""
    clock: object = None
    ticks = True
    """Of the demands that number nodes by one clock, the first one at a start tag advances it."""
    text: Take | None = None
    comment: Take | None = None
    instruction: Callable[[str, str], Any] | None = None
    interrupt: Act | None = None
    """Called where a text ends: at every tag and every comment in the element."""

    def enter(self, raw: str | None) -> Enter | None:
        """The function for the start tag of an element of this name; None is the document."""
        return None

    def leave(self, automaton: Automaton, state: int) -> Leave | None:
        """The function for the end tag, with the automaton in this state."""
        return None

    def release(self) -> Act | None:
        """The function that runs after those of the end tag."""
        return None

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        """The demands on a child of this name; the type is that of the element, not of the child."""
        return ()

    def between(
        self, automaton: Automaton, state: int, to: int, name: Name
    ) -> tuple[Sequence[Act], Sequence[Act]]:
        """The functions that run at the start tag and at the end tag of a child of this name."""
        return (), ()


def by_rank(demands: Iterable[Demand], *, leaving: bool = False) -> list[Demand]:
    """In the order of entering; among demands that write, the last to enter is the first to leave."""
    if leaving:
        return sorted(demands, key=lambda demand: demand.rank if demand.rank < 3 else 10 - demand.rank)
    return sorted(demands, key=lambda demand: demand.rank)
