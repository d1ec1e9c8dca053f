"""Items near an item: a loop of a best-match join looks its candidates up in a grid.

    for $s in e where $r bestmatch join $s on (abs($r/x - $s/x)) min 5, (abs($r/y - $s/y)) min 2

Each item of e is in one cell of a grid whose cells are 5 wide and 2 high, by its own side of the differences.
The partners of $r within the bounds are in its cell and the cells around it. The lookup gives all of them,
and may give more: the join measures each. Where a side is not a number the loop runs over all items.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from slackwater.base.diagnostic import SlackwaterError
from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import joins
from slackwater.flux.compile.context import Run, Scope, StaticContext
from slackwater.flux.plan.terms import free
from slackwater.flux.values.arithmetic import operand
from slackwater.flux.values.atomic import Items, at_most_one
from slackwater.flux.values.bestmatch import bound_of
from slackwater.flux.values.casts import to_double
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast

_MOST_AXES = 3
_FEW = 8
"""So few items are not worth a grid."""
_FARTHEST = 2.0**40
_SLACK = 2.0**-10
"""Quotients up to _FARTHEST are exact to less than _SLACK, so that no partner is missed by rounding."""

Cell = tuple[float, ...]


@dataclass(frozen=True)
class Axis:
    """A dimension |key - probe| ≤ bound, where only the key uses the loop's variable."""

    key: ast.Expr
    probe: ast.Expr
    bound: ast.Expr


def axes(join: ast.BestMatch, variable: str, bound: Collection[str], scope: Scope) -> list[Axis]:
    """The axes that items of a loop can be looked up by; `bound` are the variables of the join's clauses."""
    listed: list[Axis] = []
    for dimension in join.dimensions:
        match dimension:
            case ast.Dimension(
                (ast.Call("abs", (ast.Arithmetic("-", left, right),)),), "min", ast.Expr() as limit
            ):
                for key, probe in ((left, right), (right, left)):
                    others = {*bound} - {variable}
                    apart = variable in free(key) and not free(key) & others and variable not in free(probe)
                    fixed = not free(limit) & {*bound} and all(
                        joins.is_steady(expr, scope) for expr in (key, limit)
                    )
                    if apart and fixed:
                        listed.append(Axis(key, probe, limit))
    return listed[:_MOST_AXES]


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
        self.keys = [compiler.items(axis.key, static) for axis in axes]
        self.probes = [compiler.items(axis.probe, static) for axis in axes]
        self.bounds = [compiler.items(axis.bound, static) for axis in axes]
        used = frozenset[str]().union(*(free(axis.key) | free(axis.bound) for axis in axes))
        self.grids = joins.Cache({*deps} | used - {variable}, self._build, static)

    def matches(self) -> tuple[Items, Sequence[int]]:
        """All items, and the positions of those that may be near, in their order."""
        items, grid = self.grids.current()
        if grid is None:
            return items, range(len(items))
        point: list[float] = []
        try:
            for probe in self.probes:
                number = _number(probe())
                if number is None:
                    return items, ()
                point.append(number)
        except (Wrong, SlackwaterError):
            return items, range(len(items))
        return items, grid.near(point)

    def _build(self) -> tuple[Items, Grid | None]:
        items = self.source()
        if len(items) <= _FEW:
            return items, None
        env, slot = self.env, self.slot
        try:
            bounds = [to_double(bound_of(bound())) for bound in self.bounds]
            if min(bounds) < 0:
                return items, None
            grid = Grid(bounds)
            for place, item in enumerate(items):
                env[slot] = item
                numbers = [_number(key()) for key in self.keys]
                grid.add(numbers, place)
        except (Wrong, SlackwaterError):
            return items, None
        return items, grid


def _number(items: Items) -> float | None:
    """A side of a difference as a double; None where no bound is fulfilled: it is missing or not finite."""
    atom = at_most_one(items, "-")
    number = None if atom is None else to_double(operand(atom))
    return number if number is not None and math.isfinite(number) else None


class Grid:
    """Positions of points by cell; a cell is as wide as the bound, or one value wide where the bound is 0."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.cells: dict[Cell, list[int]] = {}
        self.far: list[int] = []
        """Points that are too far from 0 for their cell to be exact."""
        self.size = 0

    def add(self, point: Sequence[float | None], place: int) -> None:
        self.size = place + 1
        cell: list[float] = []
        for value, bound in zip(point, self.bounds, strict=True):
            if value is None:
                return
            at = value / bound if bound else value
            if abs(at) > _FARTHEST and bound:
                self.far.append(place)
                return
            cell.append(math.floor(at) if bound else value)
        self.cells.setdefault(tuple(cell), []).append(place)

    def near(self, point: Sequence[float]) -> Sequence[int]:
        ranges: list[Any] = []
        for value, bound in zip(point, self.bounds, strict=True):
            if not bound:
                ranges.append((value,))
                continue
            at = value / bound
            if abs(at) > _FARTHEST:
                return range(self.size)
            ranges.append(range(math.floor(at - 1 - _SLACK), math.floor(at + 1 + _SLACK) + 1))
        places = [*self.far]
        for cell in product(*ranges):
            places += self.cells.get(cell, ())
        places.sort()
        return places
