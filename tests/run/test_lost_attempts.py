"""Tasks that fail, or whose report Spark does not return: what counts, what is raised, what is deleted."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from run.test_crash_points import QUERY, answers, batches, catalog, run
from slackwater.algebra import Kind
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.base.span import Text
from slackwater.base.time import SECONDS
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.run.checkpoint.holders import lost_checkpoint
from slackwater.run.checkpoint.store import LIST_EVERY, Manifest, Store
from slackwater.run.cluster import placement
from slackwater.run.cluster.job import Job, Plan
from slackwater.run.cluster.parcels import Parcel
from slackwater.run.cluster.stage import run_stage
from slackwater.run.cluster.workers import InProcess, Scan
from slackwater.run.input.aside import Aside
from slackwater.run.runtime import Runtime
from slackwater.sources.options import Options
from slackwater.storage.locate import location
from slackwater.storage.location import Location

Item = TypeVar("Item")
Result = TypeVar("Result")


class TwoAttempts(InProcess):
    """Runs every task twice, as where a machine is lost; the reports of one attempt are returned."""

    def run(self, job: Job, scans: Sequence[Scan], parcels: list[Parcel]) -> list[Parcel]:
        for number in range(len(job.plan.stages.stages)):
            results: list[Parcel] = []
            for at in range(job.partitions):
                share = sorted(
                    (parcel for parcel in parcels if parcel.target == at), key=lambda one: one.order
                )
                attempts = [list(run_stage(job, number, at, share)) for _ in range(2)]
                results += attempts[(job.number + at) % 2]
            parcels = results
        leave_drafts(job)
        return sorted(parcels, key=lambda parcel: parcel.order)


def leave_drafts(job: Job) -> None:
    """What tasks leave that are killed while they write."""
    (location(job.folder) / f".{job.number:09d}-0-0-12345678.arrow.tmp").write(b"a part")
    for _, delivery in job.plan.parts:
        (delivery.folder / f"..{job.number:09d}-0-12345678.csv.part.tmp").write_bytes(b"a part")


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "InProcess", TwoAttempts)


def state_files(folder: Path) -> set[str]:
    return {path.name for path in (folder / "state" / "state").iterdir()}


def listed_files(folder: Path) -> set[str]:
    """The state files that the manifests list."""
    manifests = (folder / "state" / "epochs").glob("*.json")
    contents = [path.read_text(encoding="utf-8").partition("\ncrc32")[0] for path in manifests]
    logs = [log for content in contents for log in json.loads(content)["state"]["logs"].values()]
    return {name for log in logs for name, *_ in log}


def drafts(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "changes").glob(".*part*"))


def test_the_answers_are_those_of_the_attempts_that_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "once", "workers")
    monkeypatch.setattr(placement, "InProcess", TwoAttempts)
    run(tmp_path / "twice", "workers")
    assert answers(tmp_path / "twice") == answers(tmp_path / "once")


@pytest.mark.usefixtures("lossy")
def test_files_of_lost_attempts_are_deleted_while_the_run_goes_on(tmp_path: Path) -> None:
    run(tmp_path, "workers", batches(LIST_EVERY - 1), to_the_end=False)
    assert state_files(tmp_path) > listed_files(tmp_path)
    assert len(drafts(tmp_path)) > 10
    run(tmp_path / "other", "workers", batches(LIST_EVERY), to_the_end=False)
    assert state_files(tmp_path / "other") == listed_files(tmp_path / "other") != set()
    assert drafts(tmp_path / "other") == []


@pytest.mark.usefixtures("lossy")
def test_at_its_end_a_run_has_no_such_files(tmp_path: Path) -> None:
    run(tmp_path, "workers")
    assert state_files(tmp_path) == listed_files(tmp_path)
    assert drafts(tmp_path) == []


def test_without_a_checkpoint_the_files_of_the_last_epoch_remain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "InProcess", TwoAttempts)
    plan = optimized(bind_query(Text("<query>", QUERY), catalog(), Kind.RELATION).plan)
    graph = lowered({"answer": plan}, changelogs=["R"])
    workers = placement.InWorkers(Plan(cut(graph)), location(tmp_path), 2)
    aside = Aside({"S": Options(), "R": Options()}, SECONDS, location(tmp_path / "aside"))
    runtime = Runtime(graph, catalog().sources, {}, aside, make=lambda graph, folder: workers)
    for number, batch in enumerate(batches(6)):
        runtime.step(number, batch)
        needed = {file.name for log in workers._logs.values() for file in log}
        assert {path.name for path in tmp_path.glob("*.arrow")} == needed != set()


class Remote(InProcess):
    """Passes on results as Spark does: pickled, and of an error that is raised only the text."""

    def spread(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        try:
            return [pickle.loads(pickle.dumps(task(item))) for item in items]
        except SlackwaterError as error:
            raise RuntimeError(f"Job aborted: {error}") from None


def test_a_damaged_state_is_named_where_states_are_divided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, "driver", batches()[:2], to_the_end=False)
    damaged = max((tmp_path / "state" / "state").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:-9])
    monkeypatch.setattr(placement, "InProcess", Remote)
    with pytest.raises(EngineError, match="broken-checkpoint") as caught:
        run(tmp_path, "workers")
    assert caught.value.diagnostics[0].where == str(damaged)


@dataclass(slots=True)
class Replaced:
    """The ownership of a run that another has replaced, once that has begun."""

    is_over: bool = False
    term: int = 1

    def check(self) -> None:
        if self.is_over:
            raise EngineError(lost_checkpoint("state"))

    def release(self) -> None: ...


def test_files_of_a_successor_that_began_at_the_list_are_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, listed, theirs = Replaced(), Store._all, tmp_path / "state" / "000000000-0-0-12345678.arrow"
    store = Store(tmp_path, {}, owner)

    def begin(store: Store) -> set[Location]:
        owner.is_over = True
        theirs.write_bytes(b"a state")
        return listed(store)

    monkeypatch.setattr(Store, "_all", begin)
    with pytest.raises(EngineError, match="lost-checkpoint"):
        store.save(Manifest(0, 0, 1), None)
    assert theirs.exists()
