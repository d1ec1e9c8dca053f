"""The machine that events drive: what is wanted at each place of a document, as tables (section 3.7.1).

At every open element some things are wanted of it and of what is in it: `Demand`s. A *spot* is a set of
demands together with what the schema says of the element; a *row* is a spot and a state of the schema's
automaton. For every child's name, a row holds a move:

    row["title"] = (the row behind it, the row inside it, what to do at its start tag, what to do behind it)

Rows and moves are made when they are first met and kept, so a document of a million elements makes a few
dozen of them, and recursive elements or an unknown schema are nothing special. At an event there is one look
into a table and what it says to do: functions that were compiled before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from slackwater.base.diagnostic import Diagnostic
from slackwater.flux.runtime.nodes import expat_name
from slackwater.flux.values.tree import Name
from slackwater.schema import Automaton, Type
from slackwater.schema.schema import UNKNOWN
from slackwater.schema.validate import missing_element, unexpected_element

Attributes: TypeAlias = dict[str, str]
Enter: TypeAlias = Callable[[Attributes], Any]
Leave: TypeAlias = Callable[[str], Any]
Act: TypeAlias = Callable[[], Any]
Take: TypeAlias = Callable[[str], Any]
Move: TypeAlias = "tuple[Row, Row, Enter | None, Act | None]"
_MOST_MOVES = 4096
"""A row does not remember more names than this: a document may have any number of them."""


class Demand:
    """Something that is wanted of an element; demands with the same key are the same.

    `enter` and `leave` are what happens at its tags, `text` takes its character content, `children` says what
    is wanted of a child. What enters earlier has the lower rank. A demand that does not stay is over with the
    start tag. Where the `enter` of a gate gives True, the demands of its group are dropped for this element.
    """

    key: Hashable
    rank = 0
    stays = True
    gate = False
    group: Hashable = None
    whole = False
    """Everything in the element is wanted."""
    clock: object = None
    ticks = True
    """Of those that number nodes by one clock, the first one at a start tag moves it on."""
    text: Take | None = None
    comment: Take | None = None
    instruction: Callable[[str, str], Any] | None = None
    interrupt: Act | None = None
    """What happens where a text ends: at every tag and every comment in the element."""

    def enter(self, raw: str | None) -> Enter | None:
        """What happens at the start tag of an element of this name; None is the document."""
        return None

    def leave(self, automaton: Automaton, state: int) -> Leave | None:
        """What happens at the end tag, when the automaton is in this state."""
        return None

    def release(self) -> Act | None:
        """What happens when all that has to be done at the end tag is done."""
        return None

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        """What is wanted of a child of this name; the type is that of the element, not of the child."""
        return ()

    def between(
        self, automaton: Automaton, state: int, to: int, name: Name
    ) -> tuple[Sequence[Act], Sequence[Act]]:
        """What a child of this name brings about at its start tag and at its end tag."""
        return (), ()


class Row(dict[str, "Move"]):
    """The moves from a place and a state."""

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
    """What is wanted at a place, and what is known of it."""

    def __init__(self, machine: Machine, demands: tuple[Demand, ...], type: Type) -> None:
        self.machine = machine
        self.demands = demands
        self.type = type
        self.rows: dict[int, Row] = {}
        self.text = _taking([each.text for each in demands])
        self.interrupts = [each.interrupt for each in demands if each.interrupt is not None]
        self.comments = [each.comment for each in demands if each.comment is not None]
        self.instructions = [each.instruction for each in demands if each.instruction is not None]

    def row(self, state: int) -> Row:
        if state not in self.rows:
            self.rows[state] = Row(self.machine, self, state)
        return self.rows[state]

    def leave(self, state: int) -> Leave | None:
        automaton = self.type.automaton
        if self.demands and self.type.is_known and not automaton.may_end(state):
            return self._too_early(state)
        acts: list[Leave] = [_ignoring(each) for each in self.interrupts]
        acts += _present(each.leave(automaton, state) for each in _by_rank(self.demands, leaving=True))
        acts += [_ignoring(each) for each in _present(demand.release() for demand in self.demands)]
        return _composed(acts)

    def _too_early(self, state: int) -> Leave:
        def leave(raw: str) -> None:
            name = str(expat_name(raw)) if raw else "the document"
            raise self.machine.wrong(missing_element(self.type, state, name))

        return leave


class Machine:
    """Takes the events of a document and does what is wanted.

    `switch` sets the handler of text; `wrong` makes an error of a diagnostic at the place that is being read.
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
        """The spot of these demands, made once."""
        found = {each.key: each for each in _by_rank(demands) if each.stays}
        if not found:
            return self.nothing
        key = (tuple(found), id(type))
        if key not in self.spots:
            self.spots[key] = Spot(self, tuple(found.values()), type)
        return self.spots[key]

    def begin(self) -> Row:
        """The document begins."""
        enter = self.entering(self.demands, None, self.type, None)
        changed = enter({}) if enter is not None else None
        row: Row = changed if changed is not None else self.first.row(0)
        self.switch(row.spot.text)
        return row

    def move(self, row: Row, raw: str) -> Move:
        """What a child of this name means in a row."""
        spot, name = row.spot, self.name(raw)
        type, automaton = spot.type, spot.type.automaton
        if spot is self.nothing:
            return (self.dead, self.dead, None, None)
        written = str(name) if self.prefixes is not None else _declared(name, type)
        try:
            to = automaton.moves[row.state][written]
            if self.prefixes is None and name.uri and not name.prefix and type.is_known:
                raise KeyError(written)
        except KeyError:
            diagnostic = unexpected_element(type, row.state, str(expat_name(raw)), type.name)
            raise self.wrong(self._elsewhere(name, diagnostic)) from None
        child = type.child(written) or UNKNOWN
        inner = [each for demand in spot.demands for each in demand.children(name, type)]
        before: list[Act] = [*spot.interrupts]
        after: list[Act] = []
        for demand in spot.demands:
            early, late = demand.between(automaton, row.state, to, name)
            before += early
            after += late
        inside = self.spot(inner, child)
        entering = self.entering(inner, raw, child, spot.text)
        enter = _composed([*map(_ignoring, before), *_present([entering])])
        gated = any(each.gate for each in inner)
        if gated or inside.text is not spot.text:
            after.append(_switching(self, spot.text))
        start = inside.row(0) if inside is not self.nothing else self.dead
        return (spot.row(to), start, enter, _together(after))

    def name(self, raw: str) -> Name:
        return with_schema_prefix(expat_name(raw), self.prefixes)

    def _elsewhere(self, name: Name, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic of an element that cannot come, and what may be wrong: its namespace."""
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
        """What happens at the start tag, the handler of text included."""
        ordered = list({each.key: each for each in _by_rank(demands)}.values())
        clocks: set[int] = set()
        for each in ordered:
            each.ticks = id(each.clock) not in clocks
            clocks.add(id(each.clock))
        acts = [(demand, enter) for demand in ordered if (enter := demand.enter(raw)) is not None]
        if any(demand.gate for demand, _ in acts):
            return _Gated(self, ordered, acts, type).enter
        inside = self.spot(ordered, type)
        switch = [] if inside.text is text else [_ignoring(_switching(self, inside.text))]
        return _composed([*(enter for _, enter in acts), *switch])


def with_schema_prefix(name: Name, prefixes: Mapping[str, str] | None) -> Name:
    """The name of an element, with the prefix of a schema that knows namespaces."""
    if prefixes is None:
        return name
    prefix = prefixes.get(name.uri, "?")
    return name if prefix == name.prefix else Name(name.local, name.uri, prefix)


class _Dead(Row):
    """The row of what no query wants: every child leads back to it."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, machine.nothing, 0)


class _Gated:
    """A start tag that decides which demands hold."""

    def __init__(
        self, machine: Machine, demands: list[Demand], acts: list[tuple[Demand, Enter]], type: Type
    ) -> None:
        self.machine = machine
        self.demands = demands
        self.type = type
        groups = {each.group: 1 << bit for bit, each in enumerate(demands) if each.gate}
        self.bits = [groups.get(each.group, 0) if each.group is not None else 0 for each in demands]
        self.acts = [(enter, groups.get(each.group, 0), each.gate) for each, enter in acts]
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
        left = [each for each, bit in zip(self.demands, self.bits, strict=True) if not dropped & bit]
        spot = self.machine.spot(left, self.type)
        return spot.row(0) if spot is not self.machine.nothing else self.machine.dead


def _by_rank(demands: Iterable[Demand], *, leaving: bool = False) -> list[Demand]:
    """What enters last leaves first, among what writes; what is read is complete before."""
    if leaving:
        return sorted(demands, key=lambda each: each.rank if each.rank < 3 else 10 - each.rank)
    return sorted(demands, key=lambda each: each.rank)


def _declared(name: Name, type: Type) -> str:
    """The name as a schema has it: DTDs know prefixes, XML Schema local names."""
    written = str(name)
    return written if not name.prefix or written in type.names else name.local


def _present(acts: Iterable[Any]) -> list[Any]:
    return [each for each in acts if each is not None]


def _ignoring(act: Act) -> Callable[[Any], None]:
    def run(_: object) -> None:
        act()

    return run


def _switching(machine: Machine, text: Take | None) -> Act:
    return lambda: machine.switch(text)


def _composed(acts: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any] | None:
    """One function for several, which are called in their order; the last one's result counts."""
    match acts:
        case []:
            return None
        case [only]:
            return only
        case [first, second]:

            def both(given: Any) -> Any:
                first(given)
                return second(given)

            return both

    def run(given: Any) -> Any:
        result = None
        for act in acts:
            result = act(given)
        return result

    return run


def _together(acts: Sequence[Act]) -> Act | None:
    match acts:
        case []:
            return None
        case [only]:
            return only

    def run() -> None:
        for act in acts:
            act()

    return run


def _taking(takes: Iterable[Take | None]) -> Take | None:
    found = list(dict.fromkeys(each for each in takes if each is not None))
    if not found:
        return None
    return found[0] if len(found) == 1 else _Several(tuple(found))


class _Several:
    """Text that several demands take."""

    def __init__(self, takes: tuple[Take, ...]) -> None:
        self.takes = takes

    def __call__(self, text: str) -> None:
        for take in self.takes:
            take(text)


def _nowhere(take: Take | None) -> None:
    """Text goes nowhere as long as no document is read."""


def _bare(diagnostic: Diagnostic) -> Exception:
    return RuntimeError(diagnostic.message)
