"""A query that is added from the beginning ends as if it had always been there, wherever a start is cut off.

A list of batches stands in for Spark, and for the files that are read again. Real files are read again in
`tests/spark/test_changed_queries.py`.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from laws.effort import SEED, TIMES
from run.faults import Killed, failing, killed
from run.test_crash_points import PLACES, answers, batches, catalog, points
from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.base.time import SECONDS
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.lower import changes_of
from slackwater.physical.merge import continued
from slackwater.physical.stages.cut import cut
from slackwater.run import build
from slackwater.run.backfill.backfill import Backfill
from slackwater.run.backfill.pieces import Past, Piece, pieces_of
from slackwater.run.checkpoint import lateness
from slackwater.run.checkpoint.agreement import Agreement, Request, agree
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.checkpoint.lateness import Lateness
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import Computed, InDriver, InWorkers, Placement
from slackwater.run.delivery import Delivery, versions_in
from slackwater.run.epochs import Arrivals
from slackwater.run.input.aside import Aside
from slackwater.run.input.intake import split_late
from slackwater.run.outputs import outputs_of, prepare_sinks, tables_of
from slackwater.run.runtime import Runtime
from slackwater.sinks.files import Files
from slackwater.sources.options import Options
from slackwater.storage.location import Location

FIRST = (
    "SELECT c, n, v FROM (SELECT a, c, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a, c) x JOIN R ON x.a = R.a"
)
SECOND = (
    "SELECT x.c, y.c AS d, v FROM S [RANGE 3] x JOIN S [PARTITION BY a ROWS 1] y ON x.a = y.a "
    "JOIN R ON x.a = R.a"
)
QUERIES = {"first": FIRST, "second": SECOND}
MODES = ("changes", "table")
MORE = batches()[1]
ALL = [
    *batches(),
    {name: Arrivals(own.frame.with_columns(pl.col(FROM) + 4), 7) for name, own in MORE.items()},
]
"""The third of them has a late row, and rows always wait."""


def request(names: list[str]) -> Request:
    known = catalog()
    plans = {
        name: optimized(bind_query(Text("<query>", QUERIES[name]), known, Kind.RELATION).plan)
        for name in names
    }
    declared = {source.name: source for source in known.sources}
    texts = {name: QUERIES[name] for name in names}
    return Request(texts, plans, declared, frozenset(("R", "S")), names, ["R"])


@dataclass
class Start:
    """A start of queries in a folder, up to a number of batches; it ends as a process does."""

    folder: Path
    place: str
    names: list[str]
    upto: int
    from_beginning: bool = True

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def run(self) -> None:
        with ExitStack() as places:
            self._run(places)

    def _run(self, places: ExitStack) -> None:
        again = partial(
            agree, self.state, request(self.names), may_change=True, from_beginning=self.from_beginning
        )
        agreement = again()
        self.deliveries = [
            (changes_of(name), self._delivery(agreement, name, at)) for name in self.names for at in (0, 1)
        ]
        aside = Aside({"S": Options(), "R": Options()}, SECONDS, self.state)
        fill = partial(self._backfill, agreement) if agreement.backfilled else None
        prepare = partial(prepare_sinks, self.deliveries, agreement.fresh, agreement.added, aside, places)
        make = partial(self._runtime, agreement, aside)
        runtime, backfill = build._resume(
            Folders.at(self.state), agreement, again, make, prepare, has_batches=False, fill=fill
        )
        places.callback(runtime.store._ownership.abandon)
        if backfill is not None:
            backfill.run(runtime)
        for number, batch in enumerate(ALL[: self.upto]):
            runtime.step(number, batch, entries=partial(dict.fromkeys, ("S", "R"), (number, number)))
        if self.upto == len(ALL):
            runtime.finish()

    def _delivery(self, agreement: Agreement, name: str, at: int) -> Delivery:
        schema = agreement.graph.nodes[agreement.graph.outputs[name]].schema
        sink = Files(self.folder / f"{name} {MODES[at]}", "csv", MODES[at])
        versions = versions_in(self.state, name, at) if MODES[at] == "table" else None
        return Delivery(sink, MODES[at], SECONDS, schema, versions=versions)

    def _parts(self, outputs: set[str]) -> list[tuple[str, Delivery]]:
        return [
            (output, delivery)
            for output, delivery in self.deliveries
            if output in outputs and self.place == "workers" and delivery.has_parts
        ]

    def _sinks(self, outputs: set[str]) -> dict[str, list[Delivery]]:
        parts = [delivery for _, delivery in self._parts(outputs)]
        return {
            output: [own for name, own in self.deliveries if name == output and own not in parts]
            for output in outputs
        }

    def _make(
        self, aside: Aside | None, outputs: set[str], graph: Graph, folder: Location | None
    ) -> Placement:
        if self.place == "driver":
            return InDriver(graph, folder)
        parts = tuple(self._parts(outputs))
        assert folder is not None
        return InWorkers(Plan(cut(graph), (), aside, frozenset(self._sinks(outputs)), parts), folder, 2)

    def _runtime(self, agreement: Agreement, aside: Aside, store: Store) -> Runtime:
        outputs = outputs_of(frozenset(self.names))
        return Runtime(
            agreement.graph, catalog().sources, self._sinks(outputs), aside, store,
            make=partial(self._make, aside, outputs), parts=[own for _, own in self._parts(outputs)],
            new_tables=tables_of(agreement.added, self.deliveries), is_backfilled=bool(agreement.backfilled),
        )  # fmt: skip

    def _backfill(self, agreement: Agreement, store: Store) -> Backfill:
        outputs = outputs_of(agreement.backfilled)
        own = continued(
            agreement.graph, [name for name in agreement.graph.outputs if name in outputs], agreement.graph
        )
        last = store.last()
        assert last is not None
        pasts, least = {}, {}
        for name in ("S", "R"):
            entries = {number: {f"{name}{number}": 0} for number in range(last.number + 1)}
            bounds = Lateness.of(last.facts).bounds(store.folder, name, last.facts["late"][name])
            assert bounds is not None
            pasts[name] = Past(entries, bounds)
            for number, batch in enumerate(ALL[: last.number + 1]):
                least[f"{name}{number}"] = int(str(batch[name].frame[FROM].min()))
        pieces = partial(pieces_of, pasts, least, own.begin, last.hi, last.number)
        make = partial(self._make, None, outputs)
        parts = [delivery for _, delivery in self._parts(outputs)]
        return Backfill(own, make, pieces, read_again, self._sinks(outputs), parts)


def read_again(placement: Placement, piece: Piece) -> Computed:
    frames: dict[str, pl.DataFrame] = {}
    for name, group in piece.groups.items():
        rows = [ALL[int(path[1:])][name].frame for path in group.files]
        frames[name], late = split_late(pl.concat(rows), piece.lo if group.bound is None else group.bound)
        assert group.bound is not None or not late.height
    return placement.compute(piece.number, piece.lo, piece.hi, frames)


BOTH = list(QUERIES)
Answer = dict[str, Counter[str]]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def undisturbed(tmp_path: Path, place: str) -> Answer:
    """The answers of one run of both queries."""
    Start(tmp_path / "whole", place, BOTH, len(ALL)).run()
    expected = answers(tmp_path / "whole")
    assert set(expected) == {*(f"{name} {mode}" for name in BOTH for mode in MODES), "S"}
    return expected


@pytest.fixture
def stopped(tmp_path: Path, place: str) -> Path:
    """The folder of a run of the first query that is stopped after three batches."""
    Start(tmp_path / "before", place, ["first"], 3).run()
    return tmp_path / "before"


def copied(stopped: Path, name: object) -> Path:
    return Path(shutil.copytree(stopped, stopped.parent / str(name)))


def test_a_query_that_is_added_from_the_beginning_has_always_been_there(
    place: str, undisturbed: Answer, stopped: Path
) -> None:
    for other in PLACES:
        folder = copied(stopped, other)
        Start(folder, other, BOTH, len(ALL)).run()
        assert answers(folder) == undisturbed


def test_killed_before_any_file_operation_it_is_added_again(
    place: str, undisturbed: Answer, stopped: Path
) -> None:
    with failing(folder := copied(stopped, "watched"), -1, killed) as touched:
        Start(folder, place, BOTH, len(ALL)).run()
    for at in points(touched):
        folder = copied(stopped, at)
        with failing(folder, at, killed), pytest.raises(Killed):
            Start(folder, place, BOTH, len(ALL)).run()
        Start(folder, PLACES[at % 2], BOTH, len(ALL)).run()
        assert answers(folder) == undisturbed, f"killed before operation {at}"


@pytest.mark.campaign
def test_killed_again_and_again_it_is_added_again(place: str, undisturbed: Answer, stopped: Path) -> None:
    with failing(folder := copied(stopped, "watched"), -1, killed) as touched:
        Start(folder, place, BOTH, len(ALL)).run()
    draw = random.Random(7 + SEED)
    for number in range(2 * TIMES):
        folder, kills = copied(stopped, number), 0
        while True:
            try:
                with failing(folder, draw.randrange(len(touched)), killed):
                    Start(folder, draw.choice(PLACES), BOTH, len(ALL)).run()
                break
            except Killed:
                kills += 1
        assert answers(folder) == undisturbed, f"after {kills} kills, number {number}"


def test_after_a_backfill_that_was_cut_off_it_may_begin_now(place: str, stopped: Path) -> None:
    """What the backfill has delivered does not stay among the answers."""
    Start(expected := copied(stopped, "now"), place, BOTH, len(ALL), from_beginning=False).run()
    with failing(folder := copied(stopped, "watched"), -1, killed) as touched:
        Start(folder, place, BOTH, len(ALL)).run()
    commit = next(at for at, path in enumerate(touched) if path.startswith(str(folder / "state" / "epochs")))
    with failing(folder := copied(stopped, "cut"), commit, killed), pytest.raises(Killed):
        Start(folder, place, BOTH, len(ALL)).run()
    assert any((folder / "second changes").glob("*00000002*.csv*"))
    Start(folder, place, BOTH, len(ALL), from_beginning=False).run()
    assert answers(folder) == answers(expected)


def test_records_of_late_rows_are_moved_to_files(
    place: str, undisturbed: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lateness, "MOST_RECENT", 1)
    Start(folder := tmp_path / "moved", place, ["first"], 3).run()
    assert [path.name for path in (folder / "state" / "lateness").iterdir()] == ["000000000.json"]
    Start(folder, place, BOTH, len(ALL)).run()
    assert answers(folder) == undisturbed
