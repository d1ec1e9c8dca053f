"""Calls with OVER: functions of a row's place among the rows of its partition, and aggregates of its frame.

order   1   1   2   5      rank 1, 1, 3, 4; the first two rows are peers: the order does not tell them apart
frame of the third row:
RANGE UNBOUNDED PRECEDING TO CURRENT ROW    1   1   2        up to its last peer
ROWS 1 PRECEDING TO 1 FOLLOWING                 1   2   5
RANGE 1 PRECEDING TO CURRENT ROW            1   1   2        by the values of the order
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from slackwater.algebra.expressions.nodes import Aggregation, Column, Literal
from slackwater.algebra.types import BIGINT, DOUBLE, Type
from slackwater.base.span import Span
from slackwater.base.tree import Part


@dataclass(frozen=True, slots=True)
class SortKey:
    """A column of an order. NaN is above every other number."""

    column: str
    descending: bool = False
    nulls_first: bool = True

    def __str__(self) -> str:
        nulls = (
            "" if self.nulls_first != self.descending else f" NULLS {'FIRST' if self.nulls_first else 'LAST'}"
        )
        return f"{self.column}{' DESC' if self.descending else ''}{nulls}"


class Unit(StrEnum):
    """How the bounds of a frame count: rows, or values of the order."""

    ROWS = "rows"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class Frame(Part):
    """The rows from `start` to `end`, both included; None is the first or the last row of the partition.

    A bound is a signed distance from the current row, negative before it. Of RANGE it is a distance of values
    of the order's only column; 0 stands for the row's peers, whatever columns the order has.
    """

    unit: Unit = Unit.RANGE
    start: Literal | None = None
    end: Literal | None = None

    def __str__(self) -> str:
        return f"{self.unit.upper()} {_bound(self.start, 'PRECEDING')} TO {_bound(self.end, 'FOLLOWING')}"

    @property
    def has_distance(self) -> bool:
        """Whether it looks for values at a distance from the row's."""
        bounds = [bound for bound in (self.start, self.end) if bound is not None]
        return self.unit is Unit.RANGE and any(bound.value for bound in bounds)


def _bound(bound: Literal | None, unbounded: str) -> str:
    if bound is None:
        return f"UNBOUNDED {unbounded}"
    if not bound.value:
        return "CURRENT ROW"
    before = bound.value < type(bound.value)()
    return f"{-bound.value if before else bound.value} {'PRECEDING' if before else 'FOLLOWING'}"


HERE: Final = Literal(BIGINT, 0)
WHOLE: Final = Frame()
"""The whole partition."""
UP_TO_PEERS: Final = Frame(Unit.RANGE, None, HERE)
"""SQL's frame where there is an order and none is written."""


@dataclass(frozen=True, slots=True)
class OverFunction:
    """A function of a row's place among the rows of its partition."""

    name: str
    result: Callable[[Type], Type]
    meaning: str
    parameters: tuple[str, ...] = ()
    required: int = 0
    """How many of the parameters have to be written."""
    framed: bool = False
    of_peers: bool = False
    """Whether rows that the order does not tell apart have the same value."""
    looks_back: bool = False
    """Whether rows after the current one and its peers do not change it."""

    @property
    def has_value(self) -> bool:
        """Whether the first parameter is a value of a row."""
        return self.parameters[:1] == ("x",)

    @property
    def signature(self) -> str:
        optional = len(self.parameters) - self.required
        needed = ", ".join(self.parameters[: self.required])
        rest = "".join(f"[, {name}" for name in self.parameters[self.required :])
        return f"{self.name.upper()}({needed}{rest}{']' * optional})"


def _same(type_: Type) -> Type:
    return type_


def _whole(_: Type) -> Type:
    return BIGINT


def _real(_: Type) -> Type:
    return DOUBLE


OVER_FUNCTIONS: dict[str, OverFunction] = {
    function.name: function
    for function in (
        OverFunction("row_number", _whole, "the place of the row, from 1", looks_back=True),
        OverFunction("rank", _whole, "the place of its first peer, from 1", of_peers=True, looks_back=True),
        OverFunction(
            "dense_rank",
            _whole,
            "how many groups of peers there are up to its own",
            of_peers=True,
            looks_back=True,
        ),
        OverFunction(
            "percent_rank",
            _real,
            "(rank - 1) / (rows - 1), of a partition of one row 0",
            of_peers=True,
        ),
        OverFunction("cume_dist", _real, "the share of the rows up to its last peer", of_peers=True),
        OverFunction(
            "ntile", _whole, "the part that the row is in, from 1, of n parts of nearly one size", ("n",), 1
        ),
        OverFunction(
            "lag",
            _same,
            "x of the row n rows before, by default 1; d, by default NULL, if there is none",
            ("x", "n", "d"),
            1,
            looks_back=True,
        ),
        OverFunction(
            "lead",
            _same,
            "x of the row n rows after, by default 1; d, by default NULL, if there is none",
            ("x", "n", "d"),
            1,
        ),
        OverFunction("first_value", _same, "x of the first row of the frame", ("x",), 1, framed=True),
        OverFunction("last_value", _same, "x of the last row of the frame", ("x",), 1, framed=True),
        OverFunction(
            "nth_value", _same, "x of the n-th row of the frame, or NULL", ("x", "n"), 2, framed=True
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Placed(Part):
    """A function of the row's place; of LAG and LEAD, `default` is the value where there is no such row.

    With `ignore_nulls`, only rows count whose argument is not NULL.
    """

    type: Type
    function: str
    argument: Column | None = None
    count: int = 1
    default: Column | None = None
    ignore_nulls: bool = False
    frame: Frame = WHOLE
    origin: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        definition = OVER_FUNCTIONS[self.function]
        columns = {"x": self.argument, "d": self.default}
        values = {name: column.name for name, column in columns.items() if column is not None}
        values["n"] = str(self.count)
        shown = [values[name] for name in definition.parameters if name in values]
        nulls = " IGNORE NULLS" if self.ignore_nulls else ""
        return f"{self.function}({', '.join(shown)}){nulls}{_framed(self.frame)}"

    @property
    def is_of_peers(self) -> bool:
        """Whether the rule for ties does not matter to it."""
        return OVER_FUNCTIONS[self.function].of_peers

    @property
    def looks_back(self) -> bool:
        """Whether it is the same without the rows after the current one."""
        return OVER_FUNCTIONS[self.function].looks_back


@dataclass(frozen=True, slots=True)
class Framed(Part):
    """An aggregate of the rows of the frame; its argument is a column."""

    aggregation: Aggregation
    frame: Frame

    def __str__(self) -> str:
        call = self.aggregation
        inside = "*" if call.argument is None else getattr(call.argument, "name", "…")
        return f"{call.name}({'DISTINCT ' if call.distinct else ''}{inside}){_framed(self.frame)}"

    @property
    def type(self) -> Type:
        return self.aggregation.type

    @property
    def is_of_peers(self) -> bool:
        """Whether the rule for ties does not matter to it."""
        return self.frame.unit is Unit.RANGE

    @property
    def looks_back(self) -> bool:
        """Whether it is the same without the rows after the current one."""
        end = self.frame.end
        return self.frame.unit is Unit.ROWS and end is not None and end.value <= 0


def _framed(frame: Frame) -> str:
    return "" if frame in (WHOLE, UP_TO_PEERS) else f" {frame}"


OverCall = Placed | Framed
