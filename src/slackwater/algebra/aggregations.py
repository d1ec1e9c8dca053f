"""The aggregations of an operator: of groups, of frames, and of matches."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.algebra.aggregates import Aggregate
from slackwater.algebra.expressions import Aggregation
from slackwater.algebra.expressions.over import Framed
from slackwater.algebra.operator import Operator
from slackwater.algebra.over import Over
from slackwater.algebra.patterns import Recognize


def aggregations_of(plan: Operator) -> Iterator[Aggregation]:
    """The aggregations that the operator itself computes."""
    match plan:
        case Aggregate():
            yield from (call for _, call in plan.aggregations)
        case Over():
            yield from (call.aggregation for _, call in plan.calls if isinstance(call, Framed))
        case Recognize():
            yield from (read.aggregation for _, read in plan.reads if read.aggregation is not None)
