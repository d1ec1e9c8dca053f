"""A query of a session: its plan, its answer in many forms, and its start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Unpack

import polars as pl

from slackwater.algebra import Kind, Operator, Schema
from slackwater.base.diagnostic import EngineError, quoted
from slackwater.base.time import Clock
from slackwater.bind import program
from slackwater.kernels.frames import concatenated, empty
from slackwater.optimize import optimized
from slackwater.optimize.cost.statistics import Statistics
from slackwater.optimize.facts.keys import keys, smallest_key
from slackwater.optimize.facts.time_points import TimePoints, full_points
from slackwater.optimize.up_to import up_to
from slackwater.run import answers, problems
from slackwater.run.answers import Answer
from slackwater.run.arguments import Instant, StartOptions, instant_of, sinks_of
from slackwater.run.explained import explained
from slackwater.run.notebook import table
from slackwater.sinks.driver import Sink, wrong_mode
from slackwater.sinks.files import Files

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from slackwater.run.input.aside import Aside
    from slackwater.run.started import Started


class Owner(Protocol):
    """The session a query belongs to."""

    @property
    def spark(self) -> SparkSession: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def placement(self) -> str | None: ...

    @property
    def statistics(self) -> Statistics: ...

    @property
    def partitions(self) -> int | None: ...

    @property
    def sharing(self) -> bool: ...

    @property
    def match_memory(self) -> int | None: ...

    @property
    def view_plans(self) -> Mapping[str, Operator]: ...

    def start(self, *queries: Query, **options: Unpack[StartOptions]) -> Started: ...

    def answer(self, *queries: Query) -> None: ...


@dataclass(slots=True)
class Cache:
    """What has been computed of a query: its plan, and its answer over the whole input."""

    plan: Operator | None = None
    parts: list[pl.DataFrame] | None = None
    aside: Aside | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Query:
    """A continuous query of a session. It is immutable: `into` returns a new one.

    Its answer is computed over the whole input when it is first read; `start` answers while the input grows.
    """

    session: Owner
    name: str
    bound: program.Query
    sinks: tuple[Sink, ...] = ()
    last: int | None = None
    """The last instant that is answered; None is the end of time."""
    _cache: Cache = field(default_factory=Cache)

    @property
    def kind(self) -> Kind:
        """A stream or a relation."""
        return self.bound.plan.kind

    @property
    def schema(self) -> Schema:
        return self.bound.plan.schema

    @property
    def columns(self) -> list[str]:
        return list(self.schema.names)

    @property
    def plan(self) -> Operator:
        """The optimized plan."""
        if self._cache.plan is None:
            self._cache.plan = optimized(self.bound.plan, self.session.statistics)
        return self._cache.plan

    @property
    def full_points(self) -> TimePoints | None:
        """The instants at which the answer reflects all its input; all, if no source is synchronized.

        None where they are not known. `q.full_points.in_words()` is a text.
        """
        return full_points(self.plan)

    def explain(self, trace: bool = False, format: str = "text", cost: bool = False) -> str:
        """The plan as written and as optimized, its steps with their state, and its stages with the exchanges
        between them; a trace shows each rule.

        The formats are `text`, `json` (docs/explain.md lists the keys) and `svg`, a picture. The cost is
        estimated from the statistics of the sources.
        """
        return explained(self.session, [self], trace=trace, format=format, cost=cost)

    def run(self) -> Query:
        """Run the query over the whole input, to its end."""
        self.session.answer(self)
        return self

    def collect(self, parts: list[pl.DataFrame], aside: Aside) -> None:
        self._cache.parts, self._cache.aside = parts, aside

    def set_aside(self, kind: str, source: str) -> list[dict[str, Any]]:
        """The `late` or `malformed` rows of a source that are not part of the last answer."""
        aside = self._cache.aside
        return [] if aside is None else aside.rows(kind, source)

    @property
    def _elements(self) -> pl.DataFrame:
        if self._cache.parts is None:
            self.run()
        assert self._cache.parts is not None
        elements = concatenated([empty(self.schema), *self._cache.parts])
        if self.last is not None:
            elements = answers.up_to(elements, self.last)
        return answers.presented(elements, self.schema)

    def _answer(self, frame: pl.DataFrame) -> Answer:
        return Answer(frame, self.session.spark)

    def changes(self) -> Answer:
        """The changelog: time, op (`+` or `-`), columns. For a stream every op is `+`."""
        elements = self._elements
        changes = elements if self.kind is Kind.STREAM else answers.changes_of(elements)
        return self._answer(answers.as_changes(changes, self.session.clock))

    def until(self, instant: Instant) -> Query:
        """The same query, answered up to and including an instant: the clock and Rstream end there."""
        last = instant_of(instant, self.session.clock)
        bound = replace(self.bound, plan=up_to(self.bound.plan, last, self.session.clock))
        name = f"{self.name} until {self.session.clock.format(last)}"
        return replace(self, name=name, bound=bound, last=last, _cache=Cache())

    def tagged(self, key: str | Sequence[str] | None = None) -> Answer:
        """The changelog by key: time, op (`+`, `u` or `-`), columns.

        Without a key, it is the one that the query shows.
        """
        self._only(Kind.RELATION, "tagged", "emits()")
        names = self.known_key() if key is None else [key] if isinstance(key, str) else list(key)
        return self._answer(answers.as_tagged(answers.changes_of(self._elements), names, self.session.clock))

    @property
    def key(self) -> list[str] | None:
        """The columns of the smallest key that the query shows; None if none, or several, are known."""
        key = smallest_key(self.bound.plan)
        return None if key is None else [name for name in self.columns if name in key]

    @property
    def form(self) -> str:
        """The form in which a relation is given where none is named: by SELECT STREAMED or COMPLETE."""
        if self.bound.output == "complete":
            return "table"
        return "tagged" if self.bound.output == "streamed" and self.key is not None else "changes"

    def known_key(self) -> list[str]:
        """The columns of the key that the query shows; raises EngineError if none, or several, are known."""
        if (key := self.key) is not None:
            return key
        several = sorted(quoted(sorted(key)) for key in keys(self.bound.plan))
        known = f"Keys are {'; '.join(several)}." if several else "Rows may be equal in all columns."
        raise EngineError(problems.NO_KNOWN_KEY.at(name=self.name, known=known))

    def emits(self) -> Answer:
        """A stream's rows with their time."""
        self._only(Kind.STREAM, "emits", "changes() or at()")
        return self._answer(answers.as_stream(self._elements, self.session.clock))

    def elements(self) -> Answer:
        """The elements: columns, from, to (exclusive; NULL: no end), n copies."""
        return self._answer(answers.as_elements(self._elements, self.session.clock))

    def at(self, instant: Instant) -> Answer:
        """A relation's rows at an instant; a stream's rows of that instant."""
        at = instant_of(instant, self.session.clock)
        if self.last is not None and at > self.last:
            last, clock = self.last, self.session.clock
            after = problems.AFTER_UNTIL.at(name=self.name, instant=clock.format(at), last=clock.format(last))
            raise EngineError(after)
        elements = self._elements
        if self.kind is Kind.STREAM:
            rows = answers.repeated(elements.filter(pl.col("@from") == at))
            return self._answer(rows.select(self.columns))
        return self._answer(answers.as_table(elements, at))

    def result(self) -> Answer:
        """The whole answer: what a stream emits, the changes of a relation, by key if it is STREAMED.

        SHOW and DESCRIBE have rows without a time, in order.
        """
        if self.bound.listing is not None:
            return Answer(
                pl.DataFrame(self.bound.listing, dict.fromkeys(self.columns, pl.String), orient="row")
            )
        if self.kind is Kind.STREAM:
            return self.emits()
        return self.tagged() if self.form == "tagged" else self.changes()

    def show(self) -> None:
        """Print the first rows of the whole answer as a table."""
        self.result().show()

    def to_df(self) -> DataFrame:
        """The whole answer as a Spark DataFrame."""
        return self.result().to_df()

    def to_pandas(self) -> pd.DataFrame:
        return self.result().to_pandas()

    def to_arrow(self) -> pa.Table:
        return self.result().to_arrow()

    def to_polars(self) -> pl.DataFrame:
        return self.result().to_polars()

    def into(self, *sinks: Sink) -> Query:
        """The same query with additional sinks for its answer when it is started."""
        return replace(self, sinks=(*self.sinks, *sinks_of(sinks)))

    @property
    def without_sinks(self) -> Query:
        """The same query without sinks."""
        return replace(self, sinks=())

    def write(
        self,
        path: str | Path,
        format: str = "csv",
        mode: str | None = None,
        checkpoint: str | Path | None = None,
        overwrite: bool = False,
        key: str | Sequence[str] = (),
    ) -> None:
        """Run the query over the whole input and write its answer, one file for each epoch.

        With the mode `tagged`, rows are identified by the columns of the `key`.
        """
        columns = (key,) if isinstance(key, str) else tuple(key)
        once = self.without_sinks.into(Files(path, format, mode, overwrite, columns))
        self.session.start(once, checkpoint=checkpoint, follow=False).await_termination()

    def start(self, *sinks: Sink, **options: Unpack[StartOptions]) -> Started:
        """Start the query with its answers written to the sinks; at least one, here or from `into`.

        The options are those of `Session.start`, with the same defaults:
        `checkpoint` (None), `follow` (True), `interval` (None), `allow_changes` (False) and
        `added_from` (now).
        """
        return self.session.start(self.into(*sinks), **options)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} {self.schema}>"

    def _repr_html_(self) -> str:
        columns = [(name, str(kind)) for name, kind in self.schema.columns]
        return table(("column", "type"), columns, f"{self.kind} {self.name}")

    def _only(self, kind: Kind, form: str, instead: str) -> None:
        if self.kind is not kind:
            raise EngineError(wrong_mode(f"a {self.kind}", form, instead))
