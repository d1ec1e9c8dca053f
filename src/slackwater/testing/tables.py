"""Tables of a `.cqt` file: cut into cells, then read as rows of a schema, or as an expected answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.values import canonical
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.base.time import INFINITY
from slackwater.reference.bags import Changes, record
from slackwater.testing import errors, problems
from slackwater.testing.case import Check, Table
from slackwater.testing.lines import Line
from slackwater.texts.cells import NotAValue, value_of

Row = tuple[Any, ...]
_INSTANT = re.compile(r"\d{1,19}", re.ASCII)
_BEFORE = {"at": (), "changes": ("time", "op"), "tagged": ("time", "op"), "emits": ("time",)}
"""The columns of a check's table before those of the query."""
BLOCKS = (
    "case", "chronon", "until", "stream", "relation", "view", "declare", "query", "at", "changes", "tagged",
    "emits", "error",
)  # fmt: skip


def table_of(lines: Sequence[Line], mistakes: list[Diagnostic]) -> Table | None:
    """The heading and the rows as wide as it; None where there is no heading."""
    if not lines:
        return None
    heading, rows = lines[0].cells(), []
    for line in lines[1:]:
        cells = line.cells()
        if len(cells) == len(heading):
            rows.append(cells)
        else:
            like_block = line.word.content in BLOCKS
            mistakes.append(errors.wrong_cells(line.span, len(cells), len(heading), like_block))
    return Table(heading, lines[0].span, rows)


def is_heading(table: Table, names: Sequence[str], only: int | None = None) -> bool:
    """Whether the heading (its first `only` cells) names these columns, in order, in any case of letters."""
    return [cell.content.lower() for cell in table.heading[:only]] == [name.lower() for name in names]


def instant_of(cell: Span, mistakes: list[Diagnostic]) -> int:
    """The instant a cell or word holds; 0 where it holds none."""
    if _INSTANT.fullmatch(cell.content) and int(cell.content) < INFINITY:
        return int(cell.content)
    mistakes.append(problems.CQT_BAD_TIME.at(cell, word=cell.content))
    return 0


def op_of(cell: Span, allowed: str, mistakes: list[Diagnostic]) -> str:
    if cell.content not in tuple(allowed):
        mistakes.append(problems.CQT_BAD_OP.at(cell, word=cell.content, allowed=" ".join(allowed)))
    return cell.content


def row_of(cells: Sequence[Span], schema: Schema, mistakes: list[Diagnostic]) -> Row:
    """The values of the cells, by the schema's types."""
    row: list[Any] = []
    for cell, (name, type_) in zip(cells, schema, strict=True):
        try:
            row.append(canonical(value_of(cell.content, type_)))
        except NotAValue as why:
            mistakes.append(problems.CQT_BAD_CELL.at(cell, column=name, type=str(type_), why=why))
            row.append(None)
    return tuple(row)


def fits(check: Check, plan: Operator, mistakes: list[Diagnostic]) -> bool:
    """Whether the check is one of the query's kind of answer, with its columns; otherwise a diagnostic."""
    assert check.table is not None
    if (check.kind == "emits") != (plan.kind is Kind.STREAM):
        mistakes.append(errors.wrong_check(check.span, plan.kind))
        return False
    heading = [*_BEFORE[check.kind], *plan.schema.names]
    if not is_heading(check.table, heading):
        mistakes.append(problems.CQT_WRONG_HEADING.at(check.table.heading_span, heading=" | ".join(heading)))
        return False
    return True


def expected_changes(check: Check, plan: Operator, mistakes: list[Diagnostic]) -> Changes | None:
    """The changes or elements a check lists; for `at`, the answer, at that instant.

    None, and a diagnostic, where the check does not fit the query.
    """
    before = len(mistakes)
    if not fits(check, plan, mistakes):
        return None
    assert check.table is not None
    changes: Changes = {}
    for cells in check.table.rows:
        time = check.instant if check.kind == "at" else instant_of(cells[0], mistakes)
        op = op_of(cells[1], "+-", mistakes) if check.kind == "changes" else "+"
        row = row_of(cells[len(_BEFORE[check.kind]) :], plan.schema, mistakes)
        record(changes, time, row, -1 if op == "-" else 1)
    return changes if len(mistakes) == before else None
