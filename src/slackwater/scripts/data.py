"""Data files of the STREAM prototype.

    i,i,f,c4           the types: i integer, f float, b byte, cN text of up to N characters
    1,7,1.5,abc        the first column is the time

    i,b,i              in a relation's file the second column is the sign
    1,+,7

Times do not go backwards. Nothing is dropped: a row that cannot be read refuses the file, with up to
`MOST_MISTAKES` of its mistakes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slackwater.algebra.changes import Changes, Record, Row, arrivals, folded
from slackwater.algebra.operator import Kind
from slackwater.algebra.types import Type
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.time import INFINITY
from slackwater.scripts import problems
from slackwater.texts.cells import NotAValue, float_of, integer_of
from slackwater.texts.files import read_text

MOST_MISTAKES = 20
_MOST_SHOWN = 40
TIME, SIGN = "time", "sign"


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column; `width` is the N of char(N)."""

    name: str
    type: Type
    width: int | None = None

    @property
    def letters(self) -> tuple[str, ...]:
        """How a file's first line may name its type; empty where it cannot."""
        if self.type.is_integer:
            return ("i",)
        if self.type.is_floating:
            return ("f",)
        if self.type.name != "string":
            return ()
        return ("b", "c1") if self.width == 1 else (f"c{self.width or 'N'}",)


@dataclass(frozen=True, slots=True)
class Table:
    """The declaration of a file: a stream or a relation with these columns."""

    name: str
    kind: Kind
    columns: tuple[Column, ...]


def read(path: str | Path, table: Table) -> Changes:
    """The file as elements of a stream or changes of a relation; raises EngineError."""
    text = read_text(path)
    # A final line end closes the last row; it does not begin an empty one.
    lines = text.content.removesuffix("\n").split("\n")
    reader = _Reader(text.name, table, _header(text.name, text.content, lines[0].removesuffix("\r"), table))
    for number, line in enumerate(lines[1:], 2):
        reader.take(number, line.removesuffix("\r"))
        if len(reader.mistakes) >= MOST_MISTAKES:
            break
    if reader.mistakes:
        raise EngineError(reader.mistakes)
    return reader.changes()


def _header(name: str, content: str, line: str, table: Table) -> list[str]:
    """The letters of the columns after the time and the sign; raises EngineError."""
    if not content.strip():
        raise EngineError(problems.EMPTY_FILE.at(where=name))
    letters = [letter.strip() for letter in line.split(",")]
    expected = [("i",), *([("b", "c1")] if table.kind is Kind.RELATION else [])]
    fixed = len(expected)
    expected += [column.letters for column in table.columns]
    for column in table.columns:
        if not column.letters:
            raise EngineError(problems.UNREADABLE_TYPE.at(where=name, column=column.name, type=column.type))
    fitting = len(letters) == len(expected) and all(map(_fits, letters, expected))
    if not fitting:
        header = ",".join(choices[0] for choices in expected)
        raise EngineError(
            problems.WRONG_HEADER.at(where=f"{name}:1", table=table.name, line=_quoted(line), expected=header)
        )
    return letters[fixed:]


def _fits(letter: str, expected: Sequence[str]) -> bool:
    if expected == ("cN",):
        return letter == "b" or (letter[:1] == "c" and letter[1:].isdecimal())
    return letter in expected


class _Reader:
    """The rows of one file as they are read, and their mistakes."""

    def __init__(self, name: str, table: Table, letters: list[str]) -> None:
        self.name, self.table = name, table
        self.mistakes: list[Diagnostic] = []
        self._records: list[Record] = []
        self._last = 0
        self._values = [_parser(letter) for letter in letters]
        self._signed = table.kind is Kind.RELATION
        self._width = 1 + self._signed + len(letters)

    def take(self, number: int, line: str) -> None:
        where = f"{self.name}:{number}"
        if "\0" in line:
            self.mistakes.append(problems.NUL_BYTE.at(where=where))
            return
        cells = line.split(",")
        if len(cells) != self._width:
            count, plural = len(cells), "s" * (len(cells) != 1)
            self.mistakes.append(
                problems.WRONG_CELL_COUNT.at(where=where, count=count, s=plural, expected=self._width)
            )
            return
        before = len(self.mistakes)
        time = self._time(cells[0], where)
        op = self._sign(cells[1], where) if self._signed else "+"
        row = self._row(cells[1 + self._signed :], where)
        if len(self.mistakes) == before:
            self._last = time
            self._records.append(Record(time, op, row, where))

    def changes(self) -> Changes:
        if not self._signed:
            return arrivals((record.time, record.row) for record in self._records)
        try:
            return folded(self._records)
        except EngineError as error:
            raise EngineError(error.diagnostics[:MOST_MISTAKES]) from None

    def _time(self, cell: str, where: str) -> int:
        try:
            time = integer_of(cell.strip(), 64)
        except NotAValue as why:
            self.mistakes.append(_bad_cell(where, TIME, cell, why))
            return self._last
        if not 0 <= time < INFINITY:
            self.mistakes.append(problems.BAD_TIME.at(where=where, time=time))
        elif time < self._last:
            self.mistakes.append(problems.TIME_GOES_BACKWARDS.at(where=where, time=time, last=self._last))
        return time

    def _sign(self, cell: str, where: str) -> str:
        if cell.strip() not in ("+", "-"):
            self.mistakes.append(problems.BAD_SIGN.at(where=where, cell=_quoted(cell)))
        return cell.strip()

    def _row(self, cells: list[str], where: str) -> Row:
        row: list[Any] = []
        for column, parse, cell in zip(self.table.columns, self._values, cells, strict=True):
            try:
                row.append(parse(cell))
            except NotAValue as why:
                self.mistakes.append(_bad_cell(where, column.name, cell, why))
        return tuple(row)


def _parser(letter: str) -> Callable[[str], Any]:
    if letter == "i":
        return lambda cell: integer_of(cell.strip(), 32)
    if letter == "f":
        return _finite
    return _text(1 if letter == "b" else int(letter[1:]), exact=letter == "b")


def _finite(cell: str) -> float:
    value = float_of(cell.strip())
    if not math.isfinite(value):
        raise NotAValue("not a finite number")
    return value


def _text(width: int, exact: bool) -> Callable[[str], str]:
    def parse(cell: str) -> str:
        if len(cell) > width:
            raise NotAValue(f"{len(cell)} characters, and there is room for {width}")
        if exact and not cell:
            raise NotAValue("not one character")
        return cell

    return parse


def _bad_cell(where: str, column: str, cell: str, why: Exception) -> Diagnostic:
    return problems.BAD_CELL.at(where=where, cell=_quoted(cell), column=column, why=why)


def _quoted(cell: str) -> str:
    """The cell in quotes, shortened where it is long, without control characters."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in cell)
    return f'"{clean}"' if len(clean) <= _MOST_SHOWN else f'"{clean[:_MOST_SHOWN]}…"'
