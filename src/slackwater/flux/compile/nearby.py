"""Items near an item: a loop of a best-match join looks its candidates up in a grid.

    for $s in e where $r bestmatch join $s on (abs($r/x - $s/x)) min 5, (abs($r/y - $s/y)) min 2

The sides of the differences are computed once for each item of e, and once for each $r. Each item of e is in
one cell of a grid whose cells are 5 wide and 2 high; the partners of $r within the bounds are in its cell and
the cells around it. The lookup gives all of them, and may give more: the join measures each. Where a side is
not a number the loop runs over all items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from slackwater.base.diagnostic import SlackwaterError
from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import joins
from slackwater.flux.compile.context import Run, Scope, StaticContext
from slackwater.flux.compile.grid import Grid
from slackwater.flux.plan.terms import free
from slackwater.flux.values.arithmetic import calculated, operand
from slackwater.flux.values.atomic import Items, Number, at_most_one
from slackwater.flux.values.bestmatch import bound_of
from slackwater.flux.values.casts import to_double
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast

_FEW = 8
"""So few items are not worth a grid."""

Distance: TypeAlias = Callable[[], Number | None]
"""The distance of the current pair in one dimension; NaN where it has none, None where that is not known."""


@dataclass(frozen=True)
class Axis:
    """A dimension |key - probe|, where only the key uses the loop's variable; `number` is its place."""

    number: int
    key: ast.Expr
    probe: ast.Expr
    bound: ast.Expr | None


def axes(
    join: ast.BestMatch, variable: str, before: Collection[str], after: Collection[str], scope: Scope
) -> list[Axis]:
    """The axes that items of a loop can be looked up by.

    `before` and `after` are the variables of the join's clauses that are bound before the loop's, and after.
    """
    listed: list[Axis] = []
    for number, dimension in enumerate(join.dimensions):
        match dimension:
            case ast.Dimension((ast.Call("abs", (ast.Arithmetic("-", left, right),)),), "min", limit):
                changing = {variable, *before, *after}
                fixed = limit if limit is None or _is_fixed(limit, changing, scope) else None
                for key, probe in ((left, right), (right, left)):
                    is_key = variable in free(key) and _is_fixed(key, changing - {variable}, scope)
                    if is_key and not free(probe) & {variable, *after}:
                        listed.append(Axis(number, key, probe, fixed))
    return listed


def _is_fixed(expr: ast.Expr, changing: Collection[str], scope: Scope) -> bool:
    return not free(expr) & {*changing} and joins.is_steady(expr, scope)


@dataclass(frozen=True)
class Table:
    """The items of a loop, their sides of the differences by axis, and the grid of those with bounds."""

    items: Items
    keys: list[list[Number | None]] | None = None
    grid: Grid | None = None


class Nearby:
    """The items of a loop that may be within the bounds, by position."""

    def __init__(
        self,
        axes: Sequence[Axis],
        source: Run,
        variable: str,
        slot: int,
        deps: Iterable[str],
        static: StaticContext,
    ) -> None:
        self.source = source
        self.slot = slot
        self.env = static.scope.env
        self.state, self.at = static.scope.slot().number, static.scope.slot().number
        """The indexes of the sides of the current pair: those of all items, and the position of its item."""
        self.keys = [compiler.items(axis.key, static) for axis in axes]
        self.probes = [compiler.items(axis.probe, static) for axis in axes]
        self.bounds = [compiler.items(axis.bound, static) if axis.bound else None for axis in axes]
        used = [free(axis.key) | (free(axis.bound) if axis.bound else set()) for axis in axes]
        names = {*deps}.union(*used) - {variable}
        self.tables = joins.Cache(names, self._build, static)

    def matches(self) -> tuple[Items, Sequence[int]]:
        """All items, and the positions of those that may be near, in their order."""
        table = self.tables.current()
        everything = range(len(table.items))
        self.env[self.state] = None
        if table.keys is None:
            return table.items, everything
        try:
            point = [_side(probe()) for probe in self.probes]
        except (Wrong, SlackwaterError):
            return table.items, everything
        if None in point:
            return table.items, ()
        self.env[self.state] = (point, table.keys)
        return table.items, everything if table.grid is None else table.grid.near(point)  # type: ignore[arg-type]

    def distance(self, axis: int) -> Distance:
        env, state, at = self.env, self.state, self.at

        def run() -> Number | None:
            if env[state] is None:
                return None
            point, keys = env[state]
            one, other = point[axis], keys[axis][env[at]]
            if type(one) is float and type(other) is float:
                return abs(one - other)
            return math.nan if other is None else _absolute(calculated("-", one, other))

        return run

    def _build(self) -> Table:
        items = self.source()
        env, slot = self.env, self.slot
        keys: list[list[Number | None]] = [[] for _ in self.keys]
        try:
            bounds = [bound and to_double(bound_of(bound())) for bound in self.bounds]
            for item in items:
                env[slot] = item
                for column, key in zip(keys, self.keys, strict=True):
                    column.append(_side(key()))
        except (Wrong, SlackwaterError):
            return Table(items)
        limits = [
            (axis, bound) for axis, bound in enumerate(bounds) if bound is not None and 0 <= bound < math.inf
        ]
        return Table(items, keys, Grid(limits, keys) if limits and len(items) > _FEW else None)


def _side(items: Items) -> Number | None:
    """A side of a difference."""
    atom = at_most_one(items, "-")
    return None if atom is None else operand(atom)


def _absolute(number: Number) -> Number:
    return number.copy_abs() if isinstance(number, Decimal) else abs(number)
