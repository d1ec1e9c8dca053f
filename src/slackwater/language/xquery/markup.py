"""The rules of XML 1.0 for characters, names, comments, instructions and namespaces.

The parser applies them to literal markup, both evaluators to computed markup.
"""

from __future__ import annotations

import re

_FIRST = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
NCNAME = rf"[{_FIRST}][{_FIRST}.0-9\-\u00b7\u0300-\u036f\u203f\u2040]*+"
QNAME = rf"{NCNAME}(?::{NCNAME})?"
NAME = re.compile(QNAME)

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 does not allow."""

XML = "http://www.w3.org/XML/1998/namespace"
XMLNS = "http://www.w3.org/2000/xmlns/"


def is_character(code: int) -> bool:
    """Whether XML 1.0 allows the character of this code."""
    return 0 <= code <= 0x10FFFF and not NOT_XML.match(chr(code))


def is_comment(text: str) -> bool:
    """Whether a comment can have this content (XML 1.0, 2.5)."""
    return "--" not in text and not text.endswith("-")


def is_target(name: str) -> bool:
    """Whether a processing instruction can have this name (XML 1.0, 2.6)."""
    return name.lower() != "xml"


def declares_namespace(attribute: str) -> bool:
    """An attribute of this name declares a namespace."""
    return attribute.partition(":")[0] == "xmlns"


def wrong_binding(prefix: str, uri: str) -> str | None:
    """Why a prefix, "" for none, cannot stand for a namespace (Namespaces in XML 1.0, 3); None if it can."""
    if prefix == "xmlns":
        return 'prefix "xmlns" cannot be declared'
    if (prefix == "xml") != (uri == XML):
        return f'prefix "xml" and the namespace "{XML}" belong to each other'
    if uri == XMLNS:
        return f'the namespace "{XMLNS}" is that of declarations only'
    return None
