"""What a session declares, and the time it counts in."""

from __future__ import annotations

from dataclasses import replace

from slackwater.base.diagnostic import EngineError, QueryError
from slackwater.base.time import Clock
from slackwater.bind.catalog import Catalog, Source, View
from slackwater.sources.frame_errors import bad_option, mixed_clocks
from slackwater.sources.options import duration_of


class Declared(Catalog):
    """A catalog in which a source that says where its rows are, and not when, counts by the clock."""

    def declare(self, entry: Source | View) -> None:
        if isinstance(entry, Source) and entry.time is None and (entry.location or entry.format):
            if self.calendar is False:
                raise QueryError(mixed_clocks(entry.name, entry.plan.origin))
            entry = replace(entry, calendar=True)
        super().declare(entry)


def clock_of(chronon: str | None) -> Clock | None:
    """The clock whose chronon is so long; raises EngineError."""
    if chronon is None:
        return None
    duration = duration_of(chronon)
    if duration is None or duration.unit is None or not duration.amount:
        raise EngineError(
            bad_option("connect", "chronon", chronon, "Write a length of time such as '1 second'.")
        )
    return Clock(duration)
