"""Queries in FROM that look at earlier items of FROM, as joins."""

from __future__ import annotations

from slackwater.algebra import DependentJoin, Join, Operator, OuterJoin, Product, Side
from slackwater.optimize.build import TRUE
from slackwater.optimize.decorrelate.dependent_join import dependent, domain_of
from slackwater.optimize.rebuild import only


def as_join(plan: DependentJoin) -> Operator:
    """R ⋉→ Q = π (R, Q) (R ⋈ d (D ⋉→ Q)), D the values that Q looks at; the same for ⟕."""
    source, query = plan.source, plan.query.plan
    domain = domain_of(source, query, plan)
    if domain is None:
        if not plan.keeps:
            return Product(source, query, origin=plan.origin)
        return OuterJoin(source, query, TRUE, Side.LEFT, origin=plan.origin)
    right = dependent(domain, query)
    met = domain.joins(right)
    if plan.keeps:
        return only(OuterJoin(source, right, met, Side.LEFT, origin=plan.origin), plan.schema)
    return only(Join(source, right, met, origin=plan.origin), plan.schema)
