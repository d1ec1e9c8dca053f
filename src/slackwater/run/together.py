"""Queries that are run together, explained: which one is answered from which, and the steps of all."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.base.time import Clock
from slackwater.optimize.sharing import Shared, shared
from slackwater.physical.explain import explained_steps
from slackwater.physical.lower import lowered
from slackwater.run.query import Query


def explained_together(queries: Sequence[Query], clock: Clock, *, sharing: bool) -> str:
    """A line for each query that is answered from others, then the steps of all queries."""
    plans = {query.name: query.plan for query in queries}
    run = shared(plans) if sharing else Shared(plans)
    lines = "\n".join(f"{one.query}: {one}" for one in run.rewritings)
    parts = [*([lines] if lines else []), "steps", explained_steps(lowered(run.plans), clock)]
    return "\n\n".join(parts)
