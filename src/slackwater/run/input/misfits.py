"""Rows that cannot enter, and why: each is refused, or set aside with its reason.

row                       reason
two;north                 does not fit its columns
ts = null, a = 1          its time is missing
ts = 1492-10-12, a = 1    its time is 1492-10-12 00:00:00Z, before 1700-01-01 00:00:00Z
op = x, a = 1             "x" is not a change
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
class Wanted:
    """What the rows of a source have to be."""

    name: str
    columns: tuple[str, ...]
    clock: Clock
    ops: tuple[str, ...] | None = None
    """The changes that a row may be; None where rows are no changes."""
    why: Callable[[str], str | None] = lambda raw: None
    """What is wrong with a row that could not be read, as a sentence; None where it cannot be said."""
    place: Callable[[str, dict[str, Any], int | None], str] = lambda file, row, time: file
    """Where in a file the row with these values and this time stands."""


@dataclass(frozen=True, slots=True)
class Misfits:
    """Rows of a source that cannot enter; a batch's, with the check that each did not pass."""

    wanted: Wanted
    rows: pl.DataFrame

    @property
    def diagnostic(self) -> Diagnostic:
        """What is wrong with the first of them, in the order of the files' rows."""
        number: int = self.rows[_WHY][0]
        refuse: Callable[[Wanted, _Row, pl.DataFrame], Diagnostic] = _CHECKS[number].diagnostic
        return refuse(self.wanted, _Row(self.rows, 0), self.rows.filter(pl.col(_WHY) == number))

    def records(self) -> list[dict[str, Any]]:
        """The rows as they are written down, with the reason of each."""
        found: list[dict[str, Any]] = []
        for place in range(self.rows.height):
            row = _Row(self.rows, place)
            reason = _CHECKS[row[_WHY]].reason(self.wanted, row)
            where = {} if row[FILE] is None else {"file": file_name(row[FILE])}
            values = row.values(self.wanted) if row[RAW] is None else row[RAW]
            found.append({**where, "row": values, "reason": reason})
        return found


def sorted_out(rows: pl.DataFrame, wanted: Wanted) -> tuple[pl.DataFrame, Misfits | None]:
    """The rows that can enter, and the others."""
    wrong = {place: check.wrong(wanted, rows) for place, check in enumerate(_CHECKS)}
    asked = {place: expr for place, expr in wrong.items() if expr is not None}
    if not rows.height or not rows.select(pl.any_horizontal(asked.values()).any()).item():
        return rows, None
    why = pl.coalesce(pl.when(expr).then(pl.lit(place, pl.Int8)) for place, expr in asked.items())
    marked = rows.with_columns(why.alias(_WHY))
    bad = marked.filter(pl.col(_WHY).is_not_null())
    return marked.filter(pl.col(_WHY).is_null()).drop(_WHY), Misfits(wanted, bad)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a frame; columns that are not there are NULL."""

    frame: pl.DataFrame
    place: int

    def __getitem__(self, name: str) -> Any:
        return self.frame[name][self.place] if name in self.frame.columns else None

    def values(self, wanted: Wanted) -> dict[str, Any]:
        """The user's columns; times as texts, because Python has none after the year 9999."""
        row = self.frame[self.place].select(wanted.columns)
        times = [name for name, kind in row.schema.items() if kind in (pl.Date, pl.Datetime)]
        return row.with_columns(_moment(row[name]) for name in times).row(0, named=True)


def _moment(cell: pl.Series) -> pl.Series:
    """A time as text; in days where Polars cannot write it, which fails after the year 262142."""
    number = cell.to_physical().cast(pl.Int64)
    days = number[0] if cell.dtype == pl.Date or number[0] is None else number[0] // _DAY
    if days is None or abs(days) <= _MOST_DAYS:
        return cell.cast(pl.String)
    return pl.Series(cell.name, [f"{days:,} days from 1970"])


@dataclass(frozen=True, slots=True)
class _Check:
    """Which rows are wrong (None: none can be), the reason of one that is set aside, and the refusal."""

    wrong: Callable[[Wanted, pl.DataFrame], pl.Expr | None]
    reason: Callable[[Wanted, _Row], str]
    diagnostic: Callable[[Wanted, _Row, pl.DataFrame], Diagnostic]


def _unread(wanted: Wanted, rows: pl.DataFrame) -> pl.Expr | None:
    return pl.col(RAW).is_not_null() if RAW in rows.columns else None


def _undecoded(wanted: Wanted, rows: pl.DataFrame) -> pl.Expr | None:
    return pl.col(UNDECODED).is_not_null() if UNDECODED in rows.columns else None


def _outside(wanted: Wanted, rows: pl.DataFrame) -> pl.Expr:
    clock = wanted.clock
    return pl.col(TIME).is_null() | (pl.col(TIME) < clock.begin) | (pl.col(TIME) > clock.last)


def _ended(wanted: Wanted, rows: pl.DataFrame) -> pl.Expr | None:
    return (pl.col(UNTIL) <= pl.col(TIME)).fill_null(False) if UNTIL in rows.columns else None


def _unchanging(wanted: Wanted, rows: pl.DataFrame) -> pl.Expr | None:
    if wanted.ops is None:
        return None
    return ~pl.col(relations.OP).is_in(wanted.ops) | pl.col(relations.OP).is_null()


def _times(wanted: Wanted, rows: pl.DataFrame) -> list[str]:
    return [name for name in wanted.columns if rows.schema[name] in (pl.Date, pl.Datetime)]


def _unshown(wanted: Wanted, rows: pl.DataFrame) -> pl.Expr | None:
    """Spark's times reach further than the types of the language."""
    found = [_is_far(name, rows) for name in _times(wanted, rows)]
    return pl.any_horizontal(found) if found else None


def _is_far(name: str, rows: pl.DataFrame) -> pl.Expr:
    column = pl.col(name).to_physical().cast(pl.Int64)
    days = column if rows.schema[name] == pl.Date else column // _DAY
    return (~days.is_between(_FIRST_DAY, _LAST_DAY)).fill_null(False)


def _time_reason(wanted: Wanted, row: _Row) -> str:
    time, clock = row[TIME], wanted.clock
    if time is None:
        return "its time is missing"
    side, end = ("before", clock.begin) if time < clock.begin else ("after", clock.last)
    if clock.calendar and abs(time) > INFINITY - 4 * _DAY:  # at the end of what can be counted
        return f"its time is {side} {clock.written(end)}"
    return f"its time is {clock.written(time)}, {side} {clock.written(end)}"


def _text_reason(wanted: Wanted, row: _Row) -> str:
    return f'column "{row[UNDECODED]}" has bytes that are not UTF-8'


def _end_reason(wanted: Wanted, row: _Row) -> str:
    return f"from {wanted.clock.written(row[TIME])} until {wanted.clock.written(row[UNTIL])}"


def _short_reason(wanted: Wanted, row: _Row) -> str:
    return f"it ends before it begins, {_end_reason(wanted, row)}"


def _change(wanted: Wanted, row: _Row) -> Diagnostic:
    record = Record(row[TIME], str(row[relations.OP]), tuple(row.values(wanted).values()))
    made = update_without_key(record) if record.op == "u" else bad_op(record)
    return replace(made, where=f'relation "{wanted.name}"')


def _far_reason(wanted: Wanted, row: _Row) -> str:
    here = row.frame[[row.place]]
    far = [name for name in _times(wanted, here) if here.select(_is_far(name, here)).item()]
    return f'column "{far[0]}" lies outside of the years 1 to 9999'


def bad_time(wanted: Wanted, row: _Row, rows: pl.DataFrame) -> Diagnostic:
    return problems.BAD_INSTANT.at(
        where=_line(wanted, row),
        name=wanted.name,
        row=format_row(row.values(wanted)),
        why=_time_reason(wanted, row),
    )


def empty_interval(wanted: Wanted, row: _Row, rows: pl.DataFrame) -> Diagnostic:
    return problems.EMPTY_INTERVAL.at(
        where=_where(wanted, row),
        name=wanted.name,
        row=format_row(row.values(wanted)),
        why=_end_reason(wanted, row),
    )


def far_value(wanted: Wanted, row: _Row, rows: pl.DataFrame) -> Diagnostic:
    return problems.FAR_VALUE.at(
        where=_where(wanted, row),
        name=wanted.name,
        row=format_row(row.values(wanted)),
        why=_far_reason(wanted, row),
    )


def undecoded_text(wanted: Wanted, row: _Row, rows: pl.DataFrame) -> Diagnostic:
    return problems.UNDECODED_TEXT.at(
        where=_where(wanted, row),
        name=wanted.name,
        row=format_row(row.values(wanted)),
        why=_text_reason(wanted, row),
    )


def malformed_row(wanted: Wanted, row: _Row, rows: pl.DataFrame) -> Diagnostic:
    more = f" It is one of {rows.height} such rows in this batch." if rows.height > 1 else ""
    why = wanted.why(row[RAW])
    return problems.MALFORMED_ROW.at(
        where=line_of(file_name(row[FILE]), row[RAW]),
        name=wanted.name,
        row=row[RAW],
        why=f" {why}" if why else "",
        more=more,
    )


_CHECKS: tuple[_Check, ...] = (
    _Check(_unread, lambda wanted, row: wanted.why(row[RAW]) or "it does not fit its columns", malformed_row),
    _Check(_undecoded, _text_reason, undecoded_text),
    _Check(_outside, _time_reason, bad_time),
    _Check(_ended, _short_reason, empty_interval),
    _Check(
        _unchanging,
        lambda wanted, row: _change(wanted, row).message,
        lambda wanted, row, rows: _change(wanted, row),
    ),
    _Check(_unshown, _far_reason, far_value),
)


def _where(wanted: Wanted, row: _Row) -> str:
    return file_name(row[FILE]) if row[FILE] is not None else f'source "{wanted.name}"'


def _line(wanted: Wanted, row: _Row) -> str:
    """The file, with the line where it can be told by the values: of timestamps only a missing one can."""
    if row[FILE] is None or (wanted.clock.calendar and row[TIME] is not None):
        return _where(wanted, row)
    return wanted.place(file_name(row[FILE]), row.values(wanted), row[TIME])


def file_name(address: str | None) -> str:
    """A file as a user writes it, from the address that Spark gives it."""
    plain = unquote(address or "")
    return plain.removeprefix("file://") if plain.startswith("file:///") else plain.removeprefix("file:")


def format_row(row: dict[str, object]) -> str:
    return ", ".join(f"{name} = {'null' if value is None else value}" for name, value in row.items())
