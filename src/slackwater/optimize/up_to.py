"""Plans of which only the answer up to an instant is computed: endless streams end there."""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Literal, Now
from slackwater.algebra.instants import value_at
from slackwater.algebra.points import Points
from slackwater.algebra.types import BIGINT, BOOLEAN, TIMESTAMP
from slackwater.base.time import Clock
from slackwater.optimize.rebuild import with_below


def up_to(plan: Operator, instant: int, clock: Clock) -> Operator:
    """A plan with the same answer up to and including the instant, whose clock and Rstream end there."""
    changed: dict[int, Operator] = {}

    def bounded(node: Operator) -> Operator:
        if id(node) not in changed:
            below = tuple(map(bounded, (*node.inputs, *node.subplans)))
            changed[id(node)] = _ended(with_below(node, below) if below else node, instant, clock)
        return changed[id(node)]

    return bounded(plan)


def _ended(node: Operator, instant: int, clock: Clock) -> Operator:
    match node:
        case algebra.Ticks():
            points = node.points & Points.between(until=instant + 1)
            return algebra.Ticks(points, node.type, node.column, origin=node.origin)
        case algebra.Rstream():
            # A row is there at most until the instant, so that it is not repeated for ever.
            time = TIMESTAMP if clock.calendar else BIGINT
            last = Call(BOOLEAN, "le", (Now(time), Literal(time, value_at(instant, time))))
            return node.over(algebra.When(node.source, last))
    return node
