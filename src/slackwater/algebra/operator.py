"""What every operator of the algebra is: a small record, its inputs first.

A plan is a tree of operators; a view that is used twice is one object in it at two places. Each gives a
stream or a relation with a schema; constructors refuse what has no meaning, so that an impossible plan
cannot be built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import wraps
from typing import Any, Self, TypeVar

from slackwater.algebra.expressions import Expression, Subquery
from slackwater.algebra.schema import Schema
from slackwater.base.diagnostic import Bug
from slackwater.base.span import Span
from slackwater.base.tree import children, walk_once


class Kind(StrEnum):
    STREAM = "stream"
    RELATION = "relation"


P = TypeVar("P", bound="Operator")
T = TypeVar("T")


def once(compute: Callable[[P], T]) -> Callable[[P], T]:
    """A function of a plan that is computed once for each operator, and then remembered with it.

    Operators do not change, and an operator may be the input of several others.
    """
    name = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def remembered(plan: P) -> T:
        if name not in plan.facts:
            plan.facts[name] = compute(plan)
        fact: T = plan.facts[name]
        return fact

    return remembered


@dataclass(frozen=True, slots=True)
class Operator:
    """One step of a plan; equal to another that means the same."""

    origin: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    facts: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What `once` has computed for it."""

    @property
    def inputs(self) -> tuple[Operator, ...]:
        raise NotImplementedError

    @property
    def schema(self) -> Schema:
        raise NotImplementedError

    @property
    def kind(self) -> Kind:
        return Kind.RELATION

    @property
    @once
    def expressions(self) -> tuple[Expression, ...]:
        """The expressions this operator evaluates on rows of its inputs."""
        return tuple(children(self, Expression))

    @property
    @once
    def subplans(self) -> tuple[Operator, ...]:
        """The plans of the subqueries inside this operator's expressions."""
        return tuple(
            node.plan for expr in self.expressions for node in expr.walk() if isinstance(node, Subquery)
        )

    @property
    @once
    def places(self) -> int:
        """How many operators the plan has, one that stands at several places counted at each."""
        return 1 + sum(below.places for below in (*self.inputs, *self.subplans))

    def walk(self) -> Iterator[Operator]:
        """This operator and all below it, subqueries too; an object that stands at several places once."""
        return walk_once(self, lambda plan: (*plan.inputs, *plan.subplans))


@dataclass(frozen=True, slots=True)
class Leaf(Operator):
    @property
    def inputs(self) -> tuple[Operator, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Unary(Operator):
    source: Operator

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.source,)

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema

    def over(self, source: Operator) -> Self:
        """The same operator on another input."""
        return replace(self, source=source)


@dataclass(frozen=True, slots=True)
class Binary(Operator):
    left: Operator
    right: Operator

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    def over(self, left: Operator, right: Operator) -> Self:
        """The same operator on other inputs."""
        return replace(self, left=left, right=right)


def demand(condition: bool, law: str) -> None:
    """A constructor's check: a plan that breaks it is our mistake, not the user's."""
    if not condition:
        raise Bug(f"impossible plan: {law}")


def demand_kind(plan: Operator, kind: Kind, of: str) -> None:
    demand(plan.kind is kind, f"{of} takes a {kind}, not a {plan.kind}")
