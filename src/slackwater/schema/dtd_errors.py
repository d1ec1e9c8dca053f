"""Errors in a DTD: those that expat reports, and limits that are exceeded."""

from __future__ import annotations

import re
from xml.parsers import expat
from xml.parsers.expat import errors as expat_errors

from slackwater.base.span import Span
from slackwater.schema import problems
from slackwater.schema.errors import SchemaError, bad_schema
from slackwater.schema.model import Model

_OPEN = re.compile(r"""<!(ELEMENT|ATTLIST|ENTITY|--)(?:[^>"']|"[^"]*"|'[^']*')*+(?:["'][^>]*)?\Z""")
"""A declaration or comment that is still open at the position of the error."""
_FORMS = {
    "ELEMENT": "Elements are declared like <!ELEMENT book (title, author+)>, "
    "<!ELEMENT note (#PCDATA | em)*> or <!ELEMENT mark EMPTY>.",
    "ATTLIST": "Attributes are declared like <!ATTLIST book year CDATA #REQUIRED> "
    'or <!ATTLIST book kind (print | sound) "print">.',
    "ENTITY": 'Entities are declared like <!ENTITY % names "title, author">, and used like %names;.',
    "--": 'A comment is written <!-- like this -->, without "--" inside.',
}
_ANY_FORM = "A DTD holds <!ELEMENT …>, <!ATTLIST …>, <!ENTITY …>, <!NOTATION …> and <!-- comments -->."


def _number(message: str) -> int:
    return expat_errors.codes[message]


_SYNTAX = _number(expat_errors.XML_ERROR_SYNTAX)
_INCOMPLETE = _number(expat_errors.XML_ERROR_INCOMPLETE_PE)
_MISWRITTEN = {
    _SYNTAX: "this cannot stand here",
    _INCOMPLETE: "what has begun does not end here",
    _number(expat_errors.XML_ERROR_INVALID_TOKEN): "this character cannot stand here",
    _number(expat_errors.XML_ERROR_UNCLOSED_TOKEN): "this has no end",
}
_MISPLACED = {
    _number(expat_errors.XML_ERROR_PARAM_ENTITY_REF): (
        "inside a declaration, an entity is put in only where the DTD is a file of its own"
    ),
    _number(expat_errors.XML_ERROR_MISPLACED_XML_PI): "an XML declaration stands only at the very beginning",
    _number(expat_errors.XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF): "this entity lies outside the schema",
}
_MORE_TEXT = "They stand for more text than the schema has itself, many times over."
_BOMBS = {
    _number(expat_errors.XML_ERROR_RECURSIVE_ENTITY_REF): "An entity stands for itself.",
    # XML_ERROR_AMPLIFICATION_LIMIT_BREACH, which older standard libraries do not define.
    43: _MORE_TEXT,
}


def from_expat(code: int, place: Span, model: Model | None) -> SchemaError:
    """The diagnostic for an error of expat; `model` is the content model being read."""
    if code in _BOMBS:
        return entity_bomb(place, _BOMBS[code])
    if code not in _MISWRITTEN:
        return bad_schema(place, _MISPLACED.get(code) or expat.ErrorString(code) or "")
    label = _MISWRITTEN[code]
    if code in (_SYNTAX, _INCOMPLETE) and model is not None:
        label = f"{model.expected} is expected here"
    elif place.start == len(place.text.content):
        label = "the schema ends here, and something is still open"
    return bad_schema(place, label, _form(place))


def _form(place: Span) -> str:
    """The syntax of the declaration at this place."""
    content = place.text.content
    match = _OPEN.match(content, max(content.rfind("<!", 0, place.start), 0), place.start)
    return _FORMS[match[1]] if match else _ANY_FORM


def no_character(place: Span) -> SchemaError:
    return bad_schema(place, "this is no character")


def declared_twice(place: Span, name: str) -> SchemaError:
    return bad_schema(place, f'element "{name}" has been declared before', "Keep one of its declarations.")


def unknown_entity(place: Span, name: str) -> SchemaError:
    return SchemaError(problems.UNKNOWN_ENTITY.at(place, name=name))


def unknown_entity_in(place: Span, name: str) -> SchemaError:
    return SchemaError(problems.UNKNOWN_ENTITY_IN.at(place, name=name))


def entity_bomb(place: Span, detail: str = _MORE_TEXT) -> SchemaError:
    return SchemaError(problems.ENTITY_BOMB.at(place, why=detail))


def oversized_content(place: Span, name: str, detail: str) -> SchemaError:
    return SchemaError(problems.OVERSIZED_CONTENT.at(place, name=name, why=detail))
