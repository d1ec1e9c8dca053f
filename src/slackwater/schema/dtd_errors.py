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
    _SYNTAX: "not allowed here",
    _INCOMPLETE: "a declaration is not closed",
    _number(expat_errors.XML_ERROR_INVALID_TOKEN): "this character is not allowed here",
    _number(expat_errors.XML_ERROR_UNCLOSED_TOKEN): "not closed",
}
_MISPLACED = {
    _number(expat_errors.XML_ERROR_PARAM_ENTITY_REF): (
        "an entity inside a declaration is allowed only in a DTD that is a separate file"
    ),
    _number(expat_errors.XML_ERROR_MISPLACED_XML_PI): "an XML declaration is allowed only at the very start",
    _number(expat_errors.XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF): "an external entity",
}
_MORE_TEXT = "They expand to many times the size of the schema."
_BOMBS = {
    _number(expat_errors.XML_ERROR_RECURSIVE_ENTITY_REF): "An entity refers to itself.",
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
        label = f"expected {model.expected}"
    elif place.start == len(place.text.content):
        label = "the schema ends here, before a declaration is closed"
    return bad_schema(place, label, _form(place))


def _form(place: Span) -> str:
    """The syntax of the declaration at this place."""
    content = place.text.content
    match = _OPEN.match(content, max(content.rfind("<!", 0, place.start), 0), place.start)
    return _FORMS[match[1]] if match else _ANY_FORM


def no_character(place: Span) -> SchemaError:
    return bad_schema(place, "not a character")


def declared_twice(place: Span, name: str) -> SchemaError:
    return bad_schema(place, f'element "{name}" is already declared', "Keep one of its declarations.")


def unknown_entity(place: Span, name: str) -> SchemaError:
    return SchemaError(problems.UNKNOWN_ENTITY.at(place, name=name))


def unknown_entity_in(place: Span, name: str) -> SchemaError:
    return SchemaError(problems.UNKNOWN_ENTITY_IN.at(place, name=name))


def entity_bomb(place: Span, detail: str = _MORE_TEXT) -> SchemaError:
    return SchemaError(problems.ENTITY_BOMB.at(place, why=detail))


def oversized_content(place: Span, name: str, detail: str) -> SchemaError:
    return SchemaError(problems.OVERSIZED_CONTENT.at(place, name=name, why=detail))
