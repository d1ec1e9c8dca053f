"""The estimate of a best match: a share of the candidates, those that no other dominates.

Of n vectors of d independent values, (ln n)^(d-1) / (d-1)! are not dominated on average, n at most.

J. L. Bentley, H. T. Kung, M. Schkolnick, C. D. Thompson: On the average number of maxima in a set of vectors
and applications, JACM 25 (4), 1978.
"""

from __future__ import annotations

import math
from dataclasses import replace

from slackwater.algebra import BestMatch, Side
from slackwater.optimize.cost.estimates import Estimate
from slackwater.optimize.cost.joins import Matching, joined


def best(plan: BestMatch, match: Matching, left: Estimate, right: Estimate) -> Estimate:
    """The best of the pairs that match; each new candidate is compared with those it competes with."""
    pairs = joined(match, left, right, plan.schema)
    count = len(plan.dimensions)
    of_left, of_right = (pairs.alive / max(side.alive, 1.0) for side in (left, right))
    match plan.side:
        case None:
            rivals, share = pairs.alive, _share(pairs.alive, count)
        case Side.LEFT:
            rivals, share = of_left, _share(of_left, count)
        case Side.RIGHT:
            rivals, share = of_right, _share(of_right, count)
        case Side.FULL:
            rivals = of_left + of_right
            share = 1.0 - (1.0 - _share(of_left, count)) * (1.0 - _share(of_right, count))
    rate = pairs.rate * share
    return replace(
        pairs,
        rate=rate,
        ends=rate,
        retracted=rate,
        alive=pairs.alive * share,
        work=pairs.work + pairs.elements * rivals + 2 * rate,
        state=pairs.state + pairs.alive,
        state_bytes=pairs.state_bytes + pairs.alive * pairs.width,
    )


def _share(candidates: float, dimensions: int) -> float:
    """Which share of the candidates of one row no other dominates."""
    if candidates <= 1.0:
        return 1.0
    maxima = math.log(candidates) ** (dimensions - 1) / math.factorial(dimensions - 1)
    return min(1.0, max(1.0, maxima) / candidates)
