"""Sessions: queries over what is declared, their answers and their start."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from slackwater.algebra import Operator
from slackwater.base.diagnostic import EngineError, QueryError
from slackwater.base.garbage import collection_paused
from slackwater.base.span import Text
from slackwater.base.time import Clock
from slackwater.bind.catalog import Source
from slackwater.bind.program import Query as BoundQuery
from slackwater.bind.program import bind, bind_query
from slackwater.optimize import Optimizer
from slackwater.run import problems
from slackwater.run.arguments import args_of, bytes_of, flag_of, from_beginning_of, interval_of
from slackwater.run.build import build
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.declared import clock_of
from slackwater.run.explained import explained
from slackwater.run.notebook import table
from slackwater.run.outputs import files_of
from slackwater.run.query import Query
from slackwater.run.started import Started
from slackwater.session.declarations import Declarations
from slackwater.session.spark import Choices
from slackwater.sources.frame_errors import bad_option, unknown_view
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
    choices = Choices(placement, cores, partitions, sharing, memory)
    return Session(spark, clock_of(chronon), choices)


class Session(Declarations):
    """Declarations, data and queries that share one time. Created by `connect`."""

    def __init__(self, spark: SparkSession | None, chronon: Clock | None, choices: Choices) -> None:
        super().__init__(spark, chronon, choices)
        self._views: dict[str, BoundQuery] = {}
        self._numbers: dict[str, int] = {}
        self._folder: Path | None = None
        self._runs = 0

    def __repr__(self) -> str:
        count = {"source": len(self.sources), "view": len(self.views)}
        counts = [f"{number} {word}{'s' * (number != 1)}" for word, number in count.items()]
        return f"<session: {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        rows = [(f"{entry.plan.kind}", entry.name, str(entry.plan.schema)) for entry in self._catalog]
        return table(("kind", "name", "columns"), rows, repr(self)[1:-1])

    def sql(self, text: str, name: str = "<query>", args: Mapping[str, Any] | None = None) -> list[Query]:
        """Declare streams, relations and views, or drop them; returns the queries among them.

        `args` are the values of the parameters of the text, such as `:n`. SHOW and DESCRIBE are queries whose
        `result()` is a table of names or columns.

        If the text has an error, nothing of it is declared: correct it and call again.

        >>> import slackwater as sw
        >>> s = sw.connect()
        >>> s.sql("CREATE STREAM S (a INT) TIME t INT; SELECT ISTREAM(a) FROM S [ROWS 5]")
        [<stream query 1 (a int)>]
        """
        before = {source.name.lower(): source for source in self._catalog.sources}
        with self._catalog.all_or_nothing():
            queries = bind(Text(name, text), self._catalog, args_of(args))
        self._forget(before)
        self._views.update({query.name.lower(): query for query in queries if query.name is not None})
        views = {name.lower() for name in self.views}
        self._views = {name: query for name, query in self._views.items() if name in views}
        return [self._query(query) for query in queries if query.name is None]

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

    @property
    def view_plans(self) -> dict[str, Operator]:
        """The optimized plans of all views: queries may be answered from them."""
        optimizer = Optimizer(statistics=self.statistics)
        return {query.name or name: optimizer.optimized(query.plan) for name, query in self._views.items()}

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
        with collection_paused():
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
