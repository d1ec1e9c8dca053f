"""`stream` and `relation` blocks: from a declaration and a table to a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from sqlglot import exp

from slackwater.algebra import Relation, Schema, Stream
from slackwater.algebra.changes import Record, arrivals, folded
from slackwater.algebra.types import UNKNOWN, Type
from slackwater.base.diagnostic import Diagnostic, EngineError, QueryError
from slackwater.base.span import Span, Text
from slackwater.bind.types import type_named
from slackwater.language.cql import parse
from slackwater.testing import errors, problems
from slackwater.testing.case import Source, Table
from slackwater.testing.lines import Line
from slackwater.testing.tables import instant_of, is_heading, op_of, row_of, table_of
from slackwater.texts.cells import inferred

NAME = re.compile(r"[^\W\d]\w*")
_DECLARATION = re.compile(
    r"(?P<name>[^\W\d]\w*)\s*(\((?P<columns>.*)\))?\s*(\bkey\s+(?P<key>.+))?", re.IGNORECASE
)
_COLUMN = re.compile(r"(?P<name>[^\W\d]\w*)(\s+(?P<type>.+))?")


def source_of(lines: Sequence[Line], mistakes: list[Diagnostic]) -> Source | None:
    """The stream or relation a block declares; None where that cannot be known."""
    head = lines[0]
    kind = head.word.content
    match = _DECLARATION.fullmatch(head.rest.content)
    if match is None or (kind == "stream" and match["key"] is not None):
        mistakes.append(errors.bad_declaration(head.span, kind))
        return None
    columns = _columns(_part(head.rest, match, "columns"), kind, mistakes)
    table = table_of(lines[1:], mistakes)
    fixed = ["time"] if kind == "stream" else ["time", "op"]
    heading = [*fixed, *(name.content for name, _ in columns)]
    if table is None or not is_heading(table, heading[: len(fixed)], only=len(fixed)):
        place = head.span if table is None else table.heading_span
        mistakes.append(
            problems.CQT_MISSING_HEADING.at(place, heading=" | ".join(heading if columns else [*fixed, "…"]))
        )
        return None
    if columns and not is_heading(table, heading):
        mistakes.append(problems.CQT_WRONG_HEADING.at(table.heading_span, heading=" | ".join(heading)))
        return None
    schema = _schema(
        columns or [(cell, None) for cell in table.heading[len(fixed) :]], table, len(fixed), mistakes
    )
    if schema is None:
        return None
    if kind == "stream":
        return _stream(match["name"], schema, table, mistakes)
    return _relation(match["name"], schema, _part(head.rest, match, "key"), table, mistakes)


def _part(whole: Span, match: re.Match[str], group: str) -> Span | None:
    if match[group] is None:
        return None
    return whole.text.span(whole.start + match.start(group), whole.start + match.end(group))


def split(span: Span) -> list[Span]:
    """The parts between commas outside brackets, trimmed."""
    pieces: list[Span] = []
    depth, begin = 0, 0
    for at, char in enumerate(f"{span.content},"):
        depth += (char in "(<[") - (char in ")>]")
        if char == "," and (depth == 0 or at == len(span.content)):
            piece = span.content[begin:at]
            start = span.start + begin + len(piece) - len(piece.lstrip())
            pieces.append(span.text.span(start, start + len(piece.strip())))
            begin = at + 1
    return pieces


def _columns(span: Span | None, kind: str, mistakes: list[Diagnostic]) -> list[tuple[Span, Type | None]]:
    """The declared columns; a type that is left out is None."""
    columns: list[tuple[Span, Type | None]] = []
    for piece in split(span) if span is not None else []:
        match = _COLUMN.fullmatch(piece.content)
        if match is None:
            mistakes.append(errors.bad_declaration(piece, kind))
            continue
        name, type_span = _part(piece, match, "name"), _part(piece, match, "type")
        assert name is not None
        columns.append((name, None if type_span is None else _type(type_span, mistakes)))
    return columns


def _type(span: Span, mistakes: list[Diagnostic]) -> Type:
    """The type, read as the type of a declared column is."""
    type_ = None
    with suppress(QueryError):
        (node,) = parse(Text("", f"CREATE STREAM s (c {span.content})"))
        (column,) = node.args["columns"]
        kind = column.args.get("kind")
        type_ = type_named(kind) if isinstance(kind, exp.DataType) else None
    if type_ is None:
        mistakes.append(problems.CQT_BAD_TYPE.at(span, word=span.content))
    return type_ or UNKNOWN


def _schema(
    columns: list[tuple[Span, Type | None]], table: Table, fixed: int, mistakes: list[Diagnostic]
) -> Schema | None:
    """The columns with a type for each, inferred from the cells where it is left out."""
    before = len(mistakes)
    seen: dict[str, tuple[str, Type]] = {}
    for position, (name, declared) in enumerate(columns, fixed):
        if not NAME.fullmatch(name.content):
            mistakes.append(errors.not_a_name(name))
        if name.content.lower() in seen:
            mistakes.append(problems.CQT_DUPLICATE_COLUMN.at(name, word=name.content))
        type_ = declared or inferred([row[position].content for row in table.rows])
        seen[name.content.lower()] = (name.content, type_)
    known = len(mistakes) == before and UNKNOWN not in [type_ for _, type_ in seen.values()]
    return Schema(tuple(seen.values())) if known else None


def _stream(name: str, schema: Schema, table: Table, mistakes: list[Diagnostic]) -> Source:
    elements = [(instant_of(row[0], mistakes), row_of(row[1:], schema, mistakes)) for row in table.rows]
    return Source(Stream(name, schema), arrivals(elements))


def _relation(
    name: str, schema: Schema, key: Span | None, table: Table, mistakes: list[Diagnostic]
) -> Source:
    before = len(mistakes)
    names = {column.lower(): column for column in schema.names}
    columns: list[str] = []
    for column in split(key) if key is not None else []:
        if column.content.lower() in names:
            columns.append(names[column.content.lower()])
        else:
            mistakes.append(errors.unknown_key(column, schema.names))
    plan = Relation(name, schema, tuple(dict.fromkeys(columns)))
    records = [
        Record(
            instant_of(row[0], mistakes),
            op_of(row[1], "+-u", mistakes),
            row_of(row[2:], schema, mistakes),
            row[0].to(row[-1]),
        )
        for row in table.rows
    ]
    if len(mistakes) > before:
        return Source(plan, {})
    try:
        return Source(plan, folded(records, [schema.index(column) for column in plan.key]))
    except EngineError as error:
        mistakes += error.diagnostics
        return Source(plan, {})
