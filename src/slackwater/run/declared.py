"""The catalog of a session, and its clock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from slackwater.algebra import Operator, Relation, Stream
from slackwater.base.diagnostic import EngineError, QueryError
from slackwater.base.places import plain
from slackwater.base.time import Clock
from slackwater.bind.catalog import Catalog, Source, View
from slackwater.run import problems
from slackwater.sources.frame_errors import bad_option, mixed_clocks, mixed_time
from slackwater.sources.options import duration_of

INTERNAL = "@"
"""What the names of relations inside a recursion begin with."""


class Declared(Catalog):
    """A catalog in which a source with a location and without a time column has the time of arrival.

    The exception is a relation in one file: it does not grow, and is valid from the beginning of time.
    """

    def declare(self, entry: Source | View) -> None:
        if isinstance(entry, Source) and entry.time is None and _grows(entry):
            if self.calendar is False:
                raise QueryError(mixed_clocks(entry.name, entry.plan.origin))
            entry = replace(entry, calendar=True)
        if (
            isinstance(entry, Source) and entry.plan.origin is None
        ):  # where it is written, binding has checked it
            self._check_time(entry)
        super().declare(entry)

    def _check_time(self, entry: Source) -> None:
        """Refuse data whose kind of time differs from what is declared; raises EngineError."""
        if None in (entry.calendar, self.calendar) or entry.calendar == self.calendar:
            return
        is_clocked = entry.time is None
        raise EngineError(mixed_clocks(entry.name, None) if is_clocked else mixed_time(entry.name))


def _grows(source: Source) -> bool:
    is_table = isinstance(source.plan, Relation) and os.path.isfile(plain(source.location or ""))
    return bool(source.location or source.format) and not is_table


def clock_of(chronon: str | None) -> Clock | None:
    """The clock with that chronon; raises EngineError."""
    if chronon is None:
        return None
    duration = duration_of(chronon)
    if duration is None or duration.unit is None or not duration.amount:
        raise EngineError(
            bad_option("connect", "chronon", chronon, "Write a length of time such as '1 second'.")
        )
    return Clock(duration)


def refuse_dropped_sources(name: str, plan: Operator, catalog: Catalog) -> None:
    """Raises EngineError for a query over a source that is not declared any more as it was."""
    for leaf in plan.walk():
        if not isinstance(leaf, Stream | Relation) or leaf.name.startswith(INTERNAL):
            continue
        entry = catalog.get(leaf.name)
        if entry is None or (entry.plan.kind, entry.plan.schema) != (leaf.kind, leaf.schema):
            raise EngineError(problems.DROPPED_SOURCE.at(name=name, kind=leaf.kind, source=leaf.name))


def is_changelog(source: Source) -> bool:
    """Whether rows are changes of a relation; rows that carry their own end are elements already."""
    return isinstance(source.plan, Relation) and "until" not in source.options


def changelogs(sources: Sequence[Source]) -> list[str]:
    """The sources whose rows are changes of a relation."""
    return [source.name for source in sources if is_changelog(source)]
