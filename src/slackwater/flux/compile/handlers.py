"""The handlers of `ps $x` as demands on the element that $x is bound to (section 3.7.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from slackwater.flux.compile.context import StaticContext
from slackwater.flux.compile.names import fits
from slackwater.flux.plan import syntax as flux
from slackwater.flux.runtime.demands import Act, Attributes, Demand, Enter, Leave
from slackwater.flux.runtime.nodes import BufferedNode
from slackwater.flux.values.atomic import Untyped
from slackwater.flux.values.tree import Name
from slackwater.schema import TEXT, Automaton, Type

if TYPE_CHECKING:
    from slackwater.flux.compile.program import Program


class Reset(Demand):
    """Resets what is in the scope of a variable whenever it is bound."""

    rank = -1
    stays = False

    def __init__(self, program: Program, variable: str) -> None:
        self.key = ("reset", id(program), variable)
        self.acts = program.resets_of(variable)

    def enter(self, raw: str | None) -> Enter | None:
        if not self.acts:
            return None
        acts = self.acts

        def enter(_: Attributes) -> None:
            for act in acts:
                act()

        return enter


class Waiting:
    """An action that fires once, when the children it waits for are past; `place` is that of its handler."""

    def __init__(
        self, place: int, past: flux.Past, reads: flux.Past, act: Act, static: StaticContext
    ) -> None:
        self.place = place
        self.past = past
        self.act = act
        self.tests = [fits(name, static) for name in past | reads]

    def is_ready(self, automaton: Automaton, state: int) -> bool:
        if self.past == flux.EVERYTHING:
            return False
        return not any(automaton.may_come(state, name) for name in self.past)

    def waits_for(self, name: Name) -> bool:
        """Whether it waits for children of this name, or reads them."""
        return any(test(name) for test in self.tests)


class Handlers(Demand):
    """The handlers of a scope.

    Waiting actions fire in the order of the handlers, so the automaton's state determines how many have
    fired: all before the first one that is not ready.
    """

    rank = 3

    def __init__(self, body: flux.ProcessStream, program: Program) -> None:
        self.body = body
        self.program = program
        self.key = ("handlers", id(program), body.variable)
        self.copies = [
            place for place, handler in enumerate(body.handlers) if isinstance(handler, flux.CopyThrough)
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
                self.ons.append((place, handler, fits(name, program.static)))
            case flux.OnFirst(past, query, reads):
                act = program.queries.compile(query, program.static)
                self.waiting.append(Waiting(place, past, reads, act, program.static))
            case flux.OnWindow(path=path) | flux.OnEach(path=path):
                window = program.window(handler)
                first = frozenset({path[0].name})
                self.waiting.append(Waiting(place, first, first, window.finish, program.static))
                self.paths.append((place, window))
            case _:
                pass

    def fired(self, automaton: Automaton, state: int) -> int:
        """How many waiting actions have fired when the child that led to this state has ended."""
        for number, waiting in enumerate(self.waiting):
            if not waiting.is_ready(automaton, state) or any(place < waiting.place for place in self.copies):
                return number
        return len(self.waiting)

    def enter(self, raw: str | None) -> Enter | None:
        ready = [waiting.act for waiting in self.waiting[: self.fired(self.body.type.automaton, 0)]]
        resets = [window.reset for _, window in self.paths]
        acts = [*resets, *ready]
        if not acts:
            return None

        def enter(_: Attributes) -> None:
            for act in acts:
                act()

        return enter

    def leave(self, automaton: Automaton, state: int) -> Leave | None:
        acts = [waiting.act for waiting in self.waiting[self.fired(automaton, state) :]]
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
        for number, waiting in enumerate(newly):
            if waiting.waits_for(name) or self._is_read_before(waiting.place, name):
                return [other.act for other in newly[:number]], [other.act for other in newly[number:]]
        return [waiting.act for waiting in newly], ()

    def _is_read_before(self, place: int, name: Name) -> bool:
        """Whether a handler before this place reads children of this name."""
        return any(at < place and fitting(name) for at, _, fitting in self.ons) or any(
            at < place and window.steps[0](name) for at, window in self.paths
        )

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        for _, handler, fitting in self.ons:
            if handler.name != TEXT and fitting(name):
                yield from self.program.handler_demands(handler)
        for _, window in self.paths:
            yield from window.children(0, name)

    # Text as children.

    def _take_texts(self, handlers: list[flux.On]) -> None:
        # expat may split a text into pieces; it is one item all the same.
        apart = self.program.writer.ending is not None
        if not apart and len(handlers) == 1 and self.program.only_copies(handlers[0]):
            self.text = self.program.writer.text
            return
        pieces: list[str] = []
        takes = [_text_scope(handler, self.program) for handler in handlers]
        self.text = pieces.append

        def ends() -> None:
            if pieces:
                text = "".join(pieces)
                pieces.clear()
                for take in takes:
                    take(text)

        self.interrupt = ends


def _text_scope(on: flux.On, program: Program) -> Callable[[str], None]:
    """Runs the handlers of a text node, which begins and ends at once."""
    body = on.body
    resets = program.resets_of(on.variable)
    totals = program.totals_of(on.variable)
    acts = [_text_act(handler, program) for handler in body.handlers]
    env, slot = program.scope.env, program.scope.slots[on.variable].number
    reading = program.reading

    def take(text: str) -> None:
        for act in resets:
            act()
        reading.tick += 1
        node = BufferedNode("text", None, text)
        node.order = (reading.tree, reading.tick)
        env[slot] = node
        for total in totals:
            total.take(Untyped(text))
        for write in acts:
            write(text)
        env[slot] = None

    return take


def _text_act(handler: flux.Handler, program: Program) -> Callable[[str], None]:
    match handler:
        case flux.OnFirst(_, query):
            act = program.queries.compile(query, program.static)
            return lambda _: act()
        case flux.CopyThrough(condition):
            holds = program.test(condition)
            writer = program.writer

            def copy(text: str) -> None:
                if holds is None or holds():
                    writer.text(text)

            return copy
    # A text has no children, so other handlers never fire.
    return lambda _: None
