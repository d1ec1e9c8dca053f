"""Wherever a run is cut off, between any two of its file operations, it resumes as if it had not been.

A list of batches that are repeated until they are committed stands in for Spark. What needs real
processes is tested in `tests/spark/test_restarts.py`.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from laws.effort import SEED, TIMES
from run.faults import Killed, failing, full, killed
from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import INT, STRING
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY, SECONDS
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels import relations
from slackwater.kernels.frames import frame_schema
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.run.checkpoint import ownership
from slackwater.run.checkpoint.files import is_claimed
from slackwater.run.checkpoint.leases import Lease
from slackwater.run.checkpoint.offsets import compare
from slackwater.run.checkpoint.ownership import Ownership, claim
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import InDriver, InWorkers
from slackwater.run.delivery import Delivery, output_of, versions_in
from slackwater.run.epochs import Arrivals
from slackwater.run.input.aside import Aside
from slackwater.run.runtime import Runtime
from slackwater.sinks.files import Files
from slackwater.sinks.folders import MARK
from slackwater.sources.options import Options
from slackwater.storage.locate import location
from slackwater.storage.location import Location

QUERY = (
    "SELECT c, n, v FROM (SELECT a, c, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a, c) x JOIN R ON x.a = R.a"
)
S, R = Schema.of(a=INT, c=STRING), Schema.of(a=INT, v=INT)
MODES = ("changes", "table")
PLACES = ("driver", "workers")


def catalog() -> Catalog:
    sources = Catalog()
    sources.stream("S", S)
    sources.relation("R", R, ("a",))
    return sources


def batches(count: int = 3) -> list[dict[str, Arrivals]]:
    """Two rows of the stream and a change of the relation each; the third has a row that is late."""
    arrivals: list[dict[str, Arrivals]] = []
    for at in range(count):
        rows = [(at % 2, "xyz"[at % 3], at * 2, INFINITY, 1), (1, "y", at * 2 + 1, INFINITY, 1)]
        rows += [(0, "z", 0, INFINITY, 1)] if at == 2 else []
        stream = pl.DataFrame(rows, schema=frame_schema(S), orient="row")
        change = pl.DataFrame([(at % 2, at, at * 2, INFINITY, 1)], schema=frame_schema(R), orient="row")
        numbers = [pl.lit(0, pl.Int64).alias(name) for name in (relations.RANK, relations.PIECE)]
        change = change.with_columns(pl.lit("u").alias(relations.OP), *numbers)
        arrivals.append({"S": Arrivals(stream, at * 2 + 1), "R": Arrivals(change, at * 2 + 1)})
    return arrivals


def run(
    folder: Path,
    place: str,
    arrivals: list[dict[str, Arrivals]] | None = None,
    *,
    to_the_end: bool = True,
    state: Location | None = None,
) -> None:
    """Start, or resume, to the end: every batch until it is committed. It ends as a process does.

    The checkpoint is in the folder, or where `state` is; then Spark's log is in the folder.
    """
    owned = claim(state or folder / "state")
    try:
        _run(folder, place, arrivals, to_the_end, owned)
    finally:
        owned.abandon()


def _run(
    folder: Path,
    place: str,
    arrivals: list[dict[str, Arrivals]] | None,
    to_the_end: bool,
    owned: Ownership | Lease,
) -> None:
    plan = optimized(bind_query(Text("<query>", QUERY), catalog(), Kind.RELATION).plan)
    graph = lowered({"answer": plan}, changing=["answer"], changelogs=["R"])
    state = location(owned.folder)
    deliveries = [
        Delivery(
            Files(folder / mode, "csv", mode),
            mode,
            SECONDS,
            graph.nodes[graph.outputs["answer"]].schema,
            versions=versions_in(state, "answer", number),
        )
        for number, mode in enumerate(MODES)
    ]
    output = output_of("answer", "changes")
    parts = [delivery for delivery in deliveries if place == "workers" and delivery.has_parts]
    sinks = {output: [delivery for delivery in deliveries if delivery not in parts]}
    aside = Aside({"S": Options(), "R": Options()}, SECONDS, state)
    is_begun = is_claimed(state)
    store = Store(state, {"query": QUERY}, owned)
    log = folder / "log" if isinstance(owned, Lease) else None
    if log is not None:
        store.mirror_log(log)
        if not store.is_ended:
            compare(log, state / "epochs", store.done)

    def in_workers(graph: Graph, folder: Location | None) -> InWorkers:
        by_tasks = tuple((output, delivery) for delivery in parts)
        return InWorkers(Plan(cut(graph), (), aside, frozenset(sinks), by_tasks), folder or state, 2)

    make = in_workers if place == "workers" else InDriver
    runtime = Runtime(graph, catalog().sources, sinks, aside, store, make=make, parts=parts)
    for delivery in deliveries:
        delivery.prepare(runtime.next_number if is_begun else None)
    if is_begun:
        aside.forget(runtime.next_number)
    for number, batch in enumerate(batches() if arrivals is None else arrivals):
        note(log, "offsets", number)
        runtime.step(number, batch)
        note(log, "commits", number)
    if to_the_end:
        runtime.finish()


def note(log: Path | None, kind: str, number: int) -> None:
    """What Spark writes before and after a batch."""
    if log is not None:
        (log / kind).mkdir(parents=True, exist_ok=True)
        (log / kind / str(number)).write_text(f"{kind} {number}", encoding="utf-8")


def answers(folder: Path) -> dict[str, Counter[str]]:
    """Every line of what was delivered and set aside, by its folder."""
    lines_by_folder: dict[str, Counter[str]] = {}
    for path in [*folder.glob("*/*.csv"), *folder.glob("state/late/*/*.jsonl")]:
        lines = path.read_text(encoding="utf-8").splitlines()
        lines_by_folder.setdefault(path.parent.name, Counter()).update(lines[path.suffix == ".csv" :])
    return lines_by_folder


def points(touched: list[str]) -> range:
    """The operations to fail at: every one in a campaign, every fifth in the gate."""
    return range(0, len(touched), 1 if TIMES > 1 else 5)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def undisturbed(tmp_path: Path, place: str) -> tuple[dict[str, Counter[str]], list[str]]:
    """The answers of an undisturbed run, and the files it touched, each as often as it did."""
    with failing(tmp_path / "whole", -1, killed) as touched:
        run(tmp_path / "whole", place)
    expected = answers(tmp_path / "whole")
    assert set(expected) == {"changes", "table", "S"}
    return expected, touched


def test_killed_before_any_file_operation_it_resumes(
    tmp_path: Path, place: str, undisturbed: tuple[dict[str, Counter[str]], list[str]]
) -> None:
    for at in points(undisturbed[1]):
        folder = tmp_path / str(at)
        with failing(folder, at, killed), pytest.raises(Killed):
            run(folder, place)
        run(folder, place)
        assert answers(folder) == undisturbed[0], f"killed before operation {at}"


@pytest.mark.campaign
def test_killed_again_and_again_it_resumes(
    tmp_path: Path, place: str, undisturbed: tuple[dict[str, Counter[str]], list[str]]
) -> None:
    draw = random.Random(5 + SEED)
    for number in range(2 * TIMES):
        folder, kills = tmp_path / f"again {number}", 0
        while True:
            try:
                with failing(folder, draw.randrange(len(undisturbed[1])), killed):
                    run(folder, place)
                break
            except Killed:
                kills += 1
        assert answers(folder) == undisturbed[0], f"after {kills} kills, number {number}"


def test_a_full_disk_is_named_and_nothing_committed_is_lost(
    tmp_path: Path, place: str, undisturbed: tuple[dict[str, Counter[str]], list[str]]
) -> None:
    codes: set[str] = set()
    for at in points(undisturbed[1]):
        folder = tmp_path / str(at)
        try:
            with failing(folder, at, full, "open", "os.mkdir", "os.rename") as tried:
                run(folder, place)
            break
        except EngineError as error:
            (diagnostic,) = error.diagnostics
            assert diagnostic.detail == "No space left on device."
            path, last = Path(str(diagnostic.where)), Path(tried[-1])
            assert path.parent == last.parent or last in (path, *path.parents)
            codes.add(diagnostic.code)
        assert not [path for path in folder.rglob("*") if path.name.endswith(".tmp")]
        run(folder, place)
        assert answers(folder) == undisturbed[0], f"full at operation {at}"
    assert codes == {"unwritable-checkpoint", "unwritable-sink", "unwritable-aside"}


def test_what_an_epoch_left_that_was_never_committed_is_not_there_twice(
    tmp_path: Path, place: str, undisturbed: tuple[dict[str, Counter[str]], list[str]]
) -> None:
    """After a restart a batch may be cut otherwise, for instance where a source is not idle any more."""
    folder = tmp_path / "cut"
    first, *others = batches()
    run(folder, place, [first], to_the_end=False)
    run(tmp_path / "ahead", place, [first, others[0]], to_the_end=False)
    # What a crash leaves: the file, and the line that says it is ours, which was written before it.
    (tmp_path / "ahead" / "changes" / MARK).rename(folder / "changes" / MARK)
    (table,) = (tmp_path / "ahead" / "state/tables/answer 1").glob("000000001-*.parquet")
    table.rename(folder / "state/tables/answer 1" / table.name)
    for path in (tmp_path / "ahead" / "changes").glob("000000001*.csv"):
        draft = f".{path.stem}-5f1e1d4c.csv.part"
        path.rename(folder / "changes" / (path.name if place == "driver" else draft))
    nothing = {name: Arrivals(arrived.frame.clear(), 0) for name, arrived in first.items()}
    run(folder, place, [first, nothing, *others])
    assert answers(folder) == undisturbed[0]


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, place: str, damage: str) -> None:
    run(tmp_path, place, batches()[:2], to_the_end=False)
    files = list((tmp_path / "state").rglob("*.arrow"))
    for path in files:
        _ = path.write_bytes(path.read_bytes()[:20]) if damage == "cut" else path.unlink()
    with pytest.raises(EngineError, match="broken-checkpoint") as caught:
        run(tmp_path, place)
    assert Path(str(caught.value.diagnostics[0].where)) in files


def test_a_file_that_is_changed_is_named_or_changes_nothing(
    tmp_path: Path,
    place: str,
    undisturbed: tuple[dict[str, Counter[str]], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bit of a byte, in every file of a checkpoint. An owner file that cannot be read names no owner."""
    monkeypatch.setattr(ownership, "LEASE", 0.1)
    draw, whole = random.Random(3), tmp_path / "before"
    run(whole, place, batches()[:2], to_the_end=False)
    damaged: set[str] = set()
    for path in [path for path in sorted((whole / "state").rglob("*")) if path.is_file()]:
        for at in draw.sample(range(path.stat().st_size), min(4 * TIMES, path.stat().st_size)):
            folder = tmp_path / "changed"
            shutil.copytree(whole, folder)
            changed = folder / path.relative_to(whole)
            content = bytearray(changed.read_bytes())
            content[at] ^= 1 << draw.randrange(8)
            changed.write_bytes(content)
            try:
                run(folder, place)
                assert answers(folder) == undisturbed[0], f"byte {at} of {changed}"
            except EngineError as error:
                (diagnostic,) = error.diagnostics
                damaged.add(changed.parent.name)
                assert (diagnostic.code, diagnostic.where) == ("broken-checkpoint", str(changed)), at
            shutil.rmtree(folder)
    assert damaged == {"state", "epochs", "answer 1"}


def test_a_checkpoint_without_checksums_is_of_another_version(tmp_path: Path) -> None:
    run(tmp_path, "driver", batches()[:1], to_the_end=False)
    (tmp_path / "state" / "query.json").write_text('{"format": 1}', encoding="utf-8")
    with pytest.raises(EngineError, match="foreign-checkpoint"):
        run(tmp_path, "driver")


def test_a_manifest_that_is_not_whole_is_named(tmp_path: Path) -> None:
    run(tmp_path, "driver")
    newest = max((tmp_path / "state" / "epochs").glob("*.json"))
    for content in ("{", "{}"):
        newest.write_text(content, encoding="utf-8")
        with pytest.raises(EngineError, match="broken-checkpoint"):
            run(tmp_path, "driver")
