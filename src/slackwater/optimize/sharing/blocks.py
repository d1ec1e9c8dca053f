"""Blocks: what a normal form is made of.

A column of a leaf is named `0:a`, by the leaf's number; a key of a group `k:0`, an aggregate `f:0`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Aggregation, Column, Expression, column
from slackwater.algebra.points import ALL, Points
from slackwater.algebra.types import Type
from slackwater.base.tree import rebuild
from slackwater.optimize.sharing.events import come_with

RIGHT = "right:"
"""What the names of a partner's columns begin with."""
Columns = dict[str, Expression]


@dataclass(frozen=True, slots=True)
class Times:
    """The time part of a block: it changes at these instants only."""

    points: Points = ALL
    events: Operator | None = None

    @property
    def is_always(self) -> bool:
        return self.points.is_all

    def __le__(self, other: Times) -> bool:
        """Whether every point is one of the other's; then ℜ self (ℜ other R) = ℜ self R      theorem 1"""
        if other.is_always:
            return True
        if self.events is not None and (other.events is None or not come_with(self.events, other.events)):
            return False
        return self.points <= other.points


ALWAYS = Times()


@dataclass(frozen=True, slots=True)
class Partner:
    """A semi- or anti-join of the block's rows with another relation: a condition that looks at it."""

    kind: type[algebra.SemiJoin | algebra.AntiJoin]
    right: Operator
    on: Expression


@dataclass(frozen=True, slots=True)
class Grouping:
    """Keys and aggregates over the columns of leaves; of the result they are `k:0`, …, and `f:0`, …"""

    keys: tuple[Expression, ...]
    aggregations: tuple[Aggregation, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """What a plan means, in one form."""

    leaves: tuple[Operator, ...]
    columns: Columns = field(hash=False)
    conditions: tuple[Expression, ...] = ()
    partners: tuple[Partner, ...] = ()
    grouping: Grouping | None = None
    having: tuple[Expression, ...] = ()
    times: Times = ALWAYS
    below: tuple[Operator, ...] = field(default=(), hash=False, compare=False)
    """The operators of the plan under the block; a leaf may be another one, made to be compared."""

    @property
    def is_bare(self) -> bool:
        """Whether it is a source or a window with its own columns, and nothing else."""
        plain = not (self.conditions or self.partners or self.grouping)
        return plain and len(self.leaves) == 1 and self.times.is_always and is_source(self.leaves[0])


def is_source(leaf: Operator) -> bool:
    """Whether the leaf is read, or a window over a stream: it costs little."""
    windows = algebra.Range | algebra.Sliding | algebra.Fixed | algebra.Rows
    return isinstance(leaf, windows | algebra.Relation | algebra.Unit)


def key_column(number: int, type_: Type) -> Column:
    return column(f"k:{number}", type_)


def aggregate_column(number: int, type_: Type) -> Column:
    return column(f"f:{number}", type_)


def leaf_column(leaf: int, name: str, type_: Type) -> Column:
    return column(f"{leaf}:{name}", type_)


def shifted(expr: Expression, by: int) -> Expression:
    """The expression over leaves with higher numbers."""
    return renumbered(expr, lambda leaf: leaf + by) if by else expr


def renumbered(expr: Expression, number: Callable[[int], int]) -> Expression:
    def moved(part: Expression) -> Expression:
        if isinstance(part, Column) and not part.name.startswith(RIGHT):
            leaf, _, name = part.name.partition(":")
            return leaf_column(number(int(leaf)), name, part.type)
        return rebuild(part, Expression, moved)

    return moved(expr)
