"""Rows in windows: TUMBLE, HOP, CUMULATE and SESSION, by the time in a column.

time      0 . . . 4 . . . 8 . . . 12      rows a at 1, b at 5, c at 6, d at 12
tumble 4  [ a     [ b c   [       [ d     a window begins where the one before it ends
hop 2, 4  [ a     [ b c   [       [ d     a row is in two windows
            . [     b c [       [ . d
session 2   [a  )   [b c  )         [d    rows that are not more than 2 apart; it ends 2 after the last
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slackwater.algebra.expressions import Expression
from slackwater.algebra.instants import instant_at
from slackwater.algebra.operator import Kind, Unary, demand, demand_kind, once
from slackwater.algebra.rows import RowMap
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, TIMESTAMP, TIMESTAMP_NTZ, Type
from slackwater.base.time import CALENDAR

TIMES = (TIMESTAMP, TIMESTAMP_NTZ, BIGINT)
"""The types of the time of a row; lengths are microseconds, or numbers."""


@dataclass(frozen=True, slots=True)
class Assign(RowMap):
    """⟦R in W c⟧(t) = [ x ∘ (s, e) | x ∈ R(t), (s, e) ∈ W(c(x)) ]

    W(v) = { (s, s + w) | s ≡ o (mod l), s ≤ v < s + w }                           hopping; tumbling if l = w
    W(v) = { (s, s + k·l) | s ≡ o (mod w), 1 ≤ k ≤ w / l, s ≤ v < s + k·l }        cumulating

    Of a size w, a step l and an offset o from 1970-01-01 UTC, or from 0. A row whose c is NULL is in no
    window. Over a stream it maps each element's row.
    """

    time: Expression
    size: int
    step: int
    offset: int = 0
    cumulates: bool = False
    start: str = "window_start"
    end: str = "window_end"

    def __post_init__(self) -> None:
        demand(self.time.type in TIMES, "windows are of a time or a whole number")
        demand(self.size >= 1 and self.step >= 1, "a window is not empty")
        demand(not self.cumulates or self.size % self.step == 0, "the steps make up the window")
        demand(self.start not in self.source.schema, "the start of a window is a new column")
        demand(self.end not in self.source.schema, "the end of a window is a new column")

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema + Schema(((self.start, self.time.type), (self.end, self.time.type)))

    @property
    def most(self) -> int:
        """The number of windows that a row can be in."""
        return -(-self.size // self.step)


@dataclass(frozen=True, slots=True)
class Sessions(Unary):
    """⟦R in sessions⟧(t) = [ x ∘ (c(first), c(last) + g) | x ∈ C, C a session of R(t) ]

    Two rows of equal k are linked if their c are at most the gap g apart, and a session is a set of rows
    that links connect. So sessions merge where a row comes between them, and split where one goes. A row
    whose c is NULL is in no session; rows whose k is NULL are of one k.
    """

    time: Expression
    gap: int
    keys: tuple[Expression, ...] = ()
    start: str = "window_start"
    end: str = "window_end"

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "Sessions")
        demand(self.time.type in TIMES, "sessions are of a time or a whole number")
        demand(self.gap >= 1, "a gap is not empty")
        demand(self.start not in self.source.schema, "the start of a session is a new column")
        demand(self.end not in self.source.schema, "the end of a session is a new column")

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema + Schema(((self.start, self.time.type), (self.end, self.time.type)))


def is_moment(instant: int, type_: Type) -> bool:
    """Whether there is such a time or number; the end of a window may lie beyond them."""
    if type_.is_integer:
        return -(2**63) <= instant < 2**63
    return instant_at(datetime.min) <= instant <= instant_at(datetime.max)


class Windows(Protocol):
    """The lengths of the windows that rows are assigned to."""

    @property
    def size(self) -> int: ...
    @property
    def step(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def cumulates(self) -> bool: ...


def windows_in_words(windows: Windows, type_: Type) -> str:
    """The windows as text: hop 2 minutes size 10 minutes."""
    size, step = (length_in_words(length, type_) for length in (windows.size, windows.step))
    words = f"cumulate {step} size {size}" if windows.cumulates else f"hop {step} size {size}"
    if windows.size == windows.step:
        words = f"tumble {size}"
    return f"{words} offset {length_in_words(windows.offset, type_)}" if windows.offset else words


def length_in_words(length: int, type_: Type) -> str:
    """A length of the windows of a time or number."""
    return str(length) if type_.is_integer else CALENDAR.lasting(length).lower()
