"""Recursion: a relation that is computed from itself, at each instant until nothing changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from slackwater.algebra.bags import Distinct, Except, Intersect, MaxUnion, StrictDifference, Union
from slackwater.algebra.joins import AntiJoin, DependentJoin, Join, OuterJoin, Product, SemiJoin, Side
from slackwater.algebra.operator import Kind, Operator, demand, demand_kind, once
from slackwater.algebra.rows import Group, Project, Select, Unnest
from slackwater.algebra.schema import Schema
from slackwater.algebra.sources import Relation

ITSELF: Final = "@recursive"
"""The name, in a body, of the rows that the recursion has so far."""
MOST_ROUNDS: Final = 10_000
"""After so many rounds at one instant, a recursion is taken to have no end."""


def input_name(place: int) -> str:
    """The name, in a body, of the recursion's source at that place."""
    return f"@{place}"


@dataclass(frozen=True, slots=True)
class Body:
    """B: a plan over `Relation`s, the recursion's own rows and its sources; what it gives at one instant."""

    plan: Operator


@dataclass(frozen=True, slots=True)
class Recursion(Operator):
    """⟦μ B R⟧(t) = the least X with X = δ (R(t) ∪ B(X, …)): SQL's WITH RECURSIVE … UNION

    B is monotone in X. With UNION ALL (`distinct` is False) copies count, and X is the sum of the bags of the
    rounds: X = Σ Wᵢ, W₀ = R(t), Wᵢ₊₁ = B(Wᵢ, …), up to the first that is empty.
    """

    start: Operator
    sources: tuple[Operator, ...]
    body: Body
    distinct: bool

    def __post_init__(self) -> None:
        for plan in self.inputs:
            demand_kind(plan, Kind.RELATION, "Recursion")
        demand(self.body.plan.schema == self.start.schema, "a recursion has the columns of its start")

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.start, *self.sources)

    @property
    @once
    def schema(self) -> Schema:
        return self.start.schema


def reads_itself(plan: Operator, name: str = ITSELF) -> bool:
    """Whether the plan reads the relation of that name."""
    return any(isinstance(node, Relation) and node.name == name for node in plan.walk())


_MONOTONE = (Select, Project, Group, Unnest, Product, Join, SemiJoin, Distinct, Union, MaxUnion, Intersect)
_MONOTONE_LEFT = (AntiJoin, Except, StrictDifference, DependentJoin)


def not_monotone(plan: Operator, name: str) -> Operator | None:
    """The operator by which the plan is not monotone in the relation of that name; None if it is monotone.

    Only subqueries that do not read it are allowed: a condition on what is there so far may change its truth.
    """
    if not reads_itself(plan, name) or isinstance(plan, Relation):
        return None
    reading = [source for source in plan.inputs if reads_itself(source, name)]
    if any(reads_itself(subplan, name) for subplan in plan.subplans):
        return plan
    if isinstance(plan, OuterJoin):
        preserved = {Side.LEFT: (plan.left,), Side.RIGHT: (plan.right,), Side.FULL: ()}[plan.side]
        if any(all(source is not side for side in preserved) for source in reading):
            return plan
    elif isinstance(plan, _MONOTONE_LEFT):
        if any(source is not plan.inputs[0] for source in reading):
            return plan
    elif not isinstance(plan, _MONOTONE):
        return plan
    return next((wrong for source in reading if (wrong := not_monotone(source, name))), None)
