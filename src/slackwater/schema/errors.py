"""What may be wrong with a schema, in words."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, QueryError, Severity
from slackwater.base.span import Span, Text


class SchemaError(QueryError):
    """The schema cannot be used: its author can correct it, or the user can name another."""


def bad_schema(span: Span, label: str, hint: str | None = None) -> SchemaError:
    return SchemaError(
        Diagnostic(
            "bad-schema",
            "the schema cannot be read",
            span=span,
            label=label,
            hint=hint or "Correct the declaration here, or the one before it.",
        )
    )


def other_schema(text: Text, start: int, end: int) -> SchemaError:
    return SchemaError(
        Diagnostic(
            "bad-schema",
            "the schema cannot be read",
            span=text.span(start, end),
            label="neither a DTD nor an XML Schema begins so",
            hint="A DTD consists of declarations such as <!ELEMENT …>; an XML Schema is a <schema> element.",
        )
    )


def refused_schema(name: str, message: str) -> SchemaError:
    return SchemaError(
        Diagnostic(
            "refused-schema",
            "the schema is not one that can be used",
            where=name,
            detail=message,
            hint="Check it with another tool; only what lies on this machine is read.",
        )
    )


def external_schema(name: str, address: str) -> SchemaError:
    return SchemaError(
        Diagnostic(
            "external-schema",
            f'the schema asks for "{address}"',
            where=name,
            detail="Nothing is fetched for a schema.",
            hint="Put the declarations into one file.",
        )
    )


def no_elements(name: str) -> SchemaError:
    return SchemaError(
        Diagnostic(
            "empty-schema",
            "the schema declares no element",
            where=name,
            hint="Check that the file is a DTD or an XML Schema.",
        )
    )


def unknown_root(name: str, root: str, known: str) -> SchemaError:
    return SchemaError(
        Diagnostic(
            "unknown-root",
            f'the schema declares no element "{root}" for a document to begin with',
            where=name,
            detail=f"A document may begin with {known}.",
        )
    )


def ambiguous_content(name: str, element: str, model: str, symbol: str) -> Diagnostic:
    return Diagnostic(
        "ambiguous-content",
        f'the content model of "{element}" is ambiguous',
        where=name,
        detail=f'In {model}, a "{symbol}" can be read as one of two, and only what follows tells which.',
        hint="Write it so that each element tells its place by its name.",
        severity=Severity.WARNING,
    )


def place(text: Text, line: int, column: int) -> Span:
    """The span of one character; lines and columns count from 1."""
    start = 0
    for _ in range(line - 1):
        end = text.content.find("\n", start)
        if end < 0:
            break
        start = end + 1
    return text.span(start + max(column - 1, 0), start + max(column, 1))
