"""A checkpoint goes on with another optimizer, with renamed classes, and with other queries.

The sources are lists of batches; the watermark of the stream is behind its rows, so that some always wait.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.types import INT, STRING
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels import relations
from slackwater.kernels.frames import FROM, TO, N, columns_of, frame_schema
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.stages.cut import cut
from slackwater.run.checkpoint.agreement import Agreement, Request, agree
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.names import all_states
from slackwater.run.cluster.placement import InDriver, InWorkers
from slackwater.run.epochs import Arrivals
from slackwater.run.runtime import Runtime

S, R = Schema.of(a=INT, c=STRING), Schema.of(a=INT, v=INT)
GROUPS = "SELECT c, COUNT(*) AS n FROM S [RANGE 4] WHERE a >= 0 GROUP BY c"
TOTAL = "SELECT COUNT(*) AS n, MAX(a) AS m FROM S [RANGE 6]"
JOINED = "SELECT c, v FROM S [ROWS 3] x JOIN R ON x.a = R.a WHERE v < 100"
ROWS_OF_R = "SELECT a, COUNT(*) AS n, SUM(v) AS v FROM R GROUP BY a"
NEWEST = "SELECT x.c, y.c AS d FROM S [PARTITION BY a ROWS 1] x JOIN S [RANGE 3 SLIDE 2] y ON x.a = y.a"
ABSENT = "SELECT a FROM R WHERE a NOT IN (SELECT a FROM S [RANGE 2])"
LAST = 8
"""The number of batches."""
Element = tuple[object, ...]


def catalog() -> Catalog:
    sources = Catalog()
    sources.stream("S", S)
    sources.relation("R", R, ("a",))
    return sources


def batch(number: int) -> dict[str, Arrivals]:
    """Rows up to two instants after the watermark, and a change of the relation."""
    at = number * 3
    rows = [(at % 3, "xyz"[number % 3], at, INFINITY, 1), (1, "y", at + 1, INFINITY, 1)]
    rows += [(number % 4, "z", at + 4, INFINITY, 1), (2, "x", at + 5, INFINITY, 1)]
    stream = pl.DataFrame(rows, schema=frame_schema(S), orient="row")
    changes = [(number % 3, at, at, INFINITY, 1), (3, at + 7, at + 4, INFINITY, 1)]
    relation = pl.DataFrame(changes, schema=frame_schema(R), orient="row")
    places = [pl.lit(0, pl.Int64).alias(name) for name in (relations.RANK, relations.PIECE)]
    relation = relation.with_columns(pl.lit("u").alias(relations.OP), *places)
    return {"S": Arrivals(stream, at + 3), "R": Arrivals(relation, at + 3)}


@dataclass
class Answers:
    """A sink for each query: every change of its answer, with the time."""

    changes: dict[str, Counter[Element]] = field(default_factory=dict)

    def sink(self, name: str) -> Sink:
        return Sink(self.changes.setdefault(name, Counter()))

    def since(self, begin: int) -> dict[str, dict[Element, int]]:
        """What changes at that instant or later, and what is there at it, as if it came then."""
        return {name: _since(changes, begin) for name, changes in self.changes.items()}


def _since(changes: Counter[Element], begin: int) -> dict[Element, int]:
    moved: Counter[Element] = Counter()
    for (time, *row), n in changes.items():
        moved[(max(int(str(time)), begin), *row)] += n
    return {key: n for key, n in moved.items() if n}


@dataclass
class Sink:
    changes: Counter[Element]

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        for *row, start, end, n in elements.select(*columns_of(elements), FROM, TO, N).rows():
            self.changes[start, *row] += n
            if end < INFINITY:
                self.changes[end, *row] -= n


class Nothing:
    def set_aside(self, number: int, source: str, rows: pl.DataFrame) -> None:
        raise AssertionError("nothing here is late")


def request(queries: Mapping[str, str], sources: Catalog | None = None, optimize: bool = True) -> Request:
    known = sources or catalog()
    plans: dict[str, Operator] = {}
    for name, text in queries.items():
        plan = bind_query(Text("<query>", text), known, Kind.RELATION).plan
        plans[name] = optimized(plan) if optimize or "IN (" in text else plan
    declared = {source.name: source for source in known.sources}
    return Request(queries, plans, declared, frozenset(("R", "S")), changelogs=["R"])


def in_workers(partitions: int) -> object:
    def make(graph: Graph, folder: Path) -> InWorkers:
        return InWorkers(Plan(cut(graph), collected=frozenset(graph.outputs)), folder, partitions)

    return make


MAKES = {"driver": InDriver, "workers": in_workers(2)}


@pytest.fixture(params=MAKES)
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(
    folder: Path,
    queries: Mapping[str, str],
    batches: range,
    answers: Answers,
    place: str = "driver",
    *,
    optimize: bool = True,
    may_change: bool = True,
    commits: bool = True,
) -> Agreement:
    """Start, compute the batches, and end as a process does."""
    agreement = agree(folder, request(queries, optimize=optimize), may_change=may_change)
    store = Store(folder, agreement.before or agreement.content)
    agreement.write(folder)
    sinks = {name: [answers.sink(name)] for name in queries}
    runtime = Runtime(
        agreement.graph,
        catalog().sources,
        sinks,
        Nothing(),
        store,
        make=MAKES[place],  # type: ignore[arg-type]
    )
    for number in batches if commits else ():
        runtime.step(number, batch(number))
    if batches.stop == LAST:
        runtime.finish()
    return agreement


def undisturbed(folder: Path, queries: Mapping[str, str]) -> Answers:
    answers = Answers()
    run(folder / "undisturbed", queries, range(LAST), answers)
    return answers


def from_then_on(folder: Path, queries: Mapping[str, str], begin: int) -> Answers:
    """The answers of queries for which time begins at that instant; relations have the rows of then."""
    answers = Answers()
    agreement = agree(folder / "then", request(queries))
    sinks = {name: [answers.sink(name)] for name in queries}
    runtime = Runtime(agreement.graph, catalog().sources, sinks, Nothing())
    for number in range(LAST):
        arrived = batch(number)
        stream = arrived["S"]
        rows = stream.frame.filter(pl.col(FROM) >= begin)
        runtime.step(number, {**arrived, "S": Arrivals(rows, stream.watermark)})
    runtime.finish()
    return answers


QUERIES = {"groups": GROUPS, "total": TOTAL, "joined": JOINED, "newest": NEWEST, "absent": ABSENT}


def test_a_checkpoint_outlives_the_optimizer(tmp_path: Path, place: str) -> None:
    """Started without any rule, and resumed with all of them."""
    answers = Answers()
    old = run(tmp_path, QUERIES, range(3), answers, place, optimize=False)
    new = run(tmp_path, QUERIES, range(3, LAST), answers, place, may_change=False)
    assert new.graph == old.graph != request(QUERIES).graph(list(QUERIES))
    assert answers.since(0) == undisturbed(tmp_path, QUERIES).since(0)


def test_steps_of_a_checkpoint_point_at_the_text(tmp_path: Path) -> None:
    text = "SELECT CAST(c AS INT) AS n, a + 1 AS b FROM S [RANGE 4] WHERE a > 7"
    run(tmp_path, {"q": text}, range(2), Answers(), optimize=False)
    graph = run(tmp_path, {"q": text}, range(2, 2), Answers(), may_change=False).graph
    spans = [
        expr.origin.content
        for node in graph.nodes
        for _, expr in getattr(node.step, "columns", ())
        if expr.origin is not None
    ]
    assert "CAST(c AS INT)" in spans


def test_a_checkpoint_outlives_the_names_of_states(tmp_path: Path, place: str) -> None:
    """A later version may describe steps in another way: names that were stored stay."""
    answers = Answers()
    run(tmp_path, QUERIES, range(3), answers, place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("slackwater.physical.description.graphs.json.dumps", lambda *a, **k: f"v2 {a}")
        agreement = agree(tmp_path, request(QUERIES))
    assert agreement.content == agreement.before
    run(tmp_path, QUERIES, range(3, LAST), answers, place, may_change=False)
    assert answers.since(0) == undisturbed(tmp_path, QUERIES).since(0)


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_that_is_added_begins_after_the_rows_that_were_read(
    tmp_path: Path, place: str, name: str
) -> None:
    answers, begin = Answers(), 2 * 3 + 5 + 1
    run(tmp_path, {"first": GROUPS, "rows": ROWS_OF_R}, range(3), answers, place)
    both = {"first": GROUPS, "rows": ROWS_OF_R, name: QUERIES[name]}
    run(tmp_path, both, range(3, LAST), answers, place)
    assert answers.changes[name]
    assert min(int(str(time)) for time, *_ in answers.changes[name]) >= begin
    then = from_then_on(tmp_path, {name: QUERIES[name]}, begin)
    assert answers.since(begin)[name] == then.since(begin)[name]
    whole = undisturbed(tmp_path, {"first": GROUPS, "rows": ROWS_OF_R}).since(0)
    assert {other: answers.since(0)[other] for other in whole} == whole


def test_a_query_of_relations_is_added_at_once(tmp_path: Path, place: str) -> None:
    answers, begin = Answers(), 2 * 3 + 3
    run(tmp_path, {"joined": JOINED}, range(3), answers, place)
    run(tmp_path, {"joined": JOINED, "rows": ROWS_OF_R}, range(3, LAST), answers, place)
    expected = undisturbed(tmp_path, {"rows": ROWS_OF_R}).since(begin)["rows"]
    assert answers.since(begin)["rows"] == expected


def test_a_query_that_is_removed_leaves_with_its_states(tmp_path: Path, place: str) -> None:
    answers = Answers()
    run(tmp_path, QUERIES, range(3), answers, place)
    rest = {name: text for name, text in QUERIES.items() if name not in ("joined", "total")}
    agreement = run(tmp_path, rest, range(3, LAST), answers, place)
    assert set(agreement.graph.outputs) == set(rest)
    newest = json.loads(max((tmp_path / "epochs").glob("*.json")).read_bytes().partition(b"\n")[0])
    alone = agree(tmp_path / "new", request(rest)).graph
    assert len(newest["state"]["states"]) == len(all_states(cut(alone)))
    expected = undisturbed(tmp_path, rest).since(0)
    assert {name: answers.since(0)[name] for name in rest} == expected


def test_elements_that_wait_go_on_waiting_where_they_are_partitioned_in_another_way(
    tmp_path: Path, place: str
) -> None:
    """Partitioned by a, one stage is enough for both queries; the first alone is partitioned by its rows."""
    rows = "SELECT DISTINCT a, c FROM S [RANGE 4]"
    both = {"rows": rows, "counts": f"SELECT a, COUNT(*) AS n FROM ({rows}) AS x GROUP BY a"}
    answers = Answers()
    run(tmp_path, both, range(3), answers, place)
    before = all_states(cut(request(both).graph(list(both))))
    after = all_states(cut(run(tmp_path, {"rows": rows}, range(3, LAST), answers, place).graph))
    assert {name for name in before if "waiting" in name} != {name for name in after if "waiting" in name}
    assert answers.since(0)["rows"] == undisturbed(tmp_path, {"rows": rows}).since(0)["rows"]


def test_queries_come_and_go_and_the_place_changes(tmp_path: Path) -> None:
    answers = Answers()
    run(tmp_path, {"groups": GROUPS, "joined": JOINED}, range(2), answers, "driver")
    run(tmp_path, {"groups": GROUPS, "total": TOTAL}, range(2, 4), answers, "workers")
    run(tmp_path, {"groups": GROUPS, "total": TOTAL, "newest": NEWEST}, range(4, 6), answers, "driver")
    run(tmp_path, {"groups": GROUPS, "total": TOTAL}, range(6, LAST), answers, "workers")
    assert answers.since(0)["groups"] == undisturbed(tmp_path, {"groups": GROUPS}).since(0)["groups"]
    begin = 1 * 3 + 5 + 1
    assert (
        answers.since(begin)["total"] == from_then_on(tmp_path, {"total": TOTAL}, begin).since(begin)["total"]
    )


def test_a_start_that_commits_nothing_changes_nothing(tmp_path: Path, place: str) -> None:
    """The relation is one that the checkpoint has the rows of: JOINED reads it."""
    answers, before = Answers(), {"groups": GROUPS, "joined": JOINED}
    run(tmp_path, before, range(3), answers, place)
    with_total = {**before, "total": TOTAL, "rows": ROWS_OF_R}
    first = run(tmp_path, with_total, range(3, 4), answers, place, commits=False)
    assert first.fresh == {"total", "rows"}
    again = run(tmp_path, with_total, range(3, 4), answers, place, commits=False)
    assert (again.fresh, again.added, again.content) == (frozenset(), {"total", "rows"}, first.content)
    run(tmp_path, before, range(3, 4), answers, place, may_change=False)
    run(tmp_path, before, range(4, LAST), answers, place, may_change=False)
    expected = undisturbed(tmp_path, before).since(0)
    assert {name: answers.since(0)[name] for name in before} == {name: expected[name] for name in before}


def test_a_query_over_a_relation_without_stored_rows_is_refused(tmp_path: Path) -> None:
    run(tmp_path, {"groups": GROUPS}, range(2), Answers())
    both = request({"groups": GROUPS, "rows": ROWS_OF_R})
    with pytest.raises(EngineError, match='Earlier rows of relation "R" are not stored'):
        agree(tmp_path, both, may_change=True)


def test_a_query_that_comes_back_is_a_new_one(tmp_path: Path) -> None:
    """The answers of its earlier life are not overwritten in silence: its sinks are those of a new query."""
    answers = Answers()
    run(tmp_path, {"groups": GROUPS, "total": TOTAL}, range(2), answers)
    run(tmp_path, {"groups": GROUPS}, range(2, 3), answers)
    for from_beginning in (False, True):
        both = request({"groups": GROUPS, "total": TOTAL})
        agreement = agree(tmp_path, both, may_change=True, from_beginning=from_beginning)
        assert agreement.fresh == agreement.added == {"total"}


def test_a_query_that_is_added_from_the_beginning_shares_steps(tmp_path: Path) -> None:
    run(tmp_path, {"groups": GROUPS}, range(2), Answers())
    both = request({"groups": GROUPS, "same": GROUPS, "total": TOTAL})
    agreement = agree(tmp_path, both, may_change=True, from_beginning=True)
    assert agreement.graph.outputs["same"] == agreement.graph.outputs["groups"]
    assert agreement.backfilled == {"same", "total"}
    now = agree(tmp_path, both, may_change=True)
    assert now.graph.outputs["same"] != now.graph.outputs["groups"]
    assert not now.backfilled


def test_a_query_is_the_same_if_its_steps_are(tmp_path: Path) -> None:
    """A later version may print the expanded text in another way."""
    run(tmp_path, {"q": GROUPS}, range(2), Answers())
    agreement = agree(tmp_path, request({"q": GROUPS.replace("SELECT", "select ")}))
    assert not agreement.added
    with pytest.raises(EngineError, match='another query with the name "q"'):
        agree(tmp_path, request({"q": TOTAL}), may_change=True)


def test_queries_change_only_if_they_may(tmp_path: Path) -> None:
    run(tmp_path, {"groups": GROUPS}, range(2), Answers())
    with pytest.raises(EngineError, match="allow_changes") as caught:
        agree(tmp_path, request({"total": TOTAL, "joined": JOINED}))
    detail = 'Queries "total" and "joined" are new, query "groups" is missing.'
    assert caught.value.diagnostics[0].detail == detail


def test_a_checkpoint_that_has_come_to_its_end_takes_no_query(tmp_path: Path) -> None:
    run(tmp_path, {"groups": GROUPS}, range(LAST), Answers())
    with pytest.raises(EngineError, match="cannot-add-query"):
        agree(tmp_path, request({"groups": GROUPS, "total": TOTAL}), may_change=True)


def test_a_checkpoint_without_an_epoch_takes_any_queries(tmp_path: Path) -> None:
    answers = Answers()
    run(tmp_path, {"groups": GROUPS}, range(0), answers)
    with pytest.raises(EngineError, match="foreign-checkpoint"):
        agree(tmp_path, request({"total": TOTAL}))
    run(tmp_path, {"total": TOTAL}, range(LAST), answers)
    assert answers.since(0)["total"] == undisturbed(tmp_path, {"total": TOTAL}).since(0)["total"]
