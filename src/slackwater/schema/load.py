"""Read a schema from a file or a text: an XML Schema is XML, everything else is read as a DTD."""

from __future__ import annotations

import re
from pathlib import Path

from slackwater.base.extras import missing_extra
from slackwater.base.span import Text
from slackwater.schema import problems
from slackwater.schema.dtd import read_dtd
from slackwater.schema.errors import SchemaError, other_schema, unknown_root
from slackwater.schema.schema import Schema

_BEFORE = r"\s*+(?>(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)\s*+)*+"
"""The prolog before the first tag; possessive and atomic groups, so it never backtracks."""
_XSD = re.compile(_BEFORE + r"<(?:[\w.-]+:)?schema\b", re.DOTALL)
_OTHER_XML = re.compile(_BEFORE + r"(<[\w:.-]+)", re.DOTALL)


def read_schema(source: str | Path | Text, root: str | None = None) -> Schema:
    """The schema in a file (a path) or in a text; `root` names the element that documents begin with."""
    if isinstance(source, Text):
        schema = _read(source, None)
    else:
        path = Path(source)
        schema = _read(Text(str(source), _content(path)), path.parent)
    if root is None:
        return schema
    if root not in schema.roots:
        known = ", ".join(f'"{name}"' for name in schema.roots)
        raise unknown_root(schema.name, root, known)
    return schema.with_roots([root])


def _read(text: Text, folder: Path | None) -> Schema:
    if not _XSD.match(text.content):
        if (tag := _OTHER_XML.match(text.content)) is not None:
            raise other_schema(text, tag.start(1), tag.end(1))
        return read_dtd(text)
    # The library for XML Schema is slow to import and needs much memory; a DTD does not need it.
    try:
        from slackwater.schema.xsd import read_xsd
    except ModuleNotFoundError as error:
        if error.name != "xmlschema":
            raise
        raise missing_extra("XML Schema", "xmlschema", "xml") from error

    return read_xsd(text, folder)


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise SchemaError(problems.UNREADABLE_SCHEMA.at(path=path, why=_reason(error))) from error


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "It is not UTF-8 text."
    return f"{getattr(error, 'strerror', None) or error}."
