"""What has been declared: streams, relations, views, and the time they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from slackwater.algebra import Operator, Relation, Schema, Stream
from slackwater.base.time import CALENDAR, SECONDS, WALL, Clock


@dataclass(frozen=True, slots=True)
class Source:
    """A declared stream or relation, and what is said of where it comes from."""

    plan: Stream | Relation
    time: str | None = None
    op: str | None = None
    location: str | None = None
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    calendar: bool | None = None
    """Whether its time is a timestamp; None where nothing says so."""
    zoned: bool = True
    """Whether that timestamp is an instant, and not a time of day without a zone."""

    @property
    def name(self) -> str:
        return self.plan.name


@dataclass(frozen=True, slots=True)
class View:
    """A named query; whoever reads it reads its plan."""

    name: str
    plan: Operator


class Catalog:
    """The declarations of a session. Names are found in any case and kept as declared."""

    def __init__(self, chronon: Clock | None = None, *, prototype: bool = False) -> None:
        self._entries: dict[str, Source | View] = {}
        self._integer_clock = chronon or SECONDS
        self.prototype = prototype
        """Whether texts mean what they mean in the STREAM prototype and not in SQL.

        An aggregate of nothing has no row instead of SQL's one; what stands in double quotes is a text.
        """
        self.measured: Clock | None = None
        """The clock by which a duration has been measured, once one has."""

    def __iter__(self) -> Iterator[Source | View]:
        return iter(self._entries.values())

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._entries

    def get(self, name: str) -> Source | View | None:
        return self._entries.get(name.lower())

    def declare(self, entry: Source | View) -> None:
        self._entries[entry.name.lower()] = entry

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take back what is declared inside where that ends in an error."""
        before = dict(self._entries), self._integer_clock, self.measured
        try:
            yield
        except BaseException:
            self._entries, self._integer_clock, self.measured = before
            raise

    def stream(self, name: str, schema: Schema) -> Stream:
        """Declare a stream whose time is an integer outside its columns."""
        plan = Stream(name, schema)
        self.declare(Source(plan))
        return plan

    def relation(self, name: str, schema: Schema, key: tuple[str, ...] = ()) -> Relation:
        """Declare a relation whose time is an integer outside its columns."""
        plan = Relation(name, schema, key)
        self.declare(Source(plan))
        return plan

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self._entries.values()]

    @property
    def sources(self) -> list[Source]:
        return [entry for entry in self if isinstance(entry, Source)]

    @property
    def calendar(self) -> bool | None:
        """Whether time is the calendar's, as the declared sources say; None where none says."""
        said = [source.calendar for source in self.sources if source.calendar is not None]
        return said[0] if said else None

    @property
    def clock(self) -> Clock:
        """The time of all sources; timestamps have no zone where none of theirs has one."""
        if not self.calendar:
            return self._integer_clock
        return CALENDAR if any(source.calendar and source.zoned for source in self.sources) else WALL

    def set_chronon(self, clock: Clock) -> None:
        self._integer_clock = clock
