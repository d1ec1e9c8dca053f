"""Queries that are added to a run that goes on, and dropped from it: what the others answer does not change.

One that is added answers as if time began then, over what the run knows then of its parts (decision 0042).
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import SCHEMAS, STREAMS, WINDOWS, catalog, inputs, queries
from laws.test_added_queries_begin_then import _OVER, plan_of, since
from laws.test_exchanges_keep_the_answer import sent
from laws.test_kernels_are_the_reference import cuts
from slackwater.algebra import Kind, Operator, Relation, Stream
from slackwater.base.diagnostic import SlackwaterError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.base.tree import rebuild
from slackwater.bind.catalog import Source
from slackwater.bind.program import bind_query
from slackwater.engines.epochs import NoLateRows, frame_of
from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.optimize import optimized
from slackwater.physical.description import described, graph_of
from slackwater.physical.graph import Graph
from slackwater.physical.lower import changes_of as output_of_changes
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.reference.bags import Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.reference.history import Histories
from slackwater.run.changed_graph import begin_of, graph_with, graph_without, known_steps_of
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import InDriver, InWorkers, Placement
from slackwater.run.declared import changelogs
from slackwater.run.epochs import Arrivals
from slackwater.run.runtime import Runtime
from slackwater.storage.locate import location
from slackwater.storage.location import Location

LEAVES = {name: (Stream if name in STREAMS else Relation)(name, schema) for name, schema in SCHEMAS.items()}
SOURCES = [Source(leaf) for leaf in LEAVES.values()]
Moments = tuple[int, int | None, int | None, int | None]
How = tuple[int, bool, int, bool]
"""In how many partitions, or 0 for the driver; with a checkpoint; `ahead` and `has_changes` of `Run`."""


@dataclass
class Sink:
    """Keeps the elements of an output, by epoch."""

    epochs: dict[int, list[tuple[object, ...]]] = field(default_factory=dict)

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        assert elements.filter(~pl.col(FROM).is_between(lo, hi, closed="left")).height == 0
        self.epochs[number] = elements.select(*columns_of(elements), FROM, TO, N).rows()

    @property
    def relation(self) -> Changes:
        rows = [row for rows in self.epochs.values() for row in rows]
        return changes_of([Element(tuple(values), start, end, n) for *values, start, end, n in rows])

    @property
    def stream(self) -> Changes:
        stream: Changes = {}
        for *values, at, _, n in (row for rows in self.epochs.values() for row in rows):
            record(stream, at, tuple(values), n)
        return {at: bag for at, bag in sorted(stream.items()) if bag}

    def answer(self, kind: Kind) -> Changes:
        return self.stream if kind is Kind.STREAM else self.relation


@dataclass
class Added:
    """A query that was added: when it began, and which of its steps were known then."""

    plan: Operator
    graph: Graph
    begin: int = 0
    known: frozenset[int] = frozenset()


@dataclass
class Run:
    """A run without Spark, in the driver (0) or in so many partitions, with a checkpoint or without one."""

    plans: dict[str, Operator]
    data: dict[str, Changes]
    place: int
    folder: Path
    is_durable: bool
    ahead: int = 0
    """How many instants before their epoch rows come."""
    has_changes: bool = False
    """Whether sinks need the changes of relations, so that there is a state of their ends."""
    sinks: dict[str, Sink] = field(default_factory=dict)
    added: dict[str, Added] = field(default_factory=dict)
    runtime: Runtime = field(init=False)
    _low: int = 0

    def __post_init__(self) -> None:
        relations = [name for name, plan in self.plans.items() if plan.kind is Kind.RELATION]
        changing = relations if self.has_changes else []
        self._start(lowered(self.plans, changing=changing, changelogs=changelogs(SOURCES)))

    def _start(self, graph: Graph) -> None:
        for name in graph.outputs:
            self.sinks.setdefault(name, Sink())
        store = Store(self.folder, {}) if self.is_durable else None
        sinks = {name: [self.sinks[name]] for name in graph.outputs}
        self.runtime = Runtime(graph, SOURCES, sinks, NoLateRows(), store, self._make)

    def _make(self, graph: Graph, folder: Location | None) -> Placement:
        if not self.place:
            return InDriver(graph, folder)
        plan = Plan(cut(graph), collected=frozenset(graph.outputs))
        return InWorkers(plan, folder or location(self.folder / "state"), self.place)

    def restart(self) -> None:
        """From its checkpoint, with the plan as it is stored."""
        self._start(graph_of(json.loads(json.dumps(described(self.runtime.graph)))))

    def until(self, high: int) -> None:
        """Compute an epoch."""
        low, number = self._low, self.runtime.next_number
        known = (low if number == 0 else low + self.ahead, high if high == INFINITY else high + self.ahead)
        now = pl.col(FROM).is_between(*known, closed="left")
        frames = {name: frame_of(leaf, self.data[name]).filter(now) for name, leaf in LEAVES.items()}
        self.runtime.step(number, {name: Arrivals(frame, high) for name, frame in frames.items()})
        self._low = high

    def add(self, name: str, plan: Operator) -> None:
        added = self.added[name] = Added(plan, lowered({name: plan}, changelogs=changelogs(SOURCES)))
        if self.runtime.is_begun:
            sharing = known_steps_of(self.runtime, added.graph)
            added.begin, added.known = begin_of(self.runtime, sharing), frozenset(sharing.known)
        changing = [name] if plan.kind is Kind.RELATION else []
        self._change(graph_with(self.runtime, {name: plan}, changing))

    def drop(self, name: str) -> None:
        self._change(graph_without(self.runtime, name))

    def _change(self, graph: Graph) -> None:
        placement = self.runtime.successor(graph, self._make)
        for name in graph.outputs:
            self.sinks.setdefault(name, Sink())
        self.runtime.change(placement, graph, {name: [self.sinks[name]] for name in graph.outputs}, [])


def expected(added: Added, inputs: dict[str, Changes]) -> Changes:
    """The reference's answer of a query that was added: known parts are like sources, which go on."""
    begin, histories = added.begin, Histories(inputs)
    data = {
        name: later(changes, begin) if name in STREAMS else since(changes, begin)
        for name, changes in inputs.items()
    }
    used: set[int] = set()

    def over(part: Operator) -> Operator:
        place = added.graph.lowered[id(part)][1] if id(part) in added.graph.lowered else -1
        if place not in added.known:
            return rebuild(part, Operator, over)
        used.add(place)
        name, changes = f"known {place}", histories.changes(part)
        is_stream = part.kind is Kind.STREAM
        data[name] = later(changes, begin) if is_stream else since(changes, begin)
        return (Stream if is_stream else Relation)(name, part.schema)

    rewritten = over(added.plan)
    assume(used == added.known)  # others are in the middle of what an operator is made of
    return since(Histories(data).changes(rewritten), begin)


def later(changes: Changes, begin: int) -> Changes:
    return {t: bag for t, bag in changes.items() if t >= begin}


def check(
    plans: tuple[Operator, Operator, Operator],
    data: dict[str, Changes],
    at: list[int],
    moments: Moments,
    how: How,
) -> None:
    """Add the third query at one moment, and again at another; drop the first, and start again, at others."""
    plan = dict(zip(("goes", "stays", "comes", "again"), (*plans, plans[-1]), strict=True))
    add_at, again_at, drop_at, restart_at = (None if one is None else one % (len(at) + 1) for one in moments)
    place, is_durable, ahead, has_changes = how
    initial = {name: plan[name] for name in ("goes", "stays")}
    try:
        whole = {name: Histories(data).changes(plan) for name, plan in initial.items()}
    except SlackwaterError:
        return
    end = INFINITY
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        run = Run(initial, data, place, Path(one), is_durable, ahead, has_changes)
        undisturbed = Run(initial, data, place, Path(two), False, ahead, has_changes)
        for number, high in enumerate([*at, INFINITY]):
            for name, moment in (("comes", add_at), ("again", again_at)):
                if number == moment and not is_added(run, name, plan[name]):
                    return
            if number == drop_at:
                run.drop("goes")
                end = run.runtime.epochs.now
            if number == restart_at and is_durable and run.runtime.is_begun:
                run.restart()
            try:
                run.until(high)
            except SlackwaterError:
                with pytest.raises(SlackwaterError):
                    [expected(added, data) for added in run.added.values()]
                return
            undisturbed.until(high)
    for name, last in (("goes", end), ("stays", INFINITY)):
        sinks = run.sinks[name], undisturbed.sinks[name]
        assert upto(sinks[0].answer(plan[name].kind), last) == upto(whole[name], last)
        assert place or elements_of(sinks[0], last) == elements_of(sinks[1], last)
    for name, added in run.added.items():
        event(f"{len(added.known)} known")
        answer = expected(added, data)
        assert run.sinks[name].answer(added.plan.kind) == answer
        if added.plan.kind is Kind.RELATION:
            assert run.sinks[output_of_changes(name)].stream == answer


def is_added(run: Run, name: str, plan: Operator) -> bool:
    """Add a query, unless it needs earlier rows of a relation that no query reads."""
    try:
        run.add(name, plan)
    except SlackwaterError as error:
        assert "not stored" in str(error)  # noqa: PT017
        return False
    return True


def elements_of(sink: Sink, end: int) -> Counter:
    return Counter(
        (number, *row) for number, rows in sink.epochs.items() for row in rows if int(str(row[-3])) < end
    )


def upto(changes: Changes, end: int) -> Changes:
    return {t: bag for t, bag in changes.items() if t < end}


_SHARED = (
    "{x}",
    *_OVER,
    "SELECT p, q FROM ({x}) AS x WHERE q > 1",
    "SELECT p + 1 AS p, MAX(q) AS q FROM ({x}) AS x GROUP BY p",
    "SELECT x.p AS p, x.q AS q FROM ({x}) AS x WHERE EXISTS (SELECT 1 FROM ({y}) AS y WHERE y.p = x.p)",
    "({x}) UNION ALL ({y})",
    "({x}) EXCEPT ALL ({y})",
    "SELECT x.p AS p, y.q AS q FROM ({x}) AS x LEFT JOIN ({y}) AS y ON x.p = y.p",
    "SELECT x.p AS p, s.b AS q FROM ({x}) AS x JOIN S [RANGE 3] AS s ON x.p = s.a",
)
_SIMPLE = (
    "SELECT a AS p, b AS q FROM S [{w}]",
    "SELECT a AS p, CAST(SUM(b) AS INT) AS q FROM S [{w}] GROUP BY a",
    "SELECT a AS p, MAX(b) AS q FROM S [{w}] WHERE b > 0 GROUP BY a",
    "SELECT CAST(COUNT(*) AS INT) AS p, MEDIAN(b) AS q FROM S [{w}]",
    "SELECT DISTINCT a AS p, b AS q FROM S [{w}]",
    "SELECT a AS p, b AS q FROM R",
    "SELECT s.a AS p, r.b AS q FROM S [{w}] AS s JOIN R AS r ON s.a = r.a",
    "SELECT s.b AS p, t.a AS q FROM S [{w}] AS s JOIN T [{w}] AS t ON s.a < t.a",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    if not draw(st.integers(0, 2)):
        return draw(queries()).cql
    return draw(st.sampled_from(_SIMPLE)).format(w=draw(st.sampled_from(WINDOWS)))


@st.composite
def triples(draw: st.DrawFn) -> tuple[str, str, str]:
    """Two queries, and a third that often stands on them."""
    first, second = draw(texts()), draw(texts())
    over = draw(st.sampled_from([None, "{x}", "{x}", *_SHARED]))
    x, y = draw(st.permutations([first, second]))
    return first, second, draw(texts()) if over is None else over.format(x=x, y=y)


_moment = st.none() | st.integers(0, 6)
moments = st.tuples(st.integers(0, 6), _moment, _moment, _moment)
hows = st.tuples(
    st.sampled_from([0, 0, 1, 2]), st.booleans(), st.integers(0, 3), st.sampled_from([True, True, False])
)


@trying(80)
@given(triples(), inputs, cuts.filter(bool), moments, hows, st.booleans())
def test_queries_come_and_go(
    texts: tuple[str, str, str],
    data: dict[str, Changes],
    at: list[int],
    moments: Moments,
    how: How,
    as_sums: bool,
) -> None:
    goes, stays, comes = (plan_of(text) for text in texts)
    with sent(as_sums=as_sums):
        check((goes, stays, comes), data, at, moments, how)


_STREAMS = (
    "ISTREAM({x})",
    "DSTREAM({x})",
    "ISTREAM(SELECT p, MAX(q) AS q FROM ({x}) AS x GROUP BY p)",
    "SELECT p, CAST(COUNT(*) AS INT) AS q FROM (ISTREAM({x})) [RANGE 3] AS w GROUP BY p",
    "SELECT p, q FROM (DSTREAM({x})) [ROWS 2] AS w",
)
_WITH_GROUPS = tuple(text for text in _SIMPLE if not text.startswith("SELECT CAST(COUNT"))
"""Without groups there is a row even before the first, which the stream of a query that is added has not."""


@st.composite
def stream_triples(draw: st.DrawFn) -> tuple[str, str, str]:
    """Streams of queries, the third often of one of the others, or of what they are streams of."""
    bases = [draw(st.sampled_from(_WITH_GROUPS)).format(w=draw(st.sampled_from(WINDOWS))) for _ in range(2)]
    first, second = (draw(st.sampled_from(("{x}", *_STREAMS))).format(x=base) for base in bases)
    third = draw(st.sampled_from(_STREAMS)).format(x=draw(st.sampled_from(bases)))
    return first, second, draw(st.sampled_from((first, second, third)))


@trying(50)
@given(stream_triples(), inputs, cuts.filter(bool), moments, hows)
def test_streams_come_and_go(
    texts: tuple[str, str, str],
    data: dict[str, Changes],
    at: list[int],
    moments: Moments,
    how: How,
) -> None:
    goes, stays, comes = (optimized(bind_query(Text("<query>", text), catalog()).plan) for text in texts)
    check((goes, stays, comes), data, at, moments, how)


_PAIRS = (
    "SELECT s.b AS p, t.a AS q FROM S [RANGE 4] AS s JOIN T [RANGE 9] AS t ON s.a <= t.a",
    "SELECT s.b AS p, r.b AS q FROM S [RANGE 9] AS s, R AS r",
    "SELECT s.a AS p, t.a AS q FROM S [RANGE UNBOUNDED] AS s JOIN T [RANGE 9] AS t ON s.a = t.a",
)


_MANY: dict[str, Changes] = {
    "S": {1: {(number, number, "x"): 1 for number in range(5)}}, "T": {1: {(9, 0.5): 1}}, "R": {}
}  # fmt: skip


@trying(30)
@example(_PAIRS[0], _MANY, 3, 2, False)
@given(st.sampled_from(_PAIRS), inputs, st.integers(3, 9), st.integers(1, 3), st.booleans())
def test_pairs_are_known_in_all_partitions(
    text: str, data: dict[str, Changes], at: int, place: int, is_durable: bool
) -> None:
    """Also where one side of them is in every partition."""
    plan = plan_of(text)
    check((plan, plan, plan), data, [at, at + 2], (1, 2, None, None), (place, is_durable, 0, True))
