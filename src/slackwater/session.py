"""The session: declarations, data and queries that belong together.

>>> import slackwater as sw
>>> s = sw.connect()
>>> trades = [{"ts": 1, "symbol": "A", "price": 10}, {"ts": 4, "symbol": "B", "price": 30}]
>>> s.stream("trades", trades, time="ts")
>>> print(s.query("SELECT symbol, price FROM trades [RANGE 5 SECONDS]").changes())
time | op | symbol | price
1    | +  | A      | 10
4    | +  | B      | 30
7    | -  | A      | 10
10   | -  | B      | 30
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from slackwater.algebra import Kind, Operator, Schema
from slackwater.base.diagnostic import Diagnostic, EngineError, QueryError
from slackwater.base.span import Text
from slackwater.base.time import Clock
from slackwater.bind import errors
from slackwater.bind.catalog import Source, View
from slackwater.bind.program import Query as BoundQuery
from slackwater.bind.program import bind, bind_query
from slackwater.bind.sinks.declare import idle_sinks
from slackwater.bind.statistics import statistics_of
from slackwater.optimize import Optimizer
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.run import problems
from slackwater.run.arguments import args_of, bytes_of, flag_of, from_beginning_of, interval_of, order_of
from slackwater.run.build import build
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.cluster.choice import batch_width
from slackwater.run.declared import Declared, clock_of
from slackwater.run.explained import explained
from slackwater.run.functions import Functions, register
from slackwater.run.input.sources import SourceData, check_again, check_options, declared, frame_in, rows_of
from slackwater.run.measured import measured
from slackwater.run.notebook import table
from slackwater.run.outputs import files_of
from slackwater.run.progress import QueryProgress
from slackwater.run.query import Query
from slackwater.run.started import Started
from slackwater.sources.frame_errors import bad_option, taken_name, unknown_view
from slackwater.sources.options import COLUMNS, options_of
from slackwater.storage.local import Local
from slackwater.storage.locate import location

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from slackwater.run.subscriptions import SubscriptionQuery

PLACEMENTS = ("driver", "workers")


def connect(
    spark: SparkSession | None = None,
    chronon: str | None = None,
    placement: str | None = None,
    partitions: int | None = None,
    cores: int | None = None,
    sharing: bool = True,
    match_memory: str | int | None = None,
) -> Session:
    """A session on your Spark session, or on one that is started on this machine when it is needed.

    `chronon` is the unit of integer time, such as `"1 second"`; `placement` is where kernels run, in the
    `driver` or in the `workers`, there in so many `partitions` (one for each core, if not given); `cores`
    limits the cores of a local Spark. With `sharing`, queries that are started together are answered from
    each other where one contains another; without it, only equal steps are computed once. `match_memory` is
    how much of the windows of best-match joins is in memory, such as `"2 GiB"` (by default 512 MiB): in the
    driver, or in each partition of the workers. The rest is on disk.

    >>> import slackwater as sw
    >>> sw.connect(chronon="100 milliseconds").clock.chronon.amount
    Fraction(100, 1)
    """
    if placement is not None and placement not in PLACEMENTS:
        raise EngineError(bad_option("connect", "placement", placement, "Choose driver or workers."))
    if partitions is not None and partitions < 1:
        hint = "Choose a whole number from 1 on."
        raise EngineError(bad_option("connect", "partitions", str(partitions), hint))
    if not isinstance(sharing, bool):
        raise EngineError(bad_option("connect", "sharing", str(sharing), "Write True or False."))
    if spark is not None and not hasattr(spark, "readStream"):
        raise EngineError(
            bad_option("connect", "spark", str(spark), "Pass a SparkSession, or nothing to start one.")
        )
    memory = bytes_of(match_memory, "match_memory")
    return Session(spark, clock_of(chronon), placement, cores, partitions, sharing, memory)


class Session:
    """Declarations, data and queries that share one time. Created by `connect`."""

    def __init__(
        self,
        spark: SparkSession | None,
        chronon: Clock | None,
        placement: str | None,
        cores: int | None,
        partitions: int | None,
        sharing: bool = True,
        match_memory: int | None = None,
    ) -> None:
        self._spark, self._cores, self._placement = spark, cores, placement
        self._partitions, self._sharing, self._match_memory = partitions, sharing, match_memory
        self._catalog = Declared(chronon)
        self._data: dict[str, SourceData] = {}
        self._views: dict[str, BoundQuery] = {}
        self._numbers: dict[str, int] = {}
        self._folder: Path | None = None
        self._measured = NO_STATISTICS
        self._runs = 0
        self.brief = False
        """Whether a Spark session that is started here has little to do: it then starts sooner."""

    @property
    def spark(self) -> SparkSession:
        """The Spark session; started on this machine if none was passed."""
        if self._spark is None:
            from slackwater.run.local.spark import local_spark

            self._spark = local_spark(self._cores, brief=self.brief)
        return self._spark

    @property
    def clock(self) -> Clock:
        """The time of all sources: integers or timestamps, and the length of a chronon."""
        return self._catalog.clock

    @property
    def placement(self) -> str | None:
        """Where kernels run, if that was chosen."""
        return self._placement

    @property
    def partitions(self) -> int | None:
        """In how many partitions workers compute, if that was chosen."""
        return self._partitions

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
    def sharing(self) -> bool:
        """Whether queries that are started together are answered from each other."""
        return self._sharing

    @property
    def match_memory(self) -> int | None:
        """The bytes of the windows of best-match joins that are in memory, if that was chosen."""
        return self._match_memory

    @property
    def view_plans(self) -> dict[str, Operator]:
        """The optimized plans of all views: queries may be answered from them."""
        optimizer = Optimizer(statistics=self.statistics)
        return {query.name or name: optimizer.optimized(query.plan) for name, query in self._views.items()}

    def ship(self) -> None:
        """Send slackwater to the workers of the Spark session, whose Python then needs only its dependencies.

        These are polars, pyarrow and numpy, in the versions of this process. Call it before queries start.
        """
        from slackwater.run.cluster.ship import ship

        ship(self.spark.sparkContext)

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

    def __repr__(self) -> str:
        count = {"source": len(self.sources), "view": len(self.views)}
        counts = [f"{number} {word}{'s' * (number != 1)}" for word, number in count.items()]
        return f"<session: {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        rows = [(f"{entry.plan.kind}", entry.name, str(entry.plan.schema)) for entry in self._catalog]
        return table(("kind", "name", "columns"), rows, repr(self)[1:-1])

    def sql(self, text: str, name: str = "<query>", args: Mapping[str, Any] | None = None) -> list[Query]:
        """Declare streams, relations and views; returns the queries among them.

        `args` are the values of the parameters of the text, such as `:n`.

        If the text has an error, nothing of it is declared: correct it and call again.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> s.sql("CREATE STREAM S (a INT) TIME t INT; SELECT ISTREAM(a) FROM S [ROWS 5]")
        [<stream query 1 (a int)>]
        """
        with self._catalog.all_or_nothing():
            queries = bind(Text(name, text), self._catalog, args_of(args))
        self._views.update({query.name.lower(): query for query in queries if query.name is not None})
        self._views = {name: query for name, query in self._views.items() if name in self._catalog}
        return [self._query(query) for query in queries if query.name is None]

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

    def _entry(self, name: str) -> Source | View:
        entry = self._catalog.get(name)
        if entry is None:
            raise EngineError(errors.unknown_source(name, self.names, None))
        return entry

    @property
    def idle_sinks(self) -> list[Diagnostic]:
        """Warnings of sinks that no query writes to."""
        return idle_sinks(self._catalog)

    def query(self, text: str, name: str | None = None, args: Mapping[str, Any] | None = None) -> Query:
        """One query over the declared streams and relations.

        `args` are the values of its parameters: literals of their type, never parts of the text.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> _ = s.sql("CREATE STREAM S (a INT) TIME t INT")
        >>> q = s.query("SELECT COUNT(*) AS n FROM S [RANGE 10]")
        >>> q.kind, str(q.schema)
        (<Kind.RELATION: 'relation'>, '(n bigint)')
        >>> s.query("SELECT a FROM S [RANGE :size] WHERE a > :least", args={"size": 10, "least": 3})
        <relation query 2 (a int)>
        """
        bound = bind_query(Text("<query>", text), self._catalog, values=args_of(args))
        return self._query(bound, name)

    def view(self, name: str) -> Query:
        """The query of a view.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> _ = s.sql("CREATE STREAM S (a INT) TIME t INT; CREATE VIEW V AS SELECT a FROM S [ROWS 2]")
        >>> s.view("V")
        <relation V (a int)>
        """
        if name.lower() not in self._views:
            raise EngineError(unknown_view(name, self.views))
        bound = self._views[name.lower()]
        return self._query(bound, bound.name)

    def xquery(self, text: str, inputs: Mapping[str, Any] | None = None) -> SubscriptionQuery:
        """An XQuery over a stream of XML records, evaluated record by record in the workers.

        The temporal algebra computes windows, `|path diff length step length|`, and aggregates over them.
        `doc("name")` is the entry of that name in `inputs` or the file of that name, read here and now.
        """
        # Imported here: XQuery is half a second of start-up that no other query needs.
        from slackwater.flux.across import subscription
        from slackwater.language.xquery.parse import parse
        from slackwater.language.xquery.printer import print_query
        from slackwater.run.subscriptions import SubscriptionQuery, data_of, not_xml, plan_of, source_of

        whole = Text("<query>", text)
        module = parse(whole)
        parts = subscription(module)
        base = self._catalog.get(parts.stream)
        if not isinstance(base, Source):
            raise QueryError(not_xml(parts.stream))
        printed = print_query(module)
        number = self._number(printed)
        source = source_of(parts, base, f"{base.name} {number}")
        bound = BoundQuery(plan_of(parts, source, self.clock), (), printed, whole.span())
        self._catalog.declare(source)
        self._data[source.name.lower()] = data_of(
            parts, source, self._data.get(base.name.lower()), inputs or {}
        )
        return SubscriptionQuery(self._query(bound, f"subscription {number}"), self.clock, parts.window)

    def _query(self, bound: BoundQuery, name: str | None = None) -> Query:
        if bound.sink is not None:
            return Query(self, name or bound.sink.name, bound).into(files_of(bound.sink))
        return Query(self, name or f"query {self._number(bound.expanded)}", bound)

    def _number(self, text: str) -> int:
        """The number of a query; equal text has the same one, by which its checkpoint knows it."""
        return self._numbers.setdefault(text, len(self._numbers) + 1)

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

    @property
    def udf(self) -> Functions:
        """`s.udf.register(name, function, returnType)`, as Spark has it; also for Spark's UDFs."""
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

    def answer(self, *queries: Query) -> None:
        """Run queries together over the whole input; common parts are computed once.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> s.stream("S", [(1, "a"), (2, "b")], time="t", columns=["t", "x"])
        >>> one, two = s.query("SELECT x FROM S [ROWS 1]"), s.query("SELECT COUNT(*) AS n FROM S [ROWS 1]")
        >>> s.answer(one, two)
        >>> one.at(2).rows(), two.at(2).rows()
        ([('b',)], [(1,)])
        """
        parts: dict[str, list[pl.DataFrame]] = {query.name: [] for query in queries}
        folders = Folders.at(self._new_folder())
        alone = [query.without_sinks for query in queries]
        work = build(self, alone, self._catalog, self._data, folders, durable=False, collect=parts)
        work.drive.run(folders)
        for query in queries:
            query.collect(parts[query.name], work.aside)
        work.drive.notices.warn(is_over=True, stacklevel=4)

    def explain(self, *queries: Query, trace: bool = False, format: str = "text", cost: bool = False) -> str:
        """The plan of queries that are started together: their common steps, stages and state, and which are
        answered from others.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> _ = s.sql("CREATE STREAM S (room INT, t INT) TIME ts INT")
        >>> hot = s.query("SELECT room, t FROM S [RANGE 5] WHERE t > 80", "Hot")
        >>> boiling = s.query("SELECT room FROM S [RANGE 5] WHERE t > 100", "Boiling")
        >>> print(s.explain(hot, boiling).partition("answered from each other")[2].split("\\n")[2])
        Boiling: answered from Hot, with t > 100 on top
        """
        if not queries:
            raise EngineError(problems.NO_QUERY.at())
        return explained(self, queries, trace=trace, format=format, cost=cost)

    def start(
        self,
        *queries: Query,
        checkpoint: str | Path | None = None,
        follow: bool = True,
        interval: str | None = None,
        allow_changes: bool = False,
        added_from: str = "now",
    ) -> Started:
        """Start queries together as one plan; common parts are computed once.

        They run while the input grows, until stopped; with `follow=False` only to its current end. With a
        checkpoint, a query that was stopped or killed resumes. `interval` is the time between two batches,
        such as `"1 minute"`; by default a batch starts as soon as the previous one is done. With
        `allow_changes`, queries that the checkpoint does not have begin after the rows that were read, and
        those that are not started any more end. With `added_from="beginning"` the new ones are computed over
        the files that were read before, too, and answer as if they had always been there.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> s.stream("S", [(1, "a"), (2, "b")], time="t", columns=["t", "x"])
        >>> seen = sw.Memory()
        >>> running = s.start(s.query("SELECT ISTREAM(x) FROM S [NOW]").into(seen))
        >>> running.await_termination()
        True
        >>> seen.rows, running.progress.events
        ([(1, 'a'), (2, 'b')], 2)
        """
        if not queries:
            raise EngineError(problems.NO_QUERY.at())
        every, follows = interval_of(interval), flag_of(follow, "follow")
        folders = self._folders(checkpoint)
        changes, durable = flag_of(allow_changes, "allow_changes"), checkpoint is not None
        whole = from_beginning_of(added_from, changes)
        work = build(
            self, queries, self._catalog, self._data, folders, durable=durable, collect={},
            allow_changes=changes, from_beginning=whole,
        )  # fmt: skip
        for remark in work.drive.remarks:
            warnings.warn(str(remark), stacklevel=2)
        return Started(work.queries, work.drive, folders, self.clock, follows, every, self).begin()

    def _folders(self, checkpoint: str | Path | None) -> Folders:
        """The folders of a run; with a checkpoint elsewhere, the rest is in a folder of the session."""
        if checkpoint is None:
            return Folders.at(self._new_folder())
        state = location(checkpoint)
        if isinstance(state, Local):
            return Folders.at(state.path.absolute())
        return Folders(state, self._new_folder())

    def _new_folder(self) -> Path:
        """A folder for the files of a run, until the session ends."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="slackwater-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._runs += 1
        return self._folder / f"run {self._runs}"

    def stop(self) -> None:
        """Stop the Spark of this session."""
        if self._spark is not None:
            from slackwater.run.errors import is_lost

            try:
                self._spark.stop()
            except Exception as error:
                if not is_lost(error):
                    raise
            self._spark = None
