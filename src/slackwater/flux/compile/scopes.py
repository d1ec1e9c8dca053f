"""Scopes: the handlers of `ps $x` as demands on the element that $x is bound to (section 3.7.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from slackwater.flux.compile.buffers import fits
from slackwater.flux.compile.context import Making, Test
from slackwater.flux.plan import syntax as flux
from slackwater.flux.runtime.machine import Act, Attributes, Demand, Enter, Leave
from slackwater.flux.runtime.nodes import BufferedNode
from slackwater.flux.values.atomic import Untyped
from slackwater.flux.values.tree import Name
from slackwater.schema import TEXT, Automaton, Type
from slackwater.xml.events import BETWEEN

if TYPE_CHECKING:
    from slackwater.flux.compile.program import Program


class Begin(Demand):
    """A variable is bound anew: what belongs to its scope begins anew."""

    rank = -1
    stays = False

    def __init__(self, program: Program, variable: str) -> None:
        self.key = ("begin", id(program), variable)
        self.acts = program.begins(variable)

    def enter(self, raw: str | None) -> Enter | None:
        if not self.acts:
            return None
        acts = self.acts

        def enter(_: Attributes) -> None:
            for act in acts:
                act()

        return enter


class Waiting:
    """What fires once, when the children it waits for are past; `place` is that of its handler."""

    def __init__(self, place: int, past: flux.Past, reads: flux.Past, act: Act, making: Making) -> None:
        self.place = place
        self.past = past
        self.act = act
        self.tests = [fits(name, making) for name in past | reads]

    def is_ready(self, automaton: Automaton, state: int) -> bool:
        if self.past == flux.EVERYTHING:
            return False
        return not any(automaton.may_come(state, name) for name in self.past)

    def waits_for(self, name: Name) -> bool:
        """It waits for children of this name, or reads them."""
        return any(test(name) for test in self.tests)


class Scope(Demand):
    """The handlers of a scope.

    What waits fires in the order of the handlers, so how many have fired is a matter of the automaton's
    state: all that stand before the first one that is not ready.
    """

    rank = 3

    def __init__(self, body: flux.ProcessStream, program: Program) -> None:
        self.body = body
        self.program = program
        self.key = ("scope", id(program), body.variable)
        self.copies = [
            place for place, each in enumerate(body.handlers) if isinstance(each, flux.CopyThrough)
        ]
        self.ons: list[tuple[int, flux.On, Callable[[Name], bool]]] = []
        self.waiting: list[Waiting] = []
        self.paths: list[tuple[int, Any]] = []
        for place, handler in enumerate(body.handlers):
            self._add(place, handler)
        texts = [handler for _, handler, _ in self.ons if handler.name == TEXT]
        if texts:
            self._take_texts(texts)

    def _add(self, place: int, handler: flux.Handler) -> None:
        program = self.program
        match handler:
            case flux.On(name):
                self.ons.append((place, handler, fits(name, program.making)))
            case flux.OnFirst(past, query, reads):
                act = program.queries.compiled(query, program.making)
                self.waiting.append(Waiting(place, past, reads, act, program.making))
            case flux.OnWindow(path=path) | flux.OnEach(path=path):
                window = program.window(handler)
                first = frozenset({path[0].name})
                self.waiting.append(Waiting(place, first, first, window.finish, program.making))
                self.paths.append((place, window))
            case _:
                pass

    def fired(self, automaton: Automaton, state: int) -> int:
        """How many of those that wait have fired when the last child of this state has ended."""
        for number, each in enumerate(self.waiting):
            if not each.is_ready(automaton, state) or any(place < each.place for place in self.copies):
                return number
        return len(self.waiting)

    def enter(self, raw: str | None) -> Enter | None:
        ready = [each.act for each in self.waiting[: self.fired(self.body.type.automaton, 0)]]
        resets = [window.reset for _, window in self.paths]
        acts = [*resets, *ready]
        if not acts:
            return None

        def enter(_: Attributes) -> None:
            for act in acts:
                act()

        return enter

    def leave(self, automaton: Automaton, state: int) -> Leave | None:
        acts = [each.act for each in self.waiting[self.fired(automaton, state) :]]
        if not acts:
            return None

        def leave(_: str) -> None:
            for act in acts:
                act()

        return leave

    def between(
        self, automaton: Automaton, state: int, to: int, name: Name
    ) -> tuple[Sequence[Act], Sequence[Act]]:
        newly = self.waiting[self.fired(automaton, state) : self.fired(automaton, to)]
        for number, each in enumerate(newly):
            if each.waits_for(name) or self._is_read_before(each.place, name):
                return [act.act for act in newly[:number]], [act.act for act in newly[number:]]
        return [each.act for each in newly], ()

    def _is_read_before(self, place: int, name: Name) -> bool:
        """A handler that stands before this place reads children of this name."""
        return any(at < place and fitting(name) for at, _, fitting in self.ons) or any(
            at < place and window.steps[0](name) for at, window in self.paths
        )

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        for _, handler, fitting in self.ons:
            if handler.name != TEXT and fitting(name):
                yield from self.program.bound(handler)
        for _, window in self.paths:
            yield from window.children(0, name)

    # Text as children.

    def _take_texts(self, handlers: list[flux.On]) -> None:
        # A text that comes in pieces is one item.
        apart = self.program.writer.ending is not None
        if not apart and len(handlers) == 1 and self.program.only_copies(handlers[0]):
            self.text = self.program.writer.text
            return
        pieces: list[str] = []
        takes = [_text_scope(each, self.program) for each in handlers]
        self.text = pieces.append

        def ends() -> None:
            if pieces:
                text = "".join(pieces)
                pieces.clear()
                for take in takes:
                    take(text)

        self.interrupt = ends


def _text_scope(on: flux.On, program: Program) -> Callable[[str], None]:
    """A text is a node that begins and ends at once."""
    body = on.body
    begin = program.begins(on.variable)
    totals = program.totals_of(on.variable)
    acts = [_text_act(each, program) for each in body.handlers]
    env, slot = program.scope.env, program.scope.slots[on.variable].number
    reading = program.reading

    def take(text: str) -> None:
        for act in begin:
            act()
        reading.tick += 1
        node = BufferedNode("text", None, text)
        node.order = (reading.tree, reading.tick)
        env[slot] = node
        for total in totals:
            total.taken(Untyped(text))
        for write in acts:
            write(text)
        env[slot] = None

    return take


def _text_act(handler: flux.Handler, program: Program) -> Callable[[str], None]:
    match handler:
        case flux.OnFirst(_, query):
            act = program.queries.compiled(query, program.making)
            return lambda _: act()
        case flux.CopyThrough(condition):
            holds = program.test(condition)
            writer = program.writer

            def copy(text: str) -> None:
                if holds is None or holds():
                    writer.text(text)

            return copy
    # What waits for children of a text waits in vain.
    return lambda _: None


class Copy(Demand):
    """{$x} while $x is read; the condition is asked at its start tag."""

    rank = 4
    whole = True

    def __init__(
        self, variable: str, program: Program, holds: Test | None, *, inside: bool = False, group: Any = None
    ) -> None:
        self.key = ("copied" if inside else "copy", id(program), variable)
        self.inside = inside
        self.variable = variable
        self.program = program
        self.holds = holds
        self.gate = holds is not None
        self.group = group if group is not None else self.key if self.gate else None
        self.text = program.copy_text
        self.comment = program.copy_comment
        self.instruction = program.copy_instruction

    def enter(self, raw: str | None) -> Enter | None:
        holds = self.holds
        start = _copy_start(raw, self.program)
        if not self.inside and self.program.writer.ending is not None:
            start = _as_item(start, self.program)
        if holds is None:
            return start

        def enter(attributes: Attributes) -> bool:
            if not holds():
                return True
            start(attributes)
            return False

        return enter

    def leave(self, automaton: Automaton, state: int) -> Leave:
        apart = not self.inside and self.program.writer.ending is not None
        return _ending_item(self.program) if apart else self.program.copy_end

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        return (Copy(self.variable, self.program, None, inside=True),)


def _as_item(start: Enter, program: Program) -> Enter:
    """While it is copied, an item is open like an element of a constructor."""
    writer = program.writer

    def enter(attributes: Attributes) -> None:
        writer.item()
        start(attributes)
        writer.depth += 1

    return enter


def _ending_item(program: Program) -> Leave:
    writer, end = program.writer, program.copy_end

    def leave(raw: str) -> None:
        end(raw)
        writer.depth -= 1

    return leave


def _copy_start(raw: str | None, program: Program) -> Enter:
    if raw is None:
        return lambda _: None
    writer, reading, scopes = program.writer, program.reading, program.writer.scopes
    append = writer.pieces.append
    if BETWEEN in raw:
        return lambda attributes: writer.copy_start(raw, reading.namespaces, attributes)
    open_tag, closed_open_tag = f"<{raw}", f"><{raw}"

    def start(attributes: Attributes) -> None:
        if attributes or scopes or reading.namespaces:
            writer.copy_start(raw, reading.namespaces, attributes)
            return
        append(closed_open_tag if writer.open else open_tag)
        writer.open = True
        writer.attributes = None

    return start
