"""The declared streams, relations and views, and the clock they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from slackwater.algebra import Operator, Relation, Schema, Stream
from slackwater.algebra.orders import Order
from slackwater.algebra.types import TIMESTAMP
from slackwater.algebra.users.functions import UserFunction
from slackwater.base.time import CALENDAR, SECONDS, WALL, Clock
from slackwater.bind.sinks.declared import Sink


@dataclass(frozen=True, slots=True)
class Source:
    """A declared stream or relation, and where its data comes from."""

    plan: Stream | Relation
    time: str | None = None
    op: str | None = None
    location: str | None = None
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    calendar: bool | None = None
    """Whether its time is a timestamp; None if that is not declared."""
    zoned: bool = True
    """Whether that timestamp has a time zone."""

    @property
    def name(self) -> str:
        return self.plan.name


@dataclass(frozen=True, slots=True)
class View:
    """A named query, replaced by its plan where it is used."""

    name: str
    plan: Operator
    uses: frozenset[str] = frozenset()
    """The names of what it reads, in lower case; those of functions with parentheses."""
    word: str = "view"
    """What it was declared as: a view, or a stream over another."""


class Catalog:
    """The declarations of a session. Names are case-insensitive and shown as declared."""

    def __init__(self, chronon: Clock | None = None, *, prototype: bool = False) -> None:
        self._entries: dict[str, Source | View] = {}
        self._integer_clock = chronon or SECONDS
        self.states_chronon = chronon is not None
        """Whether the length of a chronon was stated, and is not the default."""
        self.prototype = prototype
        """Whether queries have the meaning of the STREAM prototype instead of SQL's.

        An aggregate of no rows has no row instead of SQL's one; double quotes enclose a text.
        """
        self.orders: dict[str, Order] = {}
        """The orders of users, by name in lower case."""
        self.functions: dict[str, UserFunction] = {}
        """The functions of users, by name in lower case."""
        self.sinks: dict[str, Sink] = {}
        """The declared sinks, by name in lower case."""
        self.measured: Clock | None = None
        """The clock that converted the first duration, once one was converted."""

    def __iter__(self) -> Iterator[Source | View]:
        return iter(self._entries.values())

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._entries

    def get(self, name: str) -> Source | View | None:
        return self._entries.get(name.lower())

    def declare(self, entry: Source | View) -> None:
        self._entries[entry.name.lower()] = _timed(entry) if isinstance(entry, Source) else entry

    def drop(self, name: str) -> None:
        del self._entries[name.lower()]

    def users(self, name: str) -> list[str]:
        """The views and sinks that read the declaration of that name; a function's name has parentheses."""
        users: list[View | Sink] = [entry for entry in self if isinstance(entry, View)]
        users += self.sinks.values()
        return [user.name for user in users if name.lower() in user.uses]

    def kind_of(self, name: str) -> str | None:
        """What is declared by that name: a stream, relation, view or sink; None for nothing."""
        entry = self.get(name)
        if isinstance(entry, View):
            return entry.word
        if isinstance(entry, Source):
            return str(entry.plan.kind)
        return "sink" if name.lower() in self.sinks else None

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Undo the declarations made inside if it raises."""
        before = dict(self._entries), self._integer_clock, self.measured
        sinks, functions, stated = dict(self.sinks), dict(self.functions), self.states_chronon
        try:
            yield
        except BaseException:
            self._entries, self._integer_clock, self.measured = before
            self.sinks, self.functions, self.states_chronon = sinks, functions, stated
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
        """Whether time is timestamps, by the declared sources; None if none declares its time."""
        declared = [source.calendar for source in self.sources if source.calendar is not None]
        return declared[0] if declared else None

    @property
    def clock(self) -> Clock:
        """The clock of all sources; with time zones if any of their timestamps has one."""
        if not self.calendar:
            return self._integer_clock
        return CALENDAR if any(source.calendar and source.zoned for source in self.sources) else WALL

    def set_chronon(self, clock: Clock) -> None:
        self._integer_clock = clock
        self.states_chronon = True


def _timed(source: Source) -> Source:
    """With the time column in the plan, where the stream has it as a column.

    A time without a zone is not the instant of its row where the source has a zone.
    """
    if not isinstance(source.plan, Stream) or source.time is None:
        return source
    columns = [
        name
        for name, type_ in source.plan.schema
        if name.lower() == source.time.lower()
        and (type_ == TIMESTAMP if source.calendar else type_.is_integer)
    ]
    return replace(source, plan=replace(source.plan, time=columns[0])) if columns else source
