"""Full validation mode (section 3.7.1): every element is held against its schema, then handed on."""

from __future__ import annotations

from slackwater.schema import validate
from slackwater.schema.schema import Schema, Type
from slackwater.xml.events import Attributes, Characters, End, Parser, Start


def _nothing(*_: object) -> None:
    """Takes an event that no one wants."""


class Validator:
    """Handlers that check and then call others; the first mistake is raised, with its place."""

    def __init__(self, parser: Parser, schema: Schema) -> None:
        self._parser = parser
        self._open: list[tuple[str, Type, int]] = [("the document", schema.document, 0)]
        self._inner: tuple[Start, End, Characters] = (_nothing, _nothing, _nothing)

    def handle(self, start: Start = _nothing, end: End = _nothing, text: Characters = _nothing) -> None:
        """Sets what is called for what is valid."""
        self._inner = (start, end, text)
        self._parser.handle(self._start, self._end, self._text)

    def _start(self, name: str, attributes: Attributes) -> None:
        parent, type, state = self._open[-1]
        after = validate.step(type, state, name)
        child = type.child(name)
        if after is None or child is None:
            raise self._parser.error(validate.unexpected_element(type, state, name, parent))
        self._open[-1] = (parent, type, after)
        self._open.append((name, child, 0))
        self._inner[0](name, attributes)

    def _end(self, name: str) -> None:
        _, type, state = self._open.pop()
        if not type.automaton.may_end(state):
            raise self._parser.error(validate.missing_element(type, state, name))
        self._inner[1](name)

    def _text(self, text: str) -> None:
        name, type, _ = self._open[-1]
        if type.has_text:
            self._inner[2](text)
        elif not text.isspace():
            raise self._parser.error(validate.unexpected_text(type, name))
