"""The estimate of a best match: a share of the candidates, those that no other dominates.

Of n vectors of d independent values, (ln n)^(d-1) / (d-1)! are not dominated on average, n at most.

    work of LEFT   λ f + μ m f + ends + 2 rate     a new left row is searched for, a right one makes the m
                                                   left rows near it searched for again
    f              2 log₂ S                        one distance: two binary searches
                   33, n at most                   several distances, in bands (measured, decision 0049)
                   n                               otherwise: all candidates of the row

RIGHT is the same from the other side, FULL both. Without a side the best of the LEFT pairs are compared.

J. L. Bentley, H. T. Kung, M. Schkolnick, C. D. Thompson: On the average number of maxima in a set of vectors
and applications, JACM 25 (4), 1978.
"""

from __future__ import annotations

import math
from dataclasses import replace

from slackwater.algebra import BestMatch, Side
from slackwater.optimize.cost.estimates import Estimate
from slackwater.optimize.cost.joins import Matching, joined
from slackwater.optimize.facts.distances import are_searched

_IN_BANDS = 33.0
"""Points that are looked at for a row, whatever the number of its candidates."""


def best(plan: BestMatch, match: Matching, left: Estimate, right: Estimate) -> Estimate:
    """The best of the pairs that match."""
    pairs = joined(match, left, right, plan.schema)
    count = len(plan.dimensions)
    of_left, of_right = (pairs.alive / max(side.alive, 1.0) for side in (left, right))
    work = [_work(plan, left, right, of_left, of_right), _work(plan, right, left, of_right, of_left)]
    reduced = 0.0  # the share of pairs that a further step keeps
    match plan.side:
        case None:
            share, works = _share(pairs.alive, count), work[:1]
            reduced = _share(of_left, count)
        case Side.LEFT:
            share, works = _share(of_left, count), work[:1]
        case Side.RIGHT:
            share, works = _share(of_right, count), work[1:]
        case Side.FULL:
            share = 1.0 - (1.0 - _share(of_left, count)) * (1.0 - _share(of_right, count))
            works = work
            reduced = share
    rate = pairs.rate * share
    return replace(
        pairs,
        rate=rate,
        ends=rate,
        retracted=rate,
        alive=pairs.alive * share,
        work=sum(works) + left.ends + right.ends + 2 * rate + 2 * pairs.rate * reduced,
        state=len(works) * pairs.state + pairs.alive * reduced,
        state_bytes=len(works) * pairs.state_bytes + pairs.alive * reduced * pairs.width,
    )


def _work(plan: BestMatch, here: Estimate, there: Estimate, candidates: float, near: float) -> float:
    """The work of finding the best pairs of each row here."""
    if not are_searched(plan):
        search = candidates
    elif len(plan.dimensions) == 1:
        search = 2.0 * math.log2(max(there.alive, 2.0))
    else:
        search = min(_IN_BANDS, candidates)
    return 2.0 * (here.elements + there.elements) + (here.elements + there.elements * near) * search


def _share(candidates: float, dimensions: int) -> float:
    """Which share of the candidates of one row no other dominates."""
    if candidates <= 1.0:
        return 1.0
    maxima = math.log(candidates) ** (dimensions - 1) / math.factorial(dimensions - 1)
    return min(1.0, max(1.0, maxima) / candidates)
