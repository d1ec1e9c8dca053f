"""What it costs to keep a block up to date, by itself or over another: estimates as in decision 0043.

    alone          the operators of the block down to its leaves, which a view over them computes, too
    over a view    the operators on top of it, of which the first looks at every element of the view

Sources of which nothing is known have the defaults of `statistics`: which plan is cheaper is then a guess,
whose answer is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from slackwater.algebra import Operator
from slackwater.base.tree import walk_once
from slackwater.optimize.cost.estimate import Estimator
from slackwater.optimize.cost.estimates import LOOK, Estimate
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.sharing.compensate import plain
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.match import Match

MARGIN = 0.9
"""What the session computes for several queries must cost less than this much of them alone: estimates are
not exact."""


class Costs:
    """The costs of blocks under one set of statistics."""

    def __init__(self, statistics: Statistics = NO_STATISTICS) -> None:
        self.estimator = Estimator(statistics)

    def alone(self, form: Form) -> float:
        """The cost of the block over its leaves."""
        return self.of([form.root], form.block.below)

    def of(self, plans: Iterable[Operator], below: Collection[Operator] = ()) -> float:
        """The cost of plans together, without what is below; of what several have, once."""
        seen = {id(plan) for plan in below}
        total = 0.0
        for plan in plans:
            for node in walk_once(plan, lambda node: [one for one in node.inputs if id(one) not in seen]):
                if id(node) not in seen:
                    total += self.estimator.estimate(node).cost
                    seen.add(id(node))
        return total

    def over(self, match: Match) -> float:
        """The cost of the query on top of the view."""
        plan, view = plain(match)
        estimator = Estimator(self.estimator.statistics)
        estimator.assume(view, self.estimate(match.view.root))
        rights = [partner.right for partner in match.partners]
        for right in rights:
            estimator.assume(right, self.estimate(right))
        inputs = {id(view), *map(id, rights)}
        return sum(estimator.estimate(node).cost for node in plan.walk() if id(node) not in inputs)

    def least(self, form: Form) -> float:
        """What any query over the block costs at least: a look at every element."""
        return LOOK * self.estimate(form.root).elements

    def estimate(self, plan: Operator) -> Estimate:
        return self.estimator.estimate(plan)

    def assume(self, plan: Operator, estimate: Estimate) -> None:
        """Take an estimate from elsewhere."""
        self.estimator.assume(plan, estimate)
