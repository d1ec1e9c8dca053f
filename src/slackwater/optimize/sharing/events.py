"""Time points that come with data: whether those of one stream are points of another.      SyncSQL 4.3.1

    Temperature > 120   comes only when   Temperature > 100   comes

Containment of the queries, without their outputs: of events only the instants count.
"""

from __future__ import annotations

from slackwater.algebra import Operator
from slackwater.optimize.sharing.conditions import facts_of
from slackwater.optimize.sharing.streams import of_stream


def come_with(events: Operator, other: Operator) -> bool:
    """Whether the other stream has an element wherever the first has one; True is a promise."""
    base, conditions, _ = of_stream(events)
    other_base, other_conditions, _ = of_stream(other)
    facts = facts_of(conditions)
    return base == other_base and all(map(facts.implies, other_conditions))
