"""What can be wrong with a data file of the STREAM prototype, one function each."""

from __future__ import annotations

from slackwater.algebra.types import Type
from slackwater.base.diagnostic import Diagnostic
from slackwater.scripts import problems

_MOST_SHOWN = 40


def empty_file(name: str) -> Diagnostic:
    return problems.EMPTY_FILE.at(where=name)


def wrong_header(name: str, given: str, wanted: str, table: str) -> Diagnostic:
    return problems.WRONG_HEADER.at(where=f"{name}:1", table=table, given=_shown(given), wanted=wanted)


def unreadable_type(name: str, column: str, type_: Type) -> Diagnostic:
    return problems.UNREADABLE_TYPE.at(where=name, column=column, type=type_)


def wrong_count(where: str, given: int, wanted: int) -> Diagnostic:
    return problems.WRONG_CELL_COUNT.at(where=where, given=given, s="s" * (given != 1), wanted=wanted)


def bad_cell(where: str, column: str, cell: str, why: Exception) -> Diagnostic:
    return problems.BAD_CELL.at(where=where, cell=_shown(cell), column=column, why=why)


def bad_sign(where: str, cell: str) -> Diagnostic:
    return problems.BAD_SIGN.at(where=where, cell=_shown(cell))


def outside_time(where: str, time: int) -> Diagnostic:
    return problems.BAD_TIME.at(where=where, time=time)


def backwards(where: str, time: int, last: int) -> Diagnostic:
    return problems.TIME_GOES_BACKWARDS.at(where=where, time=time, last=last)


def nul(where: str) -> Diagnostic:
    return problems.NUL_BYTE.at(where=where)


def _shown(cell: str) -> str:
    """The cell in quotes, cut where it is long, with nothing in it that moves the cursor."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in cell)
    return f'"{clean}"' if len(clean) <= _MOST_SHOWN else f'"{clean[:_MOST_SHOWN]}…"'
