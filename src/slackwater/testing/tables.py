"""Tables of a `.cqt` file: cut into cells, then read as rows of a schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from slackwater.algebra import Schema
from slackwater.algebra.values import canonical
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.base.time import INFINITY
from slackwater.testing import errors, problems
from slackwater.testing.case import Table
from slackwater.testing.lines import Line
from slackwater.texts.cells import NotAValue, value_of

Row = tuple[Any, ...]
_INSTANT = re.compile(r"\d{1,19}", re.ASCII)
BLOCKS = ("case", "chronon", "stream", "relation", "view", "query", "at", "changes", "emits", "error")


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
