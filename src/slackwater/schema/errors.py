"""Errors in schemas."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.span import Span, Text
from slackwater.schema import problems


class SchemaError(QueryError):
    """The schema cannot be used: its author can correct it, or the user can name another."""


def bad_schema(span: Span, label: str, hint: str | None = None) -> SchemaError:
    return SchemaError(problems.BAD_SCHEMA.at(span, why=label, hint=hint))


def other_schema(text: Text, start: int, end: int) -> SchemaError:
    return SchemaError(problems.OTHER_SCHEMA.at(text.span(start, end)))


def refused_schema(name: str, message: str) -> SchemaError:
    return SchemaError(problems.REFUSED_SCHEMA.at(where=name, why=message))


def external_schema(name: str, address: str) -> SchemaError:
    return SchemaError(problems.EXTERNAL_SCHEMA.at(where=name, address=address))


def no_elements(name: str) -> SchemaError:
    return SchemaError(problems.EMPTY_SCHEMA.at(where=name))


def unknown_root(name: str, root: str, known: str) -> SchemaError:
    return SchemaError(problems.UNKNOWN_ROOT.at(where=name, root=root, known=known))


def ambiguous_content(name: str, element: str, model: str, symbol: str) -> Diagnostic:
    return problems.AMBIGUOUS_CONTENT.at(where=name, element=element, model=model, symbol=symbol)


def place(text: Text, line: int, column: int) -> Span:
    """The span of one character; lines and columns count from 1."""
    start = 0
    for _ in range(line - 1):
        end = text.content.find("\n", start)
        if end < 0:
            break
        start = end + 1
    return text.span(start + max(column - 1, 0), start + max(column, 1))
