"""Columns of XML records, by their schema: CREATE STREAM photons FROM XML … WITH (schema = '…')."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.types import BIGINT, BOOLEAN, DATE, DOUBLE, INT, STRING, TIMESTAMP, Type, decimal
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span
from slackwater.bind import problems
from slackwater.schema import read_schema
from slackwater.schema.errors import SchemaError
from slackwater.schema.records import leaves, record_type, steps

_TYPES: dict[str, Type] = {
    "boolean": BOOLEAN, "date": DATE, "dateTime": TIMESTAMP, "double": DOUBLE, "float": DOUBLE,
    "decimal": decimal(38, 9), "integer": BIGINT, "nonNegativeInteger": BIGINT, "positiveInteger": BIGINT,
    "nonPositiveInteger": BIGINT, "negativeInteger": BIGINT, "long": BIGINT, "unsignedInt": BIGINT,
    "int": INT, "short": INT, "byte": INT, "unsignedShort": INT, "unsignedByte": INT,
}  # fmt: skip
"""The types of XML Schema's builtins; all others are texts."""


def record_columns(schema: str | None, record: str | None, span: Span) -> dict[str, Type] | Diagnostic:
    """The columns of the records, or the error in the declaration."""
    if schema is None or record is None:
        return no_columns(span)
    path = steps(record)
    if path is None:
        return bad_record(record, span)
    try:
        type_ = record_type(read_schema(schema), path)
    except SchemaError as error:
        return error.diagnostics[0]
    if isinstance(type_, Diagnostic):
        return replace(type_, span=span, where=None)
    return {leaf.name: _TYPES.get((leaf.text or "").removeprefix("xs:"), STRING) for leaf in leaves(type_)}


def unknown_leaf(name: str, known: dict[str, Type], span: Span) -> Diagnostic:
    return problems.NO_SUCH_ELEMENT.at(
        span, name=name, detail=f"It has {quoted(known)}." if known else None, hint=did_you_mean(name, known)
    )


def no_columns(span: Span) -> Diagnostic:
    return problems.NO_COLUMNS.at(span)


def bad_record(record: str, span: Span) -> Diagnostic:
    return problems.BAD_RECORD.at(span, record=record)
