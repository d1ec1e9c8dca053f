"""Queries of a session, explained: as text, as JSON, or as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slackwater.base.diagnostic import EngineError
from slackwater.physical.explain.explanation import AsWritten, explained_query, together
from slackwater.physical.explain.present import FORMATS, in_text, presented
from slackwater.sources.frame_errors import bad_option

if TYPE_CHECKING:
    from slackwater.run.query import Owner, Query


def explained(owner: Owner, queries: Sequence[Query], *, trace: bool, format: str, cost: bool) -> str:
    """The plan of queries that are started together; raises EngineError."""
    if format not in FORMATS:
        raise EngineError(bad_option("explain", "format", str(format), f"Choose {', '.join(FORMATS)}."))
    statistics = owner.statistics
    several = tuple(
        explained_query(AsWritten(query.name, query.bound.plan), query.plan, statistics) for query in queries
    )
    views = owner.view_plans if owner.sharing else None
    explanation = together(several, owner.clock, statistics, views, cost)
    if format == "text":
        return in_text(explanation, _where(owner), trace)
    return presented(explanation, format, ", ".join(query.name for query in queries))


def _where(owner: Owner) -> str:
    """Where the stages are computed."""
    count = owner.partitions
    workers = f"in the workers, {'a partition for each core' if count is None else f'{count} partitions'}"
    by_master = (
        f"in the driver on one machine, on a cluster {workers}, if it is started with a checkpoint, "
        "and otherwise in the driver"
    )
    return {None: by_master, "driver": "in the driver", "workers": workers}[owner.placement]
