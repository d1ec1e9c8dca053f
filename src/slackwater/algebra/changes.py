"""Records of a relation, folded into its changes.

    time | op | row                    1: {a: +1}
    1    | +  | a            ─►        4: {a: -1, b: +1}
    4    | u  | b   same key

`+` inserts a row, `-` deletes one, `u` replaces the row with the same key, or inserts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from slackwater.algebra import problems
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Span

Row = tuple[Any, ...]
Changes = dict[int, dict[Row, int]]
"""By instant, the copies that come (positive) and go (negative)."""
OPS = ("+", "-", "u")


class Record(NamedTuple):
    """One change as written, and where it is written: a span, or the place in words."""

    time: int
    op: str
    row: Row
    place: Span | str | None = None


def arrivals(records: Iterable[tuple[int, Row]]) -> Changes:
    """The elements of a stream, by instant."""
    changes: Changes = {}
    for time, row in sorted(records, key=lambda record: record[0]):
        bag = changes.setdefault(time, {})
        bag[row] = bag.get(row, 0) + 1
    return changes


def folded(records: Iterable[Record], key: Sequence[int] = ()) -> Changes:
    """The changes that records make, those of one instant in their order.

    `key` are the positions of the key's columns. Raises EngineError with every record that does not
    fit the relation at its time.
    """
    fold = _Fold(tuple(key))
    for record in sorted(records, key=lambda record: record.time):
        fold.take(record)
    if fold.mistakes:
        raise EngineError(fold.mistakes)
    return {time: bag for time, bag in fold.changes.items() if bag}


class _Fold:
    """The relation as it stands, and what has changed so far."""

    def __init__(self, key: tuple[int, ...]) -> None:
        self.key = key
        self.rows: dict[Row, int] = {}
        self.keyed: dict[Row, Row] = {}
        self.changes: Changes = {}
        self.mistakes: list[Diagnostic] = []

    def take(self, record: Record) -> None:
        row = record.row
        old = self.keyed.get(self._key_of(row)) if self.key else None
        if record.op == "+":
            if old is not None:
                self.mistakes.append(duplicate_key(record, old))
                return
            self._change(record.time, row, 1)
        elif record.op == "-":
            if row not in self.rows:
                self.mistakes.append(absent_row(record, old))
                return
            self._change(record.time, row, -1)
        elif record.op == "u" and self.key:
            if old is not None:
                self._change(record.time, old, -1)
            self._change(record.time, row, 1)
        else:
            self.mistakes.append(update_without_key(record) if record.op == "u" else bad_op(record))

    def _key_of(self, row: Row) -> Row:
        return tuple(row[position] for position in self.key)

    def _change(self, time: int, row: Row, copies: int) -> None:
        for bag in (self.rows, self.changes.setdefault(time, {})):
            total = bag.get(row, 0) + copies
            if total:
                bag[row] = total
            else:
                del bag[row]
        if self.key and copies > 0:
            self.keyed[self._key_of(row)] = row
        elif self.key:
            self.keyed.pop(self._key_of(row), None)


def duplicate_key(record: Record, old: Row) -> Diagnostic:
    span, where = _place(record)
    return problems.DUPLICATE_KEY.at(span, where=where, time=record.time, row=format_values(old))


def absent_row(record: Record, old: Row | None) -> Diagnostic:
    span, where = _place(record)
    other = None if old is None else f"The row with this key is {format_values(old)}."
    return problems.ABSENT_ROW.at(
        span, where=where, row=format_values(record.row), time=record.time, detail=other
    )


def ambiguous_update(record: Record, other: Record) -> Diagnostic:
    span, where = _place(record)
    return problems.AMBIGUOUS_UPDATE.at(
        span, where=where, time=record.time, one=format_values(record.row), other=format_values(other.row)
    )


def update_without_key(record: Record) -> Diagnostic:
    span, where = _place(record)
    return problems.UPDATE_WITHOUT_KEY.at(span, where=where)


def bad_op(record: Record) -> Diagnostic:
    span, where = _place(record)
    return problems.BAD_OP.at(span, where=where, op=record.op)


def _place(record: Record) -> tuple[Span | None, str | None]:
    """Where the record stands: a span of a text, or else the place in words."""
    return (record.place, None) if isinstance(record.place, Span) else (None, record.place)


def format_values(row: Row) -> str:
    """A row in words: `(1, a, null)`."""
    return f"({', '.join('null' if value is None else str(value) for value in row)})"
