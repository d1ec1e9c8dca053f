"""What may be wrong with a document, in words, with line and column."""

from __future__ import annotations

from xml.parsers.expat import errors as expat_errors

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Span, Text


class XmlError(EngineError):
    """The document cannot be read further; all that stood before it has been handed on."""


class InputError(EngineError):
    """There is no document to read."""


def unreadable_input(name: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(
        Diagnostic(
            "unreadable-input",
            f'the document "{name}" cannot be read',
            detail=f"{reason}.",
            hint="Check the path.",
        )
    )


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
    """What expat found, in our words and without its place."""
    if code in _ENCODINGS:
        return wrong_encoding("The encoding it declares is unknown, or not the one it is written in.")
    if code in (_RECURSIVE, _AMPLIFIED):
        return entity_bomb("Its entities stand for more text than it has itself, many times over.")
    if code == _UNDECLARED_ENTITY:
        return unknown_entity()
    if code == _UNBOUND:
        return undeclared_prefix()
    if code == _MISMATCH:
        return malformed("this end tag is not that of the element that is open")
    return malformed(message)


def malformed(message: str) -> Diagnostic:
    return Diagnostic(
        "malformed-xml",
        "the document is not well-formed XML",
        label=message,
        hint="What stood before this place has been read; correct the document and read it again.",
    )


def cut_off(size: int) -> Diagnostic:
    return Diagnostic(
        "cut-off-document",
        "the document ends in the middle",
        label="elements are still open here" if size else "nothing has come at all",
        hint="Check that all of it has arrived.",
    )


def wrong_encoding(detail: str) -> Diagnostic:
    return Diagnostic(
        "wrong-encoding",
        "the document is not in the encoding it should be in",
        label="these bytes are no character",
        detail=detail,
        hint="Save it as UTF-8, or let its XML declaration name the encoding.",
    )


def entity_bomb(detail: str) -> Diagnostic:
    return Diagnostic(
        "entity-bomb",
        "the document's entities grow beyond all bounds",
        label="reading stops here",
        detail=detail,
        hint="Write out the entities before the document is read, if it can be trusted.",
    )


def unknown_entity(name: str | None = None) -> Diagnostic:
    return Diagnostic(
        "unknown-entity",
        f'entity "{name}" is not declared' if name else "an entity is not declared",
        label="nothing is known of it",
        detail="Only declarations inside the document are read.",
        hint="Declare it in the document's DOCTYPE, or write out what it stands for.",
    )


def external_entity(address: str) -> Diagnostic:
    return Diagnostic(
        "external-entity",
        f'the document asks for "{address}"',
        label="this entity lies outside the document",
        detail="Nothing outside a document is ever fetched.",
        hint="Put the text into the document.",
    )


def undeclared_prefix() -> Diagnostic:
    return Diagnostic(
        "undeclared-prefix",
        "a prefix of a name is not declared",
        label="a name here begins with it",
        hint='Declare it: xmlns:prefix="…" on this element or one around it.',
    )


def oversized_token(most: int) -> Diagnostic:
    return Diagnostic(
        "oversized-token",
        f"a tag, comment or the like is longer than {most >> 20} MB",
        label="it begins here",
        detail="It would have to be kept in memory whole.",
    )


def many_namespaces() -> Diagnostic:
    return Diagnostic(
        "many-namespaces",
        "the document declares namespaces beyond all bounds",
        label="reading stops here",
        detail="Each of them would have to be kept for every element inside.",
    )


def excerpt(name: str, line: int, column: int, content: str | None) -> tuple[Span | None, str | None]:
    """The span, with the line it stands in, or else the place in words."""
    if content is None:
        return None, f"{name}:{line}:{column}"
    text = Text(name, content, first=line)
    return text.span(column - 1, column), None
