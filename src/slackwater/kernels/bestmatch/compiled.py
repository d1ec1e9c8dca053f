"""The matching of a step, with its expressions compiled."""

from __future__ import annotations

import math
from collections.abc import Collection

import polars as pl

from slackwater.algebra.bestmatch import Dimension
from slackwater.algebra.expressions import conjunction, conjuncts
from slackwater.algebra.orders import MAX
from slackwater.kernels.bestmatch.matching import Distance, Matching
from slackwater.kernels.expressions.columns import column, predicate
from slackwater.optimize.facts.distances import distance
from slackwater.physical import steps


def compiled(step: steps.BestMatch, left: Collection[str], right: Collection[str]) -> Matching:
    """What pairs of the step are, for the kernel; `left` and `right` are the columns of its inputs."""
    maybe_distances = [_distance(dimension, left, right) for dimension in step.dimensions]
    distances = tuple(one for one in maybe_distances if one is not None)
    conditions = [] if step.condition is None else conjuncts(step.condition)
    admits = conjunction([*conditions, *(part for one in step.dimensions for part in one.admits)])
    return Matching(
        step.left,
        step.right,
        distances,
        measures(step),
        None if admits is None else predicate(admits),
        is_plain=not conditions and len(distances) == len(step.dimensions),
    )


def measures(step: steps.BestMatch | steps.Best) -> tuple[tuple[pl.Expr, bool], ...]:
    """The dimensions compiled, each with whether more is better."""
    return tuple((column(one.operands[0]), one.order == MAX) for one in step.dimensions)


def _distance(dimension: Dimension, left: Collection[str], right: Collection[str]) -> Distance | None:
    """The distance that a dimension is, if its values and its bound are numbers that doubles represent."""
    sides = distance(dimension, left, right)
    if sides is None:
        return None
    bound = math.inf if dimension.bound is None else float(dimension.bound.value)
    is_whole = dimension.operands[0].type.is_integer
    if dimension.bound is not None and is_whole and not bound.is_integer():
        bound = math.floor(dimension.bound.value)
    kind = pl.Int64 if is_whole else pl.Float64
    mine, theirs = (column(side).cast(kind) for side in sides)
    return Distance(mine, theirs, bound)
