"""The order of joins, by cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from slackwater.algebra import Join, Operator, Product
from slackwater.algebra.expressions import Expression, Literal, conjuncts
from slackwater.base.rules import whole
from slackwater.optimize.cost.estimate import Estimator
from slackwater.optimize.cost.order import cheapest, graph_of
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.rebuild import only, with_below

MARGIN = 0.9
"""A new order must cost less than this much of the written one: estimates are not exact."""


@whole
def order_joins(plan: Operator, statistics: Statistics = NO_STATISTICS) -> Operator:
    """(R ⋈ p S) ⋈ q T = π (R ⋈ p' (S ⋈ q' T)), in any order, if p and q cannot fail; p' ∧ q' = p ∧ q

    The cheapest order by estimates, where something is known of every source; otherwise, and among equals,
    the written one. A condition that may fail would see other rows: R ⋈ (1 / x = y) S with x = 0 only in
    rows that T removes. A join that is used twice stays as it is, to be computed once.
    """
    uses = Counter(id(below) for node in plan.walk() for below in (*node.inputs, *node.subplans))
    return _Ordering(Estimator(statistics), uses).ordered(plan)


class _Ordering:
    def __init__(self, estimator: Estimator, uses: Mapping[int, int]) -> None:
        self.estimator, self.uses = estimator, uses
        self._done: dict[int, tuple[Operator, Operator]] = {}

    def ordered(self, plan: Operator) -> Operator:
        """The plan with all of its joins in their cheapest order."""
        if id(plan) not in self._done:
            self._done[id(plan)] = (plan, self._ordered(plan))
        return self._done[id(plan)][1]

    def _ordered(self, plan: Operator) -> Operator:
        if _is_free(plan) and self.estimator.statistics.knows(plan):
            inputs: list[Operator] = []
            conditions: list[Expression] = []
            self._gather(plan, inputs, conditions, is_root=True)
            if len(inputs) > 2 and all(_is_between(condition, inputs) for condition in conditions):
                return self._best(plan, inputs, conditions)
        return with_below(plan, tuple(self.ordered(below) for below in (*plan.inputs, *plan.subplans)))

    def _gather(
        self, plan: Operator, inputs: list[Operator], conditions: list[Expression], is_root: bool = False
    ) -> None:
        """The inputs and conditions of joins of joins, in the written order."""
        if not _is_free(plan) or (not is_root and self.uses[id(plan)] > 1):
            inputs.append(plan)
            return
        for source in plan.inputs:
            self._gather(source, inputs, conditions)
        conditions += _conditions(plan)

    def _best(self, plan: Operator, inputs: list[Operator], conditions: list[Expression]) -> Operator:
        again = {id(one): self.ordered(one) for one in inputs}
        original = _replaced(plan, again)
        best = cheapest(graph_of([again[id(one)] for one in inputs], conditions), self.estimator)
        is_better = self._cost(best, again) < MARGIN * self._cost(original, again)
        return only(best, plan.schema) if is_better else original

    def _cost(self, plan: Operator, inputs: Mapping[int, Operator]) -> float:
        """The cost of the joins alone."""
        ends = {id(one) for one in inputs.values()}
        below = 0.0 if id(plan) in ends else sum(self._cost(source, inputs) for source in plan.inputs)
        return below + (0.0 if id(plan) in ends else self.estimator.estimate(plan).cost)


def _is_free(plan: Operator) -> bool:
    """Whether the operator is an inner join that may be computed in another order."""
    return isinstance(plan, Product | Join) and not any(map(may_fail, _conditions(plan)))


def _is_between(condition: Expression, inputs: list[Operator]) -> bool:
    """Whether the condition is on several inputs, so that some join can have it."""
    return sum(not columns(condition).isdisjoint(one.schema.names) for one in inputs) > 1


def _conditions(plan: Operator) -> list[Expression]:
    if not isinstance(plan, Join):
        return []
    return [part for part in conjuncts(plan.on) if not (isinstance(part, Literal) and part.value is True)]


def _replaced(plan: Operator, inputs: Mapping[int, Operator]) -> Operator:
    """The joins as they are, over other inputs."""
    if id(plan) in inputs:
        return inputs[id(plan)]
    return with_below(plan, tuple(_replaced(source, inputs) for source in plan.inputs))
