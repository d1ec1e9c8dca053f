"""Recursion as a step: the graph of a round, whose instants are the rounds.

    UNION        δ (R ∪ B(X))      its output in a round is what is new; it is added to X in the next one
    UNION ALL    Rstream (B(W))    its output in a round is W of the next one

The machine that runs it is incremental in its instants, so that a round costs what it adds.
"""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.monotonic import is_monotonic
from slackwater.algebra.recursion import input_name
from slackwater.algebra.rows import renamed
from slackwater.optimize.phases import optimized

START = "@start"
"""The name, in the graph of a round, of what a recursion with UNION starts with."""


def round_of(plan: algebra.Recursion) -> Operator:
    """What is computed in a round."""
    if not plan.distinct:
        return optimized(algebra.Rstream(plan.body.plan))
    start = algebra.Relation(START, plan.schema)
    return optimized(algebra.Distinct(algebra.Union(start, renamed(plan.body.plan, plan.schema.names))))


def only_grows(plan: algebra.Recursion) -> bool:
    """Whether insertions into the inputs only insert rows; what is read in a body is taken to grow only."""
    return plan.distinct and is_monotonic(plan.body.plan)


def source_names(count: int) -> list[str]:
    """The names, in the graph of a round, of the inputs: the start, then the sources."""
    return [START, *(input_name(place) for place in range(count - 1))]
