"""From expat's events to the machine's moves: the innermost loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slackwater.flux.compile.buffers import Reading
from slackwater.flux.runtime.demands import Attributes, Take
from slackwater.flux.runtime.machine import Machine, Move, Row
from slackwater.xml import Parser
from slackwater.xml.errors import many_namespaces
from slackwater.xml.validate import Validator

MOST_NAMESPACES = 1 << 19
"""How many namespaces the open elements may have, added up over all declarations that are open."""


class Drive:
    """Connects a parser with a machine.

    Names are as expat gives them; those with a namespace are taken apart when a move is made, so it costs
    nothing afterwards.
    """

    def __init__(
        self,
        machine: Machine,
        parser: Parser,
        readings: Sequence[Reading],
        validator: Validator | None = None,
    ) -> None:
        self.parser = parser
        self.readings = readings
        self.validator = validator
        expat = parser.expat

        def switch(take: Take | None) -> None:
            if validator is not None:
                validator.on_text(take)
            else:
                expat.CharacterDataHandler = take

        machine.switch = switch
        machine.wrong = parser.error
        self._namespaces: list[dict[str, str]] = []
        self._held = 0
        parser.raw = True
        expat.StartNamespaceDeclHandler = self._declared
        expat.EndNamespaceDeclHandler = self._undeclared
        self._connect(machine)

    def _connect(self, machine: Machine) -> None:
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

        self.finish: Callable[[], None] = finish
        self.elements: Callable[[], int] = lambda: elements
        (self.validator or self.parser).handle(start, end)
        self.parser.expat.CommentHandler = comment
        self.parser.expat.ProcessingInstructionHandler = instruction
        self.begin: Callable[[], None] = begin

    def _declared(self, prefix: str | None, uri: str | None) -> None:
        around = self.readings[0].namespaces
        self._namespaces.append(around)
        self._held += len(around)
        if self._held > MOST_NAMESPACES:
            raise self.parser.error(many_namespaces())
        inside = {**around, prefix or "": uri or ""}
        self._set({key: value for key, value in inside.items() if value})

    def _undeclared(self, prefix: str | None) -> None:
        around = self._namespaces.pop()
        self._held -= len(around)
        self._set(around)

    def _set(self, namespaces: dict[str, str]) -> None:
        for each in self.readings:
            each.namespaces = namespaces
