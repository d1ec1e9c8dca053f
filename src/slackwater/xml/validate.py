"""Full validation mode (section 3.7.1): every element is checked against the schema, then passed on."""

from __future__ import annotations

from collections.abc import Callable

from slackwater.schema import validate
from slackwater.schema.schema import Schema, Type
from slackwater.xml.events import Attributes, Characters, End, Parser, Start


def _nothing(*_: object) -> None:
    """Ignores an event."""


class Validator:
    """Handlers that check and then call others; the first error is raised, with its place.

    `naming` gives the schema's name for that of an element.
    """

    def __init__(self, parser: Parser, schema: Schema, naming: Callable[[str], str] = str) -> None:
        self._parser = parser
        self._naming = naming
        self._open: list[tuple[str, Type, int]] = [("the document", schema.document, 0)]
        self._inner: tuple[Start, End, Characters] = (_nothing, _nothing, _nothing)

    def handle(self, start: Start = _nothing, end: End = _nothing, text: Characters = _nothing) -> None:
        """Sets what is called for what is valid."""
        self._inner = (start, end, text)
        self._parser.handle(self._start, self._end, self._text)

    def on_text(self, text: Characters | None) -> None:
        """Sets what is called for text alone."""
        self._inner = (*self._inner[:2], text or _nothing)

    def _start(self, raw: str, attributes: Attributes) -> None:
        name = self._naming(raw)
        parent, type, state = self._open[-1]
        after = validate.step(type, state, name)
        child = type.child(name)
        if after is None or child is None:
            raise self._parser.error(validate.unexpected_element(type, state, name, parent))
        self._open[-1] = (parent, type, after)
        self._open.append((name, child, 0))
        self._inner[0](raw, attributes)

    def _end(self, raw: str) -> None:
        name, type, state = self._open.pop()
        if not type.automaton.may_end(state):
            raise self._parser.error(validate.missing_element(type, state, name))
        self._inner[1](raw)

    def _text(self, text: str) -> None:
        name, type, _ = self._open[-1]
        if not type.has_text and not text.isspace():
            raise self._parser.error(validate.unexpected_text(type, name))
        self._inner[2](text)
