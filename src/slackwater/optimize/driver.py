"""The driver of rules on plans: inputs and the plans of subqueries are what stands below an operator.

A view that is used twice is one object. A rule may give each use a copy, with conditions of its own. Of
views on views, each used twice, the copies would double with each level: in a large plan what is shared
stays shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from slackwater.algebra import Operator
from slackwater.base.diagnostic import Bug
from slackwater.base.rules import Driver, Rule, Step
from slackwater.optimize.rebuild import likeness, with_below

MOST_PLACES = 1_000
"""In a plan with more places, no rule looks inside what stands at several of them."""


def applied(plan: Operator, rules: Iterable[Rule[Operator]]) -> tuple[list[Step[Operator]], Operator]:
    """The steps from the plan to one that none of the rules changes any more, and that one."""
    trace: list[Step[Operator]] = []
    return trace, PlanDriver(tuple(rules), trace=trace).rewrite(plan)


def shared_in(plan: Operator) -> list[Operator]:
    """What stays shared in a large plan: the operators that stand at several places."""
    if plan.places <= MOST_PLACES:
        return []
    uses = Counter(id(below) for node in plan.walk() for below in (*node.inputs, *node.subplans))
    return [node for node in plan.walk() if uses[id(node)] > 1]


class PlanDriver(Driver[Operator]):
    """Applies rules to plans; what stands at several places is rewritten once."""

    _shared: dict[int, Operator]

    def rewrite(self, plan: Operator, shared: Iterable[Operator] = ()) -> Operator:
        """The plan that none of the rules changes any more.

        No rule looks inside an operator that is `shared`, from the one above it.
        """
        self._shared = {id(node): node for node in shared}
        # A trace shows each place by itself, unless there are too many.
        self.at_each_place = self.trace is not None and plan.places <= MOST_PLACES
        return super().rewrite(plan)

    def children(self, node: Operator) -> tuple[Operator, ...]:
        return (*node.inputs, *node.subplans)

    def with_children(self, node: Operator, children: tuple[Operator, ...]) -> Operator:
        return with_below(node, children)

    def key(self, node: Operator) -> Hashable:
        return likeness(node)

    def settled(self, node: Operator) -> Operator:
        settled = super().settled(node)
        if id(node) in self._shared:
            self._shared[id(settled)] = settled
        return settled

    def accepts(self, rule: Rule[Operator], before: Operator, after: Operator) -> bool:
        shared = {id(source) for source in before.inputs if id(source) in self._shared}
        if shared and not shared <= {id(node) for node in after.walk()}:
            return False
        if before.schema != after.schema or before.kind is not after.kind:
            raise Bug(
                f"rule {rule.name} turns {before.kind} {before.schema} into {after.kind} {after.schema}"
            )
        return True
