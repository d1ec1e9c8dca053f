"""Projections: two in a row are merged, and one that changes nothing is dropped."""

from __future__ import annotations

from collections import Counter

from slackwater.algebra import Aggregate, Operator, Project
from slackwater.algebra.expressions import Column, HigherCall, Literal
from slackwater.base.rules import rule
from slackwater.optimize.rebuild import columns_of, substituted, with_expressions


@rule
def merge_projects(plan: Project) -> Operator | None:
    """π f (π g R) = π (f ∘ g) R

    Unless f uses a computed column of g twice: it would be computed twice.
    """
    match plan:
        case Project(source=Project() as inner) if _is_cheap(plan, inner):
            values = dict(inner.columns)
            columns = tuple((name, substituted(expr, values)) for name, expr in plan.columns)
            return Project(inner.source, columns, origin=plan.origin)
    return None


@rule
def merge_project_into_aggregate(plan: Aggregate) -> Operator | None:
    """α g f (π h R) = α (g ∘ h) (f ∘ h) R

    Unless g and f use a computed column of h twice.
    """
    match plan:
        case Aggregate(source=Project() as inner) if _is_cheap(plan, inner):
            values = dict(inner.columns)
            return with_expressions(plan.over(inner.source), lambda expr: substituted(expr, values))
    return None


def _is_cheap(plan: Operator, inner: Project) -> bool:
    parts = [node for expr in plan.expressions for node in expr.walk()]
    used = Counter(node.name for node in parts if isinstance(node, Column))
    # A function x -> … is called for every element: what it uses would be computed as often.
    bodies = [function.body for node in parts if isinstance(node, HigherCall) for function in node.lambdas]
    used.update(node.name for body in bodies for node in body.walk() if isinstance(node, Column))
    return all(used[name] <= 1 or isinstance(expr, Column | Literal) for name, expr in inner.columns)


@rule
def drop_project_of_all(plan: Project) -> Operator | None:
    """π x R = R, if x is all of R's columns under their own names, in their order"""
    match plan:
        case Project() if plan.columns == columns_of(plan.source.schema):
            return plan.source
    return None


RULES = (drop_project_of_all, merge_projects, merge_project_into_aggregate)
