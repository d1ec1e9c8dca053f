"""Best-match joins: a condition, dimensions and a side, bound to an operator.      thesis 4.2.2.2"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import BestMatch, Dimension, Operator, Side
from slackwater.algebra.expressions import Expression, Literal, column
from slackwater.algebra.points import ALL
from slackwater.algebra.types import BOOLEAN, UNKNOWN
from slackwater.base.span import Span
from slackwater.bind.bestmatch import problems
from slackwater.bind.bestmatch.dimensions import Dimensions
from slackwater.bind.expressions import Expressions
from slackwater.bind.synchronization.now import with_windows
from slackwater.language.cql import nodes
from slackwater.optimize.facts.columns import columns


class Match(NamedTuple):
    """What the ON of a best-match join says."""

    condition: Expression
    dimensions: tuple[Dimension, ...]
    side: Side | None
    keeps_unmatched: bool
    windows: tuple[Expression, ...] = ()
    """Bounds on ages: conditions on the current time, each of rows of one side."""

    def of(self, left: Operator, right: Operator, side: Side | None, origin: Span | None) -> Operator:
        """The best match of two relations, with that side in place of its own."""
        one, other = self._young(left), self._young(right)
        plan = BestMatch(one, other, self.condition, self.dimensions, side, origin=origin)
        return with_unmatched(plan, left, right) if self.keeps_unmatched else plan

    def _young(self, rows: Operator) -> Operator:
        """The rows of a side that are within the bounds on their age."""
        own = [window for window in self.windows if columns(window) <= set(rows.schema.names)]
        return with_windows(rows, {ALL: own}) if own else rows


def best_match(left: Operator, right: Operator, join: exp.Join, binder: Expressions) -> Operator | None:
    """The best-match join of two relations; None for errors, which are reported."""
    match = match_of(join, binder)
    return None if match is None else match.of(left, right, match.side, binder.binding.span(join))


def match_of(join: exp.Join, binder: Expressions) -> Match | None:
    """What the join says, bound; None for errors, which are reported."""
    on: nodes.BestMatchOn = join.args["on"]
    binding = binder.binding
    condition = _condition(on, binder)
    binds = Dimensions(binding, binder)
    parts = [binds.dimension(node) for node in on.expressions]
    dimensions = tuple(dimension for dimension in parts if dimension is not None)
    side = Side(str(join.args["side"]).lower()) if join.args.get("side") else None
    if on.keeps_unmatched and side is None:
        binding.report(problems.KEEP_WITHOUT_SIDE.at(binding.span(on)))
        return None
    if len(dimensions) < len(parts) or condition.type is UNKNOWN:
        return None
    if join.args.get("method") and not (binds.windows or any(one.bound for one in dimensions)):
        binding.report(problems.NOT_CONSTRAINED.at(binding.span(on)))
        return None
    return Match(condition, dimensions, side, on.keeps_unmatched, tuple(binds.windows))


def _condition(on: nodes.BestMatchOn, binder: Expressions) -> Expression:
    """The condition on pairs; the current time is in dimensions only."""
    if on.condition is None:
        return Literal(BOOLEAN, True)
    return replace(binder, may_use_now=False).condition(on.condition, "ON")


def with_unmatched(plan: BestMatch, left: Operator, right: Operator) -> Operator:
    """R ⊠ left S with the rows of R that have no candidate: (R ⊠ S) ∪ ((R - (R' ⋉ q S')) × [NULL…])

    R' and S' are the inputs of the best match, the rows of R and S that are young enough.
    """
    result: Operator = plan
    for side, rows, here, there in (
        (Side.LEFT, left, plan.left, plan.right),
        (Side.RIGHT, right, plan.right, plan.left),
    ):
        if plan.side in (side, Side.FULL):
            alone: Operator = algebra.AntiJoin(here, there, plan.admits, origin=plan.origin)
            if rows is not here:
                alone = algebra.Except(rows, algebra.SemiJoin(here, there, plan.admits, origin=plan.origin))
            values = (
                (name, column(name, type_) if name in rows.schema else Literal(type_, None))
                for name, type_ in plan.schema
            )
            result = algebra.Union(result, algebra.Project(alone, tuple(values)), origin=plan.origin)
    return result
