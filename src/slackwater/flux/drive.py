"""From expat's events to the moves of the machine: the innermost loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from slackwater.flux.compile.buffers import Reading
from slackwater.flux.runtime.demands import Attributes, Take
from slackwater.flux.runtime.machine import Machine, Move, Row
from slackwater.xml import Parser
from slackwater.xml.errors import many_namespaces
from slackwater.xml.events import Characters, End, Start

MOST_NAMESPACES = 1 << 19
"""How many namespaces the open elements may have, added up over all declarations that are open."""


class Events(Protocol):
    """The source of a drive's events: a parser, or a filter between the two."""

    def handle(self, start: Start, end: End) -> None:
        """Sets the handlers of tags."""

    def on_text(self, text: Characters | None) -> None:
        """Sets the handler of text, which is called only while there is one."""


class Drive:
    """Connects a parser with a machine.

    Names are as expat gives them; those with a namespace are split when a move is made, so it costs nothing
    afterwards.
    """

    def __init__(
        self,
        machine: Machine,
        parser: Parser,
        readings: Sequence[Reading],
        events: Events | None = None,
    ) -> None:
        self.parser = parser
        self.readings = readings
        expat = parser.expat

        def switch(take: Take | None) -> None:
            expat.CharacterDataHandler = take

        machine.switch = switch if events is None else events.on_text
        machine.wrong = parser.error
        self._namespaces: list[dict[str, str]] = []
        self._held = 0
        parser.raw = True
        expat.StartNamespaceDeclHandler = self._declared
        expat.EndNamespaceDeclHandler = self._undeclared
        self._connect(machine, events or parser)

    def _connect(self, machine: Machine, events: Events) -> None:
        stack: list[Move] = []
        push, pop = stack.append, stack.pop
        row: Row = machine.dead
        elements = 0

        def start(name: str, attributes: Attributes) -> None:
            nonlocal row, elements
            elements += 1
            move = row[name]
            push(move)
            row = move[1]
            enter = move[2]
            if enter is not None:
                changed = enter(attributes)
                if changed is not None:
                    row = changed

        def end(name: str) -> None:
            nonlocal row
            leave = row.leave
            if leave is not None:
                leave(name)
            move = pop()
            row = move[0]
            after = move[3]
            if after is not None:
                after()

        def comment(text: str) -> None:
            for act in row.spot.interrupts:
                act()
            for take in row.spot.comments:
                take(text)

        def instruction(target: str, text: str) -> None:
            for act in row.spot.interrupts:
                act()
            for take in row.spot.instructions:
                take(target, text)

        def begin() -> None:
            nonlocal row
            row = machine.begin()

        def finish() -> None:
            if row.leave is not None:
                row.leave("")

        def rest() -> None:
            nonlocal row
            stack.clear()
            row = machine.dead
            machine.switch(None)

        self.start: Start = start
        self.end: End = end
        self.begin: Callable[[], None] = begin
        self.finish: Callable[[], None] = finish
        self.rest: Callable[[], None] = rest
        """Ignores all events until the next `begin`."""
        self.elements: Callable[[], int] = lambda: elements
        events.handle(start, end)
        self.parser.expat.CommentHandler = comment
        self.parser.expat.ProcessingInstructionHandler = instruction

    @property
    def namespaces(self) -> dict[str, str]:
        """Prefix -> namespace, at the current event."""
        return self.readings[0].namespaces

    @namespaces.setter
    def namespaces(self, namespaces: dict[str, str]) -> None:
        for reading in self.readings:
            reading.namespaces = namespaces

    def take_namespaces(self, other: Drive) -> None:
        """Continue with the namespaces that another drive of the same document has open."""
        self._namespaces, self._held = other._namespaces, other._held
        self.namespaces = other.namespaces

    def _declared(self, prefix: str | None, uri: str | None) -> None:
        around = self.namespaces
        self._namespaces.append(around)
        self._held += len(around)
        if self._held > MOST_NAMESPACES:
            raise self.parser.error(many_namespaces())
        inside = {**around, prefix or "": uri or ""}
        self.namespaces = {key: value for key, value in inside.items() if value}

    def _undeclared(self, prefix: str | None) -> None:
        around = self._namespaces.pop()
        self._held -= len(around)
        self.namespaces = around
