"""The conservative static test for relations that only grow.      CQL 6.4

R is monotonic when R(s) ⊆ R(t) for all s ≤ t. True is a promise; False only means "not shown".
"""

from __future__ import annotations

from slackwater.algebra.bags import Distinct, Intersect, MaxUnion, Union
from slackwater.algebra.joins import Join, Product, SemiJoin
from slackwater.algebra.operator import Operator, once
from slackwater.algebra.rows import Group, Project, Select, Unnest
from slackwater.algebra.sources import Relation, Unit
from slackwater.algebra.windowing import Assign
from slackwater.algebra.windows import Range, Rows
from slackwater.base.time import INFINITY

_PRESERVE = (
    Select, Project, Group, Unnest, Assign, Product, Join, SemiJoin, Union, MaxUnion, Intersect, Distinct,
)  # fmt: skip


@once
def is_monotonic(plan: Operator) -> bool:
    """Whether the relation is known never to lose a row.

    A subquery in a condition may become false for a row of the relation: never monotonic.
    """
    match plan:
        case Relation():
            return plan.append_only
        case Unit():
            return True
        case Range():
            return plan.is_unbounded
        case Rows():
            return plan.count >= INFINITY and plan.within >= INFINITY
        case _ if isinstance(plan, _PRESERVE):
            return not plan.subplans and all(map(is_monotonic, plan.inputs))
        case _:
            return False
