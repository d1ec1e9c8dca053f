"""A checkpoint has one owner at a time, with locks, without them, and on other machines."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from run.owners import another_process, assert_ended_by_silence, assert_known_by_renewals
from run.test_crash_points import QUERY, answers, batches, run
from slackwater.base.diagnostic import EngineError
from slackwater.run.checkpoint import holders, ownership
from slackwater.run.checkpoint.files import is_claimed
from slackwater.run.checkpoint.ownership import Ownership, claim
from slackwater.run.checkpoint.store import Manifest, Store


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.fixture(params=["locks", "no locks", "locks that are none"])
def locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Filesystems: with locks, without, and those that grant every lock."""

    def refused(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    if request.param == "no locks":
        monkeypatch.setattr(fcntl, "flock", refused)
    if request.param == "locks that are none":
        monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    return str(request.param)


def test_the_same_process_does_not_own_a_checkpoint_twice(tmp_path: Path, locks: str) -> None:
    first = claim(tmp_path / "state")
    before = contents(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "state")
    for path in (tmp_path / "state", link):
        with pytest.raises(EngineError, match="checkpoint-in-use") as caught:
            claim(path)
        assert "This process has owned it since" in str(caught.value)
    assert contents(tmp_path / "state") == before
    first.check()
    first.release()
    claim(tmp_path / "state").release()


def test_another_process_is_refused_while_the_owner_lives(tmp_path: Path, locks: str) -> None:
    with another_process(str(tmp_path), "release") as process:
        before = contents(tmp_path)
        with pytest.raises(EngineError, match="checkpoint-in-use") as caught:
            claim(tmp_path)
        assert f"Process {process.pid} on host" in str(caught.value)
        assert contents(tmp_path) == before
    claim(tmp_path).release()


def test_a_crash_does_not_keep_others_from_starting(tmp_path: Path, locks: str) -> None:
    with another_process(str(tmp_path), "nothing") as process:
        process.kill()
    assert list((tmp_path / "owners").glob("*.json")), "it has not said that it ended"
    owned = claim(tmp_path)
    assert owned.term == 2
    owned.release()


def on_another_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Ownership:
    """An owner elsewhere: locks do not reach it, and its processes are not ours."""
    with monkeypatch.context() as there:
        there.setattr(holders, "machine", lambda: "elsewhere")
        owned = claim(folder)
    owned._lock.close()
    ownership._held.discard(str(folder.resolve()))
    return owned


def test_an_owner_on_another_machine_is_known_by_its_renewals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "RENEWAL", 0.05)
    assert_known_by_renewals(tmp_path, lambda: on_another_machine(tmp_path, monkeypatch))


def test_an_owner_on_another_machine_that_is_silent_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "RENEWAL", 3600)
    monkeypatch.setattr(ownership, "LEASE", 0.3)
    assert_ended_by_silence(tmp_path, lambda: on_another_machine(tmp_path, monkeypatch))


def test_a_date_in_the_future_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "RENEWAL", 3600)
    monkeypatch.setattr(ownership, "LEASE", 0.3)
    on_another_machine(tmp_path, monkeypatch)
    later = time.time() + 10**6
    os.utime(tmp_path / "owners" / "000000001.json", (later, later))
    claim(tmp_path).release()


def test_of_many_that_start_at_once_one_owns_it(tmp_path: Path, locks: str) -> None:
    owners: list[Ownership] = []
    ready = threading.Barrier(8)

    def start() -> None:
        ready.wait()
        with contextlib.suppress(EngineError):
            owners.append(claim(tmp_path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(owners) == 1
    owners[0].release()


def test_two_that_believe_to_own_a_checkpoint_do_not_both_commit_an_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership, "RENEWAL", 3600)
    monkeypatch.setattr(ownership, "LEASE", 0.1)
    paused = on_another_machine(tmp_path, monkeypatch)
    old = Store(tmp_path, {}, paused)
    owned = claim(tmp_path)
    new = Store(tmp_path, {}, owned)
    with pytest.raises(EngineError, match="lost-checkpoint"):
        old.save(Manifest(0, 0, 1), None)
    monkeypatch.setattr(Ownership, "check", lambda self: None)  # as if it were paused right after the check
    new.save(Manifest(0, 0, 2), None)
    with pytest.raises(EngineError, match="lost-checkpoint"):
        old.save(Manifest(0, 0, 1), None)
    manifest = new.last()
    assert manifest is not None
    assert manifest.hi == 2
    owned.release()


def test_a_run_that_lost_its_checkpoint_delivers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner changes before the second epoch: answers and state are those of the new owner."""
    run(tmp_path / "whole", "driver")
    seen: list[dict[str, tuple[int, bytes]]] = []
    checks: list[int] = []
    check = Ownership.check

    def taken_over(owned: Ownership) -> None:
        checks.append(1)
        if len(checks) == 3:  # before the second epoch delivers
            (tmp_path / "run/state/owners/000000002.json").write_text(json.dumps({}), encoding="utf-8")
            seen.append(contents(tmp_path))
        check(owned)

    with monkeypatch.context() as patch:
        patch.setattr(Ownership, "check", taken_over)
        with pytest.raises(EngineError, match="lost-checkpoint"):
            run(tmp_path / "run", "driver", batches())
    assert contents(tmp_path) == seen[0]
    (tmp_path / "run/state/owners/000000002.json").unlink()
    run(tmp_path / "run", "driver")
    assert answers(tmp_path / "run") == answers(tmp_path / "whole")


def test_a_folder_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(EngineError, match="not-a-checkpoint"):
        is_claimed(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_new_disk_is_empty(tmp_path: Path) -> None:
    (tmp_path / "lost+found").mkdir()
    (tmp_path / ".DS_Store").touch()
    assert not is_claimed(tmp_path)


def test_a_folder_that_cannot_be_listed_is_not_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, "driver", batches()[:2], to_the_end=False)

    def broken(path: Path) -> Iterator[Path]:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "iterdir", broken)
    with pytest.raises(EngineError, match="broken-checkpoint"):
        Store(tmp_path / "state", {"query": QUERY}).last()
    with pytest.raises(EngineError, match="unwritable-checkpoint"):
        claim(tmp_path / "state")


def test_a_checkpoint_without_its_identity_is_not_begun_anew(tmp_path: Path) -> None:
    run(tmp_path, "driver", batches()[:2], to_the_end=False)
    (tmp_path / "state" / "query.json").unlink()
    with pytest.raises(EngineError, match=r"broken-checkpoint.*\n.*query.json"):
        is_claimed(tmp_path / "state")
