"""The estimates of joins.

For inputs with rates λ, μ and R, S rows alive, of which a pair matches with probability σ:

    rate   σ (λ S + μ R)          each new element meets the rows that are alive on the other side
    alive  σ R S
    work   2 (λ + μ)              insert and probe, by hash
           λ S + μ R              compare, without equal columns
           + ends + rate          expire, and give

J. Kang, J. F. Naughton, S. D. Viglas: Evaluating window joins over unbounded streams, ICDE 2003, section 3:
the unit-time cost of probe, insert and invalidate. Retractions are joined like elements (Ghanem et al., Nile,
section 6), while ends that elements carry cost no join: λ and μ contain the retractions only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from slackwater.algebra import Schema
from slackwater.algebra.expressions import Call, Column, Expression, conjuncts
from slackwater.optimize.build import TRUE
from slackwater.optimize.cost.estimates import Estimate, combinations, occupied
from slackwater.optimize.cost.selectivity import selectivity
from slackwater.optimize.cost.statistics import Statistics, width_of


@dataclass(frozen=True, slots=True)
class Matching:
    """Of the pairs of two inputs: the share that matches, and whether equal columns find them."""

    share: float
    by_hash: bool
    equal: tuple[tuple[str, str], ...] = ()


def matching(on: Expression, left: Estimate, right: Estimate, statistics: Statistics) -> Matching:
    """How the condition of a join matches pairs."""

    def distinct(name: str) -> float:
        return (left if name in left.distinct else right).distinct_of(name)

    pairs = tuple(pair for part in conjuncts(on) if (pair := _equal_columns(part, left, right)) is not None)
    share = 1.0 if on == TRUE else selectivity(on, distinct, statistics)
    return Matching(share, bool(pairs), pairs)


def _equal_columns(part: Expression, left: Estimate, right: Estimate) -> tuple[str, str] | None:
    match part:
        case Call(function="eq" | "is_not_distinct_from", arguments=(Column() as one, Column() as other)):
            for a, b in ((one.name, other.name), (other.name, one.name)):
                if a in left.distinct and b in right.distinct:
                    return a, b
    return None


def joined(match: Matching, left: Estimate, right: Estimate, schema: Schema) -> Estimate:
    """The pairs that match."""
    share = match.share
    distinct = {**left.distinct, **right.distinct}
    for a, b in match.equal:
        distinct[a] = distinct[b] = min(left.distinct_of(a), right.distinct_of(b))
    rate = share * (left.rate * right.alive + right.rate * left.alive)
    retracted = share * (left.retracted * right.alive + right.retracted * left.alive)
    return Estimate(
        rate,
        share * (left.ends * right.alive + right.ends * left.alive),
        retracted,
        share * left.alive * right.alive,
        distinct,
        width_of(schema),
        work=_finding(match, left, right) + left.ends + right.ends + rate + retracted,
        state=left.alive + right.alive,
        state_bytes=left.alive * left.width + right.alive * right.width,
        moved=left.flow + right.flow,
        period=min(left.period, right.period),
        end_period=min(left.end_period, right.end_period),
        is_default=left.is_default or right.is_default,
    )


def _finding(match: Matching, left: Estimate, right: Estimate) -> float:
    if match.by_hash:
        return 2.0 * (left.elements + right.elements)
    return left.elements * (1.0 + right.alive) + right.elements * (1.0 + left.alive)


def halved(match: Matching, left: Estimate, right: Estimate, *, partnered: bool) -> Estimate:
    """The rows of the left side with a partner, or those without one: 1 - e^(-σ S) of them have one."""
    with_partner = -math.expm1(-match.share * right.alive)
    share = with_partner if partnered else 1.0 - with_partner
    # A row of the right side changes what the rows of the left side with its key have.
    keys = occupied(combinations(right.distinct_of(name) for _, name in match.equal), right.alive)
    kept_keys = 2 * keys + right.future_ends if match.equal else right.alive
    changes = match.share * left.alive * (right.rate + right.ends) * math.exp(-match.share * right.alive)
    return Estimate(
        left.rate * share + changes / 2,
        left.ends * share + changes / 2,
        left.retracted * share + changes / 2,
        left.alive * share,
        left.distinct,
        left.width,
        work=_finding(match, left, right) + left.ends + right.ends + left.elements * share + changes,
        state=left.alive + kept_keys,
        state_bytes=left.alive * left.width + kept_keys * right.width,
        moved=left.flow + right.flow,
        period=min(left.period, right.period),
        end_period=min(left.end_period, right.end_period),
        is_default=left.is_default or right.is_default,
    )
