"""Rows that cannot enter, and why: each is refused, or set aside with its reason.

row                       reason
two;north                 does not fit its columns
ts = null, a = 1          its time is missing
ts = 1492-10-12, a = 1    its time is 1492-10-12 00:00:00Z, before 1700-01-01 00:00:00Z
op = x, a = 1             "x" is not an op
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import polars as pl

from slackwater.algebra.changes import Record, bad_op, update_without_key
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.problem import Problem
from slackwater.base.time import INFINITY, Clock
from slackwater.kernels import relations
from slackwater.run.input import problems
from slackwater.run.input.tags import TIME, UNDECODED, UNTIL
from slackwater.sources.misfits import line_of
from slackwater.sources.readers import FILE, RAW

_WHY = "@why"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH).days
_LAST_DAY = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH).days
_DAY = timedelta(days=1) // timedelta(microseconds=1)
_MOST_DAYS = 260_000 * 365


@dataclass(frozen=True, slots=True)
class ExpectedRows:
    """What the rows of a source are expected to be."""

    name: str
    columns: tuple[str, ...]
    clock: Clock
    ops: tuple[str, ...] | None = None
    """The changes that a row may be; None where rows are no changes."""
    why: Callable[[str], str | None] = lambda raw: None
    """Why a row could not be read, as a sentence; None where that is unknown."""
    place: Callable[[str, dict[str, Any], int | None], str] = lambda file, row, time: file
    """The place in a file of the row with these values and this time."""


@dataclass(frozen=True, slots=True)
class Misfits:
    """Rows of a batch and a source that cannot enter, each with the check that it did not pass."""

    expected: ExpectedRows
    rows: pl.DataFrame

    @property
    def diagnostic(self) -> Diagnostic:
        """The diagnostic of the first of them, in the order of the files' rows."""
        number: int = self.rows[_WHY][0]
        refuse: _Refusal = _CHECKS[number].diagnostic
        return refuse(self.expected, _Row(self.rows, 0), self.rows.filter(pl.col(_WHY) == number))

    def records(self) -> list[dict[str, Any]]:
        """The rows as they are set aside, with the reason of each."""
        records: list[dict[str, Any]] = []
        for place in range(self.rows.height):
            row = _Row(self.rows, place)
            reason = _CHECKS[row[_WHY]].reason(self.expected, row)
            where = {} if row[FILE] is None else {"file": file_name(row[FILE])}
            values = row.values(self.expected) if row[RAW] is None else row[RAW]
            records.append({**where, "row": values, "reason": reason})
        return records


def split_misfits(rows: pl.DataFrame, expected: ExpectedRows) -> tuple[pl.DataFrame, Misfits | None]:
    """The rows that can enter, and the others."""
    checks = {place: check.wrong(expected, rows) for place, check in enumerate(_CHECKS)}
    expressions = {place: expr for place, expr in checks.items() if expr is not None}
    if not rows.height or not rows.select(pl.any_horizontal(expressions.values()).any()).item():
        return rows, None
    why = pl.coalesce(pl.when(expr).then(pl.lit(place, pl.Int8)) for place, expr in expressions.items())
    marked = rows.with_columns(why.alias(_WHY))
    bad = marked.filter(pl.col(_WHY).is_not_null())
    return marked.filter(pl.col(_WHY).is_null()).drop(_WHY), Misfits(expected, bad)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a frame; missing columns are NULL."""

    frame: pl.DataFrame
    place: int

    def __getitem__(self, name: str) -> Any:
        return self.frame[name][self.place] if name in self.frame.columns else None

    def values(self, expected: ExpectedRows) -> dict[str, Any]:
        """The user's columns; times as texts, because Python has none after the year 9999."""
        row = self.frame[self.place].select(expected.columns)
        times = [name for name, kind in row.schema.items() if kind in (pl.Date, pl.Datetime)]
        return row.with_columns(_moment(row[name]) for name in times).row(0, named=True)


def _moment(cell: pl.Series) -> pl.Series:
    """A time as text; in days where Polars cannot write it, which fails after the year 262142."""
    number = cell.to_physical().cast(pl.Int64)
    days = number[0] if cell.dtype == pl.Date or number[0] is None else number[0] // _DAY
    if days is None or abs(days) <= _MOST_DAYS:
        return cell.cast(pl.String)
    return pl.Series(cell.name, [f"{days:,} days from 1970"])


_Reason = Callable[[ExpectedRows, _Row], str]
_Refusal = Callable[[ExpectedRows, _Row, pl.DataFrame], Diagnostic]


@dataclass(frozen=True, slots=True)
class _Check:
    """Which rows are wrong (None: none can be), the reason of one that is set aside, and the refusal."""

    wrong: Callable[[ExpectedRows, pl.DataFrame], pl.Expr | None]
    reason: _Reason
    diagnostic: _Refusal


def _unread(expected: ExpectedRows, rows: pl.DataFrame) -> pl.Expr | None:
    return pl.col(RAW).is_not_null() if RAW in rows.columns else None


def _undecoded(expected: ExpectedRows, rows: pl.DataFrame) -> pl.Expr | None:
    return pl.col(UNDECODED).is_not_null() if UNDECODED in rows.columns else None


def _outside(expected: ExpectedRows, rows: pl.DataFrame) -> pl.Expr:
    clock = expected.clock
    return pl.col(TIME).is_null() | (pl.col(TIME) < clock.begin) | (pl.col(TIME) > clock.last)


def _ended(expected: ExpectedRows, rows: pl.DataFrame) -> pl.Expr | None:
    return (pl.col(UNTIL) <= pl.col(TIME)).fill_null(False) if UNTIL in rows.columns else None


def _unchanging(expected: ExpectedRows, rows: pl.DataFrame) -> pl.Expr | None:
    if expected.ops is None:
        return None
    return ~pl.col(relations.OP).is_in(expected.ops) | pl.col(relations.OP).is_null()


def _times(expected: ExpectedRows, rows: pl.DataFrame) -> list[str]:
    return [name for name in expected.columns if rows.schema[name] in (pl.Date, pl.Datetime)]


def _unshown(expected: ExpectedRows, rows: pl.DataFrame) -> pl.Expr | None:
    """Spark's times reach further than the types of the language."""
    far = [_is_far(name, rows) for name in _times(expected, rows)]
    return pl.any_horizontal(far) if far else None


def _is_far(name: str, rows: pl.DataFrame) -> pl.Expr:
    column = pl.col(name).to_physical().cast(pl.Int64)
    days = column if rows.schema[name] == pl.Date else column // _DAY
    return (~days.is_between(_FIRST_DAY, _LAST_DAY)).fill_null(False)


def _time_reason(expected: ExpectedRows, row: _Row) -> str:
    time, clock = row[TIME], expected.clock
    if time is None:
        return "its time is missing"
    side, end = ("before", clock.begin) if time < clock.begin else ("after", clock.last)
    if clock.calendar and abs(time) > INFINITY - 4 * _DAY:  # at the end of what can be counted
        return f"its time is {side} {clock.format(end)}"
    return f"its time is {clock.format(time)}, {side} {clock.format(end)}"


def _text_reason(expected: ExpectedRows, row: _Row) -> str:
    return f'column "{row[UNDECODED]}" has bytes that are not UTF-8'


def _end_reason(expected: ExpectedRows, row: _Row) -> str:
    return f"from {expected.clock.format(row[TIME])} until {expected.clock.format(row[UNTIL])}"


def _short_reason(expected: ExpectedRows, row: _Row) -> str:
    return f"its end is not after its time, {_end_reason(expected, row)}"


def _change(expected: ExpectedRows, row: _Row) -> Diagnostic:
    record = Record(row[TIME], str(row[relations.OP]), tuple(row.values(expected).values()))
    diagnostic = update_without_key(record) if record.op == "u" else bad_op(record)
    return replace(diagnostic, where=f'relation "{expected.name}"')


def _far_reason(expected: ExpectedRows, row: _Row) -> str:
    here = row.frame[[row.place]]
    far = [name for name in _times(expected, here) if here.select(_is_far(name, here)).item()]
    return f'column "{far[0]}" is outside the years 1 to 9999'


def _where(expected: ExpectedRows, row: _Row) -> str:
    return file_name(row[FILE]) if row[FILE] is not None else f'source "{expected.name}"'


def _line(expected: ExpectedRows, row: _Row) -> str:
    """The file, with the line where the values identify it: of timestamps only a missing one does."""
    if row[FILE] is None or (expected.clock.calendar and row[TIME] is not None):
        return _where(expected, row)
    return expected.place(file_name(row[FILE]), row.values(expected), row[TIME])


def _refusal(problem: Problem, reason: _Reason, where: _Reason = _where) -> _Refusal:
    """The diagnostic of a row with this problem."""

    def refuse(expected: ExpectedRows, row: _Row, rows: pl.DataFrame) -> Diagnostic:
        values, why = format_row(row.values(expected)), reason(expected, row)
        return problem.at(where=where(expected, row), name=expected.name, row=values, why=why)

    return refuse


def _malformed_row(expected: ExpectedRows, row: _Row, rows: pl.DataFrame) -> Diagnostic:
    more = f" It is one of {rows.height} such rows in this batch." if rows.height > 1 else ""
    why = expected.why(row[RAW])
    return problems.MALFORMED_ROW.at(
        where=line_of(file_name(row[FILE]), row[RAW]),
        name=expected.name,
        row=row[RAW],
        why=f" {why}" if why else "",
        more=more,
    )


_CHECKS: tuple[_Check, ...] = (
    _Check(
        _unread, lambda expected, row: expected.why(row[RAW]) or "it does not fit its columns", _malformed_row
    ),
    _Check(_undecoded, _text_reason, _refusal(problems.UNDECODED_TEXT, _text_reason)),
    _Check(_outside, _time_reason, _refusal(problems.BAD_INSTANT, _time_reason, _line)),
    _Check(_ended, _short_reason, _refusal(problems.EMPTY_INTERVAL, _end_reason)),
    _Check(
        _unchanging,
        lambda expected, row: _change(expected, row).message,
        lambda expected, row, rows: _change(expected, row),
    ),
    _Check(_unshown, _far_reason, _refusal(problems.FAR_VALUE, _far_reason)),
)


def file_name(address: str | None) -> str:
    """A file as a user writes it, from its address in Spark."""
    plain = unquote(address or "")
    return plain.removeprefix("file://") if plain.startswith("file:///") else plain.removeprefix("file:")


def format_row(row: dict[str, object]) -> str:
    return ", ".join(f"{name} = {'null' if value is None else value}" for name, value in row.items())
