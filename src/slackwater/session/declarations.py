"""What a session declares: streams, relations, views, sinks, functions, orders; what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from slackwater.algebra import Kind, Schema
from slackwater.algebra.users.functions import AGGREGATE, TABLE
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.time import Clock
from slackwater.bind import errors
from slackwater.bind.catalog import Source, View
from slackwater.bind.sinks.declare import idle_sinks
from slackwater.bind.statistics import statistics_of
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.run.arguments import order_of
from slackwater.run.cluster.choice import batch_width
from slackwater.run.declared import Declared
from slackwater.run.functions import Functions, register
from slackwater.run.input.sources import SourceData, check_again, check_options, declared, frame_in, rows_of
from slackwater.run.measured import measured
from slackwater.run.progress import QueryProgress
from slackwater.session.spark import Choices, WithSpark
from slackwater.sources.frame_errors import bad_option, taken_name
from slackwater.sources.options import COLUMNS, options_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Declarations(WithSpark):
    """The names of a session and their data, which share one time."""

    def __init__(self, spark: SparkSession | None, chronon: Clock | None, choices: Choices) -> None:
        super().__init__(spark, choices)
        self._catalog = Declared(chronon)
        self._data: dict[str, SourceData] = {}
        self._measured = NO_STATISTICS

    @property
    def clock(self) -> Clock:
        """The time of all sources: integers or timestamps, and the length of a chronon."""
        return self._catalog.clock

    @property
    def statistics(self) -> Statistics:
        """What is known of the sources: declared by their options, or measured; for estimates only."""
        options = [(source, self._data.get(source.name.lower())) for source in self._catalog.sources]
        sources = [
            source if data is None else replace(source, options={**source.options, **data.options})
            for source, data in options
        ]
        return statistics_of(sources, self.clock).updated(self._measured)

    def measured(self, earlier: QueryProgress, later: QueryProgress) -> None:
        """Take the rates of sources from the progress of a run at two times, for queries from now on."""
        self._measured = self._measured.updated(measured(earlier, later))

    def selectivity(self, condition: str, share: float) -> None:
        """The share of rows that a condition accepts, by its text in `explain`, for queries from now on."""
        if not 0 <= share <= 1:
            raise EngineError(bad_option("selectivity", "share", str(share), "Write a number from 0 to 1."))
        self._measured = self._measured.updated(Statistics(selectivities={condition: share}))

    @property
    def names(self) -> list[str]:
        """The names of all streams, relations and views."""
        return self._catalog.names

    @property
    def sources(self) -> list[str]:
        """The names of all streams and relations."""
        return [source.name for source in self._catalog.sources]

    @property
    def paths(self) -> list[str | None]:
        """The paths of the declared streams and relations; None for data that has no path."""
        sources = [(source, self._data.get(source.name.lower())) for source in self._catalog.sources]
        return [
            source.location if data is None else str(data.data) if data.is_location else None
            for source, data in sources
        ]

    @property
    def views(self) -> list[str]:
        """The names of all views."""
        return [entry.name for entry in self._catalog if isinstance(entry, View)]

    @property
    def sinks(self) -> list[str]:
        """The names of all sinks that texts declare."""
        return [sink.name for sink in self._catalog.sinks.values()]

    @property
    def functions(self) -> list[str]:
        """The names of all functions of users."""
        return [function.name for function in self._catalog.functions.values()]

    def kind_of(self, name: str) -> Kind:
        """Whether a name is that of a stream or of a relation; raises EngineError if it is not declared."""
        return self._entry(name).plan.kind

    def schema_of(self, name: str) -> Schema:
        """The columns of a stream, relation or view; raises EngineError if it is not declared."""
        return self._entry(name).plan.schema

    def _forget(self, before: Mapping[str, Source]) -> None:
        """Forget the data of the sources that were declared before and are dropped or replaced now."""
        self._data = {
            name: data
            for name, data in self._data.items()
            if name not in before or before[name] is self._catalog.get(name)
        }

    def _entry(self, name: str) -> Source | View:
        entry = self._catalog.get(name)
        if entry is None:
            raise EngineError(errors.unknown_source(name, self.names, None))
        return entry

    @property
    def idle_sinks(self) -> list[Diagnostic]:
        """Warnings of sinks that no query writes to."""
        return idle_sinks(self._catalog)

    def register_order(self, name: str, function: Callable[..., pl.Series]) -> None:
        """An order of pairs for best-match joins: `(r.a, s.b) name` in a query.

        The function takes four Polars columns, r and s of one pair and r and s of another, and returns
        booleans: true where the first pair matches at least as well, false where it does not, NULL where the
        two are not comparable. It has to be reflexive and transitive, and at the top of a module that the
        workers can import.
        """
        order = order_of(name, function)
        self._catalog.orders[order.name] = order

    def register_function(
        self,
        name: str,
        function: Callable[..., Any],
        returns: Any = None,
        arguments: Sequence[Any] | None = None,
        kind: str = "rows",
        strict: bool = False,
    ) -> None:
        """A Python function for calls in SQL, in place of one that was registered by this name.

        It is called with the values of a row or, by its `kind`, with `polars` columns or `arrow` arrays.
        Types are those of SQL, Python or Spark; `returns` may be an annotation of the function, and without
        `arguments` it takes any. With `strict` it is not called for NULLs, and NULL for them.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> s.stream("S", [(1, "a"), (2, None)], time="t", columns=["t", "x"])
        >>> s.register_function("shout", lambda x: x.upper() + "!", returns="string", strict=True)
        >>> print(s.query("SELECT ISTREAM(shout(x) AS y) FROM S [NOW]").emits())
        time | y
        1    | A!
        2    | null
        """
        register(self._catalog, name, function, returns, arguments, kind, strict)

    def register_aggregate(
        self,
        name: str,
        aggregate: Callable[..., Any],
        returns: Any = None,
        arguments: Sequence[Any] | None = None,
        kind: str = "rows",
        strict: bool = False,
    ) -> None:
        """A Python class for aggregation in SQL: `add` takes the values of a row, `finish` returns the value.

        With a method `retract`, which takes back what `add` did, what changes is added and retracted; without
        it the aggregate is computed anew from the rows of a group when these change. By its `kind` it may
        also be a function from `polars` columns or `arrow` arrays of the rows to the value. Types are as for
        `register_function`; `finish` may be annotated. With `strict`, rows with a NULL argument are left out.

        >>> import slackwater as sw
        >>> class Product:
        ...     def __init__(self):
        ...         self.value = 1
        ...     def add(self, x):
        ...         self.value *= x
        ...     def finish(self):
        ...         return self.value
        >>> s = sw.connect()
        >>> s.stream("S", [(1, 2), (2, 3), (3, 5)], time="t", columns=["t", "x"])
        >>> s.register_aggregate("product", Product, returns="bigint", strict=True)
        >>> print(s.query("SELECT product(x) AS p FROM S [ROWS 2]").at(3))
        p
        15
        """
        register(self._catalog, name, aggregate, returns, arguments, kind, strict, AGGREGATE)

    def register_table_function(
        self,
        name: str,
        function: Callable[..., Any],
        returns: Any = None,
        arguments: Sequence[Any] | None = None,
        strict: bool = False,
    ) -> None:
        """A Python function that returns or yields rows, for FROM; `returns` are its columns, `'a INT'`.

        A row is a tuple or a dict, or the value of the only column. With `strict` NULLs have no rows.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> s.stream("S", [(1, "a b"), (2, "c")], time="t", columns=["t", "x"])
        >>> words = lambda x: enumerate(x.split())
        >>> s.register_table_function("words", words, returns="place INT, word STRING")
        >>> print(s.query("SELECT w.word FROM S [RANGE 9], LATERAL words(S.x) AS w").at(2))
        word
        a
        b
        c
        """
        register(self._catalog, name, function, returns, arguments, strict=strict, form=TABLE)

    @property
    def udf(self) -> Functions:
        """`s.udf.register(name, function, returnType)`, as Spark has it; also for Spark's UDFs."""
        return Functions(self._catalog)

    @property
    def udtf(self) -> Functions:
        """`s.udtf.register(name, udtf)`, as Spark has it."""
        return Functions(self._catalog)

    def stream(
        self,
        name: str,
        data: Any = None,
        *,
        time: str | None = None,
        delay: str | int | None = None,
        format: str | None = None,
        columns: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """Register data as a stream: a Spark, pandas, Polars or Arrow table, rows, or a path.

        `time` is the time column (without one, the time of a row is that of its arrival); `delay` is how
        far a row may be behind the latest time read so far. If the name is already declared, this is its
        data.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> s.stream("S", [(1, "a"), (2, "b")], time="t", columns=["t", "x"])
        >>> print(s.query("SELECT ISTREAM(x) FROM S [NOW]").emits())
        time | x
        1    | a
        2    | b
        """
        source_data = SourceData(
            data, format, columns, {**options, **({} if delay is None else {"delay": delay})}
        )
        self._register(name, source_data, time, True, (), None)

    def relation(
        self,
        name: str,
        data: Any = None,
        *,
        time: str | None = None,
        key: str | Sequence[str] = (),
        op: str | None = None,
        until: str | None = None,
        delay: str | int | None = None,
        format: str | None = None,
        columns: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """Register data as a relation that changes.

        The rows are a changelog: `op` is the column with `+` (insert), `-` (delete) or `u` (update).
        Without it, a row replaces the one with the same `key` or, without a key, is inserted. With
        `until`, a row is valid from its time until the time in that column, exclusive.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> rows = [(1, "A", 10), (5, "A", 20)]
        >>> s.relation("prices", rows, time="t", key="symbol", columns=["t", "symbol", "price"])
        >>> print(s.query("SELECT * FROM prices").tagged(key="symbol"))
        time | op | symbol | price
        1    | +  | A      | 10
        5    | u  | A      | 20
        """
        extra = {"delay": delay, "until": until}
        source_data = SourceData(
            data,
            format,
            columns,
            {**options, **{name: value for name, value in extra.items() if value is not None}},
        )
        self._register(name, source_data, time, False, [key] if isinstance(key, str) else key, op)

    def _register(
        self,
        name: str,
        source_data: SourceData,
        time: str | None,
        stream: bool,
        key: Sequence[str],
        op: str | None,
    ) -> None:
        if not isinstance(name, str):
            hint = 'Write the name first, then the data: s.stream("readings", rows, time="ts").'
            raise EngineError(bad_option("source", "name", type(name).__name__, hint))
        column_options = {
            option: str(source_data.options[option]) for option in COLUMNS if option in source_data.options
        }
        known = self._catalog.get(name)
        if isinstance(known, Source):
            check_again(known, time, key, op)
            check_options(name, known.plan.kind, source_data, known.time or time)
            options = {**known.options, **column_options}
            self._catalog.declare(replace(known, time=known.time or time, op=known.op or op, options=options))
            self._data[name.lower()] = source_data
            return
        if known is not None:
            raise EngineError(taken_name(name))
        check_options(name, "stream" if stream else "relation", source_data, time)
        reading = options_of(name, source_data.options, self.clock)
        is_timeless = time is None and not stream
        rows = rows_of(
            self.spark, None, name, source_data, reading, is_timeless=is_timeless, width=batch_width(self)
        )
        self._catalog.declare(declared(name, frame_in(rows), time, stream, key, op, column_options))
        self._data[name.lower()] = SourceData(
            rows, options=source_data.options, is_ordered=source_data.has_order
        )
