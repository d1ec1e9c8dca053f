"""A checkpoint on an object store: cut off between any two operations, a run resumes as if never cut."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from pyarrow.fs import FileSelector

from laws.effort import SEED, TIMES
from run.faults import Killed
from run.test_crash_points import PLACES, answers, batches, points, run
from slackwater.base.diagnostic import EngineError
from slackwater.run.cluster.host_cache import LIMIT
from slackwater.storage.location import Location
from storage.objects import WRITES, Objects, in_memory, killed, store_in_memory


@pytest.fixture
def objects(monkeypatch: pytest.MonkeyPatch) -> Objects:
    """The store, for tasks without copies of it on this host."""
    monkeypatch.setenv(LIMIT, "0")
    return store_in_memory(monkeypatch)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def all_answers(folder: Path, state: Location) -> dict[str, Counter[str]]:
    """What was delivered, and what was set aside."""
    late = state / "late" / "S"
    lines = [line for name in late.files() for line in (late / name).read().decode().splitlines()]
    return {**answers(folder), "S": Counter(lines)}


@pytest.fixture
def undisturbed(tmp_path: Path, place: str, objects: Objects) -> tuple[dict[str, Counter[str]], int]:
    """The answers of a run on this machine, and how many operations the same takes on the store."""
    run(tmp_path / "here", place)
    with objects.failing(-1, killed()) as tried:
        run(tmp_path / "whole", place, state=in_memory("whole"))
    assert all_answers(tmp_path / "whole", in_memory("whole")) == answers(tmp_path / "here")
    return answers(tmp_path / "here"), len(tried)


@pytest.mark.parametrize("machine", ["the same machine", "another machine"])
def test_killed_before_any_operation_it_resumes(
    tmp_path: Path,
    place: str,
    machine: str,
    objects: Objects,
    undisturbed: tuple[dict[str, Counter[str]], int],
) -> None:
    """Another machine does not have the log that Spark wrote on the first."""
    for at in points([""] * undisturbed[1]):
        folder, state = tmp_path / str(at), in_memory(str(at))
        with objects.failing(at, killed()), pytest.raises(Killed):
            run(folder, place, state=state)
        if machine == "another machine" and (folder / "log").exists():
            (folder / "log").rename(folder / "lost")
        run(folder, place, state=state)
        assert all_answers(folder, state) == undisturbed[0], f"killed before operation {at}"


@pytest.mark.campaign
def test_killed_again_and_again_it_resumes(
    tmp_path: Path, place: str, objects: Objects, undisturbed: tuple[dict[str, Counter[str]], int]
) -> None:
    draw = random.Random(7 + SEED)
    for number in range(2 * TIMES):
        folder, state, kills = tmp_path / f"again {number}", in_memory(f"again {number}"), 0
        while True:
            try:
                with objects.failing(draw.randrange(undisturbed[1]), killed()):
                    run(folder, place, state=state)
                break
            except Killed:
                kills += 1
        assert all_answers(folder, state) == undisturbed[0], f"after {kills} kills, number {number}"


def test_a_store_that_refuses_is_named_and_nothing_committed_is_lost(
    tmp_path: Path, place: str, objects: Objects, undisturbed: tuple[dict[str, Counter[str]], int]
) -> None:
    codes: set[str] = set()
    for at in range(undisturbed[1]):
        folder, state = tmp_path / str(at), in_memory(str(at))
        try:
            with objects.failing(at, OSError("SlowDown"), WRITES[0]):
                run(folder, place, state=state)
            break
        except EngineError as error:
            (diagnostic,) = error.diagnostics
            assert diagnostic.detail == "SlowDown."
            assert str(diagnostic.where).startswith(str(state))
            codes.add(diagnostic.code)
        run(folder, place, state=state)
        assert all_answers(folder, state) == undisturbed[0], f"refused at operation {at}"
    assert codes == {"unwritable-checkpoint", "unwritable-sink", "unwritable-aside"}


def test_whatever_fails_is_reported_as_an_error_of_the_checkpoint(
    tmp_path: Path, place: str, objects: Objects, undisturbed: tuple[dict[str, Counter[str]], int]
) -> None:
    """Reading, listing and deleting, too; what only cleans up may fail without an error."""
    for at in points([""] * undisturbed[1]):
        folder, state = tmp_path / str(at), in_memory(str(at))
        places: list[str] = []
        with objects.failing(at, OSError("SlowDown")) as tried:
            try:
                run(folder, place, state=state)
            except EngineError as error:
                places = [str(diagnostic.where) for diagnostic in error.diagnostics]
        assert not [where for where in places if not where.startswith(str(state))], tried[-1]
        run(folder, place, state=state)
        assert all_answers(folder, state) == undisturbed[0], f"failed at operation {at}"


def test_what_cannot_be_deleted_is_deleted_later(
    tmp_path: Path, place: str, objects: Objects, undisturbed: tuple[dict[str, Counter[str]], int]
) -> None:
    def refuse(name: str, path: str) -> None:
        if name == "delete_file":
            raise OSError("SlowDown")

    state = in_memory("kept")
    objects.check = refuse
    run(tmp_path / "kept", place, batches()[:2], to_the_end=False, state=state)
    objects.check = lambda name, path: None
    run(tmp_path / "kept", place, state=state)
    assert (state / "epochs").files() == ["000000002-2.json", "000000003-2.json"]
    assert all_answers(tmp_path / "kept", state) == undisturbed[0]


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_object_is_named(tmp_path: Path, place: str, objects: Objects, damage: str) -> None:
    state = in_memory("state")
    run(tmp_path, place, batches()[:2], to_the_end=False, state=state)
    for folder in ("epochs", "spark", "state", "tables/answer 1"):
        paths = {state / folder / name: (state / folder / name).read() for name in (state / folder).files()}
        for path, content in paths.items():
            _ = path.write(content[: len(content) // 2]) if damage == "cut" else path.delete()
        is_lost = folder == "epochs" and damage == "gone"
        expected = "missing-manifest" if is_lost else "broken-checkpoint"
        with pytest.raises(EngineError, match=expected) as caught:
            run(tmp_path, place, state=state)
        assert str(caught.value.diagnostics[0].where).startswith(str(state / folder))
        for name in (state / folder).files():
            (state / folder / name).delete()
        for path, content in paths.items():
            path.write(content)
    run(tmp_path, place, state=state)


def test_nothing_of_an_address_with_credentials_is_stored(tmp_path: Path, objects: Objects) -> None:
    run(tmp_path, "workers", state=in_memory("state"))
    info = objects.files.get_file_info(FileSelector("memory", recursive=True))
    contents = [objects.files.open_input_stream(entry.path).read() for entry in info if entry.size]
    assert contents
    assert not [content for content in contents if b"s3:" in content]
    claims = [json.loads(content) for content in contents if b"renewals" in content]
    assert claims
