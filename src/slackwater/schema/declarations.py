"""The declarations of a DTD, read by expat; nothing outside it is ever fetched.

expat checks the syntax and expands entities; content models are built from its tokens.
Attacks by a hostile DTD, and the defences:

    entities that double and double again   a bound on the expanded text, below expat's own
    entities in entities in entities        expat recurses for each: a bound on entities that refer to others
    (((((…)))))                             a bound on depth; and the content models of pyexpat, which builds
                                            them recursively, are not used
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.parsers import expat

from slackwater.base.span import Span, Text
from slackwater.schema import dtd_errors as errors
from slackwater.schema.errors import external_schema
from slackwater.schema.model import Model
from slackwater.schema.schema import Attribute

MOST_DEEP = 100
"""How deep parentheses may nest."""
MOST_NAMES = 1000
"""How many child names a content model may have."""
_MOST_GROWTH, _FREE_GROWTH = 16, 1 << 20
"""How far entities may expand a DTD: a multiple of its size, plus so many characters."""
_MOST_LINKS = 1000
"""How many entities may refer to others."""

_XML_DECLARATION = re.compile(r"\A\ufeff?(?:<\?xml\s.*?\?>)?", re.DOTALL)
"""Encoding and standalone declarations do not apply: the DTD is already text, and complete."""
_REFERENCE = re.compile("[&%][^#]")
_ONE_MORE = "slackwater.one-more"
"""An entity that no DTD declares."""


@dataclass(slots=True)
class Declarations:
    """What a DTD declares, in its order."""

    document: str = ""
    """The root element that the DOCTYPE of a document names; empty for a DTD in its own file."""
    models: dict[str, Model] = field(default_factory=dict)
    attributes: dict[str, dict[str, Attribute]] = field(default_factory=dict)
    """By element and attribute name; the first declaration counts."""


def read_file(text: Text) -> Declarations:
    """The declarations of a DTD in a file of its own."""
    reading = _Reading(text)
    reading.parse_file()
    return reading.declarations


def read_document(text: Text) -> Declarations:
    """The declarations inside a document; `text` is all of it before its first tag."""
    reading = _Reading(text)
    reading.parse_document()
    return reading.declarations


class _Reading:
    """One DTD being parsed by expat."""

    def __init__(self, text: Text) -> None:
        self.declarations = Declarations()
        self._text = text
        self._bytes = _encoded(text)
        self._room = len(text.content) * _MOST_GROWTH + _FREE_GROWTH
        self._links = 0
        self._model: Model | None = None
        self._is_whole = False
        """No external subset can declare further entities."""
        self._last_entity = ("", 0)
        """Its name, and the byte at which its text begins."""
        self._parser = expat.ParserCreate("utf-8")
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        self._parser.DefaultHandler = self._on_token
        self._parser.EntityDeclHandler = self._on_entity
        self._parser.AttlistDeclHandler = self._on_attribute

    def parse_file(self) -> None:
        self._parser.ExternalEntityRefHandler = self._parse_text
        self._parser.Parse(b'<!DOCTYPE x SYSTEM "x"><x/>', True)

    def parse_document(self) -> None:
        self._parser.StartDoctypeDeclHandler = self._on_doctype
        self._parser.ExternalEntityRefHandler = self._parse_nothing
        self._parse(self._bytes + b"<x/>")

    def _parse_text(self, context: str | None, *address: object) -> int:
        self._parser = self._parser.ExternalEntityParserCreate(context, "utf-8")
        self._parser.ExternalEntityRefHandler = self._refuse_external
        self._is_whole = True
        self._parse(self._bytes)
        self._check_entities()
        return 1

    def _refuse_external(
        self, context: str | None, base: object, system: str | None, public: str | None
    ) -> int:
        raise external_schema(self._text.name, system or public or "?")

    def _parse_nothing(self, context: str | None, *address: object) -> int:
        self._parser.ExternalEntityParserCreate(context).Parse(b"", True)
        return 1

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            place = self._place(self._parser.ErrorByteIndex)
            raise errors.from_expat(error.code, place, self._model) from error

    def _check_entities(self) -> None:
        """Raise if the text of an entity refers to one that is not declared.

        expat does not report it, but ignores all later entity declarations (XML 1.0, section 5.1).
        """
        name, index = self._last_entity
        one_more = self._parser.ExternalEntityParserCreate(None, "utf-8")
        one_more.Parse(f'<!ENTITY % {_ONE_MORE} "">'.encode(), True)
        if self._last_entity[0] != _ONE_MORE:
            raise errors.unknown_entity_in(self._place(index), name)

    def _on_doctype(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        self.declarations.document = name

    def _on_token(self, token: str) -> None:
        """Handle a token that no other handler takes."""
        self._grow(token)
        if token[0] == "%" and token[-1] == ";" and self._is_whole:
            raise errors.unknown_entity(self._here, token[1:-1])
        if token == "<!ELEMENT":
            self._model = Model()
        elif self._model is None or token.isspace():
            return
        elif token == ">":
            self.declarations.models[self._model.name] = self._model
            self._model = None
        else:
            self._on_model(self._model, token)

    def _on_model(self, model: Model, token: str) -> None:
        if not model.name and token in self.declarations.models:
            raise errors.declared_twice(self._here, token)
        model.take(token)
        if model.depth > MOST_DEEP:
            detail = f"Its parentheses stand more than {MOST_DEEP} deep."
            raise errors.oversized_content(self._here, model.name, detail)
        if model.size > MOST_NAMES:
            detail = f"It names more than {MOST_NAMES:,} children."
            raise errors.oversized_content(self._here, model.name, detail)

    def _on_attribute(
        self, element: str, name: str, type_: str, default: str | None, is_required: int
    ) -> None:
        """Record an attribute; for one that is #FIXED, expat reports both `required` and a default."""
        self._grow(name, type_, default or "")
        kind = "ENUMERATION" if type_[0] == "(" else type_.partition("(")[0]
        declared = Attribute(name, bool(is_required) and default is None, default, kind)
        self.declarations.attributes.setdefault(element, {}).setdefault(name, declared)

    def _on_entity(self, name: str, is_parameter: int, value: str | None, *outside: object) -> None:
        self._last_entity = (name, self._parser.CurrentByteIndex)
        if value is None:
            return
        self._grow(value)
        self._links += bool(_REFERENCE.search(value))
        if self._links > _MOST_LINKS:
            detail = f"More than {_MOST_LINKS:,} of them refer to others."
            raise errors.entity_bomb(self._here, detail)

    def _grow(self, *read: str) -> None:
        self._room -= sum(map(len, read))
        if self._room < 0:
            raise errors.entity_bomb(self._here)

    @property
    def _here(self) -> Span:
        return self._place(self._parser.CurrentByteIndex)

    def _place(self, index: int) -> Span:
        """The character at a byte offset; inside an entity, the reference to it."""
        start = len(self._bytes[: max(index, 0)].decode(errors="ignore"))
        return self._text.span(start, start + 1)


def _encoded(text: Text) -> bytes:
    content = _XML_DECLARATION.sub(lambda match: re.sub(r"\S", " ", match[0]), text.content)
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        raise errors.no_character(text.span(error.start, error.start + 1)) from error
