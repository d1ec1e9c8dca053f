"""The machine that events drive: the demands on the elements of a document, as tables (section 3.7.1).

On every open element, and on its content, there are `Demand`s. A *spot* is a set of demands together with the
element's type in the schema; a *row* is a spot and a state of the type's automaton. For every child's name, a
row holds a move:

    row["title"] = (the row after it, the row inside it, function at its start, function after its end)

Rows and moves are made on first use and cached: a document of a million elements needs a few dozen of them,
and recursive elements and unknown schemas need no special treatment. An event costs one look-up in a table
and the calls of functions that were compiled before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from slackwater.base.diagnostic import Diagnostic
from slackwater.flux.runtime.actions import combined_text, composed, present, together, without_argument
from slackwater.flux.runtime.demands import Act, Attributes, Demand, Enter, Leave, Take, by_rank
from slackwater.flux.runtime.nodes import expat_name
from slackwater.flux.values.tree import Name
from slackwater.schema import Type
from slackwater.schema.schema import UNKNOWN
from slackwater.schema.validate import missing_element, unexpected_element

Move: TypeAlias = "tuple[Row, Row, Enter | None, Act | None]"
_MOST_MOVES = 4096
"""A row caches no more moves than this: a document may have any number of names."""


class Row(dict[str, "Move"]):
    """The moves from a spot and a state."""

    __slots__ = ("leave", "machine", "spot", "state")

    def __init__(self, machine: Machine, spot: Spot, state: int) -> None:
        super().__init__()
        self.machine = machine
        self.spot = spot
        self.state = state
        self.leave = spot.leave(state)

    def __missing__(self, name: str) -> Move:
        move = self.machine.move(self, name)
        if len(self) < _MOST_MOVES:
            self[name] = move
        return move


class Spot:
    """The demands on an element, and its type."""

    def __init__(self, machine: Machine, demands: tuple[Demand, ...], type: Type) -> None:
        self.machine = machine
        self.demands = demands
        self.type = type
        self.rows: dict[int, Row] = {}
        self.text = combined_text([demand.text for demand in demands])
        self.interrupts = [demand.interrupt for demand in demands if demand.interrupt is not None]
        self.comments = [demand.comment for demand in demands if demand.comment is not None]
        self.instructions = [demand.instruction for demand in demands if demand.instruction is not None]

    def row(self, state: int) -> Row:
        if state not in self.rows:
            self.rows[state] = Row(self.machine, self, state)
        return self.rows[state]

    def leave(self, state: int) -> Leave | None:
        automaton = self.type.automaton
        if self.demands and self.type.is_known and not automaton.may_end(state):
            return self._too_early(state)
        acts: list[Leave] = [without_argument(act) for act in self.interrupts]
        acts += present(demand.leave(automaton, state) for demand in by_rank(self.demands, leaving=True))
        acts += [without_argument(act) for act in present(demand.release() for demand in self.demands)]
        return composed(acts)

    def _too_early(self, state: int) -> Leave:
        def leave(raw: str) -> None:
            name = str(expat_name(raw)) if raw else "the document"
            raise self.machine.wrong(missing_element(self.type, state, name))

        return leave


class Machine:
    """Runs demands over the events of a document.

    `switch` sets the handler of text; `wrong` makes an error of a diagnostic at the current position.
    """

    def __init__(
        self, demands: Sequence[Demand], type: Type, prefixes: Mapping[str, str] | None = None
    ) -> None:
        self.prefixes = prefixes
        """Namespace -> the prefix that the schema's names have for it."""
        self.switch: Callable[[Take | None], Any] = _nowhere
        self.wrong: Callable[[Diagnostic], Exception] = _bare
        self.spots: dict[Hashable, Spot] = {}
        self.nothing = Spot(self, (), UNKNOWN)
        self.dead = _Dead(self)
        self.demands = demands
        self.type = type
        self.first = self.spot(demands, type)

    def spot(self, demands: Iterable[Demand], type: Type) -> Spot:
        """The spot of these demands, cached."""
        by_key = {demand.key: demand for demand in by_rank(demands) if demand.stays}
        if not by_key:
            return self.nothing
        key = (tuple(by_key), id(type))
        if key not in self.spots:
            self.spots[key] = Spot(self, tuple(by_key.values()), type)
        return self.spots[key]

    def begin(self) -> Row:
        """Enters the document: the row of its root."""
        enter = self.entering(self.demands, None, self.type, None)
        changed = enter({}) if enter is not None else None
        row: Row = changed if changed is not None else self.first.row(0)
        self.switch(row.spot.text)
        return row

    def move(self, row: Row, raw: str) -> Move:
        """The move for a child of this name."""
        spot, name = row.spot, self.name(raw)
        type, automaton = spot.type, spot.type.automaton
        if spot is self.nothing:
            return (self.dead, self.dead, None, None)
        qname = str(name) if self.prefixes is not None else _declared(name, type)
        try:
            to = automaton.moves[row.state][qname]
            if self.prefixes is None and name.uri and not name.prefix and type.is_known:
                raise KeyError(qname)
        except KeyError:
            diagnostic = unexpected_element(type, row.state, str(expat_name(raw)), type.name)
            raise self.wrong(self._with_namespace_hint(name, diagnostic)) from None
        child = type.child(qname) or UNKNOWN
        inner = [child_demand for demand in spot.demands for child_demand in demand.children(name, type)]
        before: list[Act] = [*spot.interrupts]
        after: list[Act] = []
        for demand in spot.demands:
            early, late = demand.between(automaton, row.state, to, name)
            before += early
            after += late
        inside = self.spot(inner, child)
        entering = self.entering(inner, raw, child, spot.text)
        enter = composed([*map(without_argument, before), *present([entering])])
        gated = any(demand.gate for demand in inner)
        if gated or inside.text is not spot.text:
            after.append(_switching(self, spot.text))
        start = inside.row(0) if inside is not self.nothing else self.dead
        return (spot.row(to), start, enter, together(after))

    def name(self, raw: str) -> Name:
        return with_schema_prefix(expat_name(raw), self.prefixes)

    def _with_namespace_hint(self, name: Name, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic of an unexpected element, with a hint where its namespace may be the reason."""
        if self.prefixes is None:
            if not name.uri or name.prefix:
                return diagnostic
            hint = f'It is in namespace "{name.uri}", and the DTD declares no attribute "xmlns".'
            return replace(diagnostic, hint=hint)
        if name.uri in self.prefixes:
            return diagnostic
        its = f'in namespace "{name.uri}"' if name.uri else "in no namespace"
        known = " or ".join(f'"{uri}"' if uri else "none" for uri in sorted(self.prefixes))
        return replace(diagnostic, hint=f"It is {its}; the schema's elements are in {known}.")

    def entering(
        self, demands: Iterable[Demand], raw: str | None, type: Type, text: Take | None
    ) -> Enter | None:
        """The function for a start tag, which also sets the handler of text."""
        ordered = list({demand.key: demand for demand in by_rank(demands)}.values())
        clocks: set[int] = set()
        for demand in ordered:
            demand.ticks = id(demand.clock) not in clocks
            clocks.add(id(demand.clock))
        acts = [(demand, enter) for demand in ordered if (enter := demand.enter(raw)) is not None]
        if any(demand.gate for demand, _ in acts):
            return _Gated(self, ordered, acts, type).enter
        inside = self.spot(ordered, type)
        switch = [] if inside.text is text else [without_argument(_switching(self, inside.text))]
        return composed([*(enter for _, enter in acts), *switch])


def with_schema_prefix(name: Name, prefixes: Mapping[str, str] | None) -> Name:
    """The name of an element, with the prefix that a schema with namespaces has for it."""
    if prefixes is None:
        return name
    prefix = prefixes.get(name.uri, "?")
    return name if prefix == name.prefix else Name(name.local, name.uri, prefix)


class _Dead(Row):
    """The row without demands: every child leads back to it."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, machine.nothing, 0)


class _Gated:
    """A start tag at which gates decide which demands remain."""

    def __init__(
        self, machine: Machine, demands: list[Demand], acts: list[tuple[Demand, Enter]], type: Type
    ) -> None:
        self.machine = machine
        self.demands = demands
        self.type = type
        groups = {demand.group: 1 << bit for bit, demand in enumerate(demands) if demand.gate}
        self.bits = [groups.get(demand.group, 0) if demand.group is not None else 0 for demand in demands]
        self.acts = [(enter, groups.get(demand.group, 0), demand.gate) for demand, enter in acts]
        self.rows: dict[int, Row] = {}

    def enter(self, attributes: Attributes) -> Row:
        dropped = 0
        for act, bit, is_gate in self.acts:
            if dropped & bit:
                continue
            if act(attributes) and is_gate:
                dropped |= bit
        row = self.rows.get(dropped)
        if row is None:
            row = self.rows[dropped] = self._without(dropped)
        self.machine.switch(row.spot.text)
        return row

    def _without(self, dropped: int) -> Row:
        left = [demand for demand, bit in zip(self.demands, self.bits, strict=True) if not dropped & bit]
        spot = self.machine.spot(left, self.type)
        return spot.row(0) if spot is not self.machine.nothing else self.machine.dead


def _declared(name: Name, type: Type) -> str:
    """The name as a schema has it: DTDs have prefixes, XML Schema local names."""
    qname = str(name)
    return qname if not name.prefix or qname in type.names else name.local


def _switching(machine: Machine, text: Take | None) -> Act:
    return lambda: machine.switch(text)


def _nowhere(take: Take | None) -> None:
    """Ignores the handler: no document is being read."""


def _bare(diagnostic: Diagnostic) -> Exception:
    return RuntimeError(diagnostic.message)
