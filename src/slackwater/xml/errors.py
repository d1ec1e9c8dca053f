"""Errors in documents, with line and column."""

from __future__ import annotations

from xml.parsers.expat import errors as expat_errors

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Span, Text
from slackwater.xml import problems


class XmlError(EngineError):
    """The document cannot be read further; all events before the error have been delivered."""


class InputError(EngineError):
    """There is no document to read."""


def unreadable_input(name: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(problems.UNREADABLE_INPUT.at(name=name, reason=reason))


def _number(message: str) -> int:
    return expat_errors.codes[message]


_CUT_OFF = {
    _number(expat_errors.XML_ERROR_NO_ELEMENTS),
    _number(expat_errors.XML_ERROR_UNCLOSED_TOKEN),
    _number(expat_errors.XML_ERROR_PARTIAL_CHAR),
    _number(expat_errors.XML_ERROR_UNCLOSED_CDATA_SECTION),
}
_ENCODINGS = {
    _number(expat_errors.XML_ERROR_UNKNOWN_ENCODING),
    _number(expat_errors.XML_ERROR_INCORRECT_ENCODING),
}
_RECURSIVE = _number(expat_errors.XML_ERROR_RECURSIVE_ENTITY_REF)
_AMPLIFIED = 43
"""XML_ERROR_AMPLIFICATION_LIMIT_BREACH, which the standard library does not name everywhere."""
_UNDECLARED_ENTITY = _number(expat_errors.XML_ERROR_UNDEFINED_ENTITY)
_UNBOUND = _number(expat_errors.XML_ERROR_UNBOUND_PREFIX)
_INVALID_TOKEN = _number(expat_errors.XML_ERROR_INVALID_TOKEN)
_MISMATCH = _number(expat_errors.XML_ERROR_TAG_MISMATCH)


def is_cut_off(code: int) -> bool:
    return code in _CUT_OFF


def is_invalid_token(code: int) -> bool:
    return code == _INVALID_TOKEN


def from_expat(code: int, message: str) -> Diagnostic:
    """The diagnostic for an error of expat, without its place."""
    if code in _ENCODINGS:
        return wrong_encoding("The declared encoding is unknown, or is not that of the document.")
    if code in (_RECURSIVE, _AMPLIFIED):
        return entity_bomb("They expand to many times the size of the document.")
    if code == _UNDECLARED_ENTITY:
        return unknown_entity()
    if code == _UNBOUND:
        return undeclared_prefix()
    if code == _MISMATCH:
        return malformed("this end tag does not match the open element")
    return malformed(message)


def malformed(message: str) -> Diagnostic:
    return problems.MALFORMED_XML.at(why=message)


def cut_off(size: int) -> Diagnostic:
    return problems.CUT_OFF_DOCUMENT.at(label=None if size else "the document is empty")


def wrong_encoding(detail: str) -> Diagnostic:
    return problems.WRONG_ENCODING.at(why=detail)


def entity_bomb(detail: str) -> Diagnostic:
    return problems.ENTITY_BOMB.at(why=detail)


def unknown_entity(name: str | None = None) -> Diagnostic:
    return problems.UNKNOWN_ENTITY.at(name=name) if name else problems.UNNAMED_ENTITY.at()


def external_entity(address: str) -> Diagnostic:
    return problems.EXTERNAL_ENTITY.at(address=address)


def undeclared_prefix() -> Diagnostic:
    return problems.UNDECLARED_PREFIX.at()


def oversized_token(most: int) -> Diagnostic:
    return problems.OVERSIZED_TOKEN.at(most=most >> 20)


def many_namespaces() -> Diagnostic:
    return problems.MANY_NAMESPACES.at()


def excerpt(name: str, line: int, column: int, content: str | None) -> tuple[Span | None, str | None]:
    """The span in its line, or else the place as text."""
    if content is None:
        return None, f"{name}:{line}:{column}"
    text = Text(name, content, first=line)
    return text.span(column - 1, column), None
