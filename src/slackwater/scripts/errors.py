"""What can be wrong with a data file of the STREAM prototype, one function each."""

from __future__ import annotations

from slackwater.algebra.types import Type
from slackwater.base.diagnostic import Diagnostic

_MOST_SHOWN = 40


def empty_file(name: str) -> Diagnostic:
    return Diagnostic(
        "empty-file",
        "the data file is empty",
        where=name,
        detail="Its first line gives the types of its columns.",
        hint="Write that line, for example i,i; no rows may follow it.",
    )


def wrong_header(name: str, given: str, wanted: str, table: str) -> Diagnostic:
    return Diagnostic(
        "wrong-header",
        f'the first line does not give the columns of "{table}"',
        where=f"{name}:1",
        detail=f"It is {_shown(given)}; the table says {wanted}.",
        hint="The letters are i (integer), f (float), b (byte) and cN (text); the time comes first.",
    )


def unreadable_type(name: str, column: str, type_: Type) -> Diagnostic:
    return Diagnostic(
        "unreadable-type",
        f'a data file cannot hold column "{column}" of type {type_}',
        where=name,
        hint="Declare it as integer, float, byte or char(n).",
    )


def wrong_count(where: str, given: int, wanted: int) -> Diagnostic:
    return Diagnostic(
        "wrong-cell-count",
        f"{given} cell{'s' * (given != 1)}, but the first line names {wanted}",
        where=where,
    )


def bad_cell(where: str, column: str, cell: str, why: Exception) -> Diagnostic:
    return Diagnostic("bad-cell", f'{_shown(cell)} in column "{column}": {why}', where=where)


def bad_sign(where: str, cell: str) -> Diagnostic:
    return Diagnostic(
        "bad-sign",
        f'{_shown(cell)} in column "sign": neither + nor -',
        where=where,
        hint="The second column of a relation's file says whether the row comes or goes.",
    )


def outside_time(where: str, time: int) -> Diagnostic:
    return Diagnostic(
        "bad-time",
        f'{time} in column "time" is not an instant',
        where=where,
        detail="Instants are whole numbers from 0 on, up to 9223372036854775806.",
    )


def backwards(where: str, time: int, last: int) -> Diagnostic:
    return Diagnostic(
        "time-goes-backwards",
        f"time {time} stands after time {last}",
        where=where,
        hint="Sort the rows by their first column.",
    )


def nul(where: str) -> Diagnostic:
    return Diagnostic(
        "nul-byte",
        "the line has a NUL byte in it",
        where=where,
        hint="A data file is text; this one may be cut off or of another kind.",
    )


def _shown(cell: str) -> str:
    """The cell in quotes, cut where it is long, with nothing in it that moves the cursor."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in cell)
    return f'"{clean}"' if len(clean) <= _MOST_SHOWN else f'"{clean[:_MOST_SHOWN]}…"'
