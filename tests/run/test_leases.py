"""A checkpoint on an object store has one owner at a time."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import pytest

from run.owners import another_process, assert_ended_by_silence, assert_known_by_renewals
from slackwater.base.diagnostic import EngineError
from slackwater.run.checkpoint import holders, leases
from slackwater.run.checkpoint.leases import Lease, claim
from slackwater.run.checkpoint.store import Manifest, Store
from slackwater.storage.locate import location
from slackwater.storage.location import Location
from storage.objects import Objects, in_memory, store_in_memory
from storage.s3_server import Bucket, Server


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with Server() as server:
        yield server.bucket


@pytest.fixture
def objects(monkeypatch: pytest.MonkeyPatch) -> Objects:
    return store_in_memory(monkeypatch)


def on_another_machine(state: Location, monkeypatch: pytest.MonkeyPatch) -> Lease:
    with monkeypatch.context() as there:
        there.setattr(holders, "machine", lambda: "elsewhere")
        lease = claim(state)
    leases._held.discard(str(state))
    return lease


def test_the_same_process_does_not_own_a_checkpoint_twice(objects: Objects) -> None:
    first = claim(in_memory("state"))
    with pytest.raises(EngineError, match="checkpoint-in-use") as caught:
        claim(in_memory("state"))
    assert "This process has owned it since" in str(caught.value)
    first.check()
    first.release()
    second = claim(in_memory("state"))
    assert second.term == 2
    second.release()


def test_a_checkpoint_is_the_same_whatever_the_settings_of_its_uri(bucket: Bucket) -> None:
    first = claim(location(bucket.uri("state")))
    with pytest.raises(EngineError, match="checkpoint-in-use"):
        claim(location(f"{bucket.uri('state')}&allow_bucket_creation=true"))
    first.release()


def test_another_process_is_refused_while_the_owner_lives(bucket: Bucket) -> None:
    state = location(bucket.uri("state"))
    with another_process(state.uri, "release") as process:
        before = {key: bucket.objects[key] for key in bucket.names()}
        with pytest.raises(EngineError, match="checkpoint-in-use") as caught:
            claim(state)
        assert f"Process {process.pid} on host" in str(caught.value)
        assert "secret" not in str(caught.value)
        assert set(bucket.names()) == set(before)
    owned = claim(state)
    assert owned.term == 2
    owned.release()


def test_a_crash_does_not_keep_others_from_starting(bucket: Bucket) -> None:
    state = location(bucket.uri("state"))
    with another_process(state.uri, "nothing") as process:
        process.kill()
    owned = claim(state)
    assert owned.term == 2
    assert len(bucket.names("state/owners/")) == 1
    owned.release()


def test_an_owner_on_another_machine_is_known_by_its_renewals(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RENEWAL", 0.05)
    state = location(bucket.uri("state"))
    assert_known_by_renewals(state, lambda: on_another_machine(state, monkeypatch))


def test_an_owner_on_another_machine_that_is_silent_has_ended(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RENEWAL", 3600)
    monkeypatch.setattr(leases, "LEASE", 0.3)
    monkeypatch.setattr(leases.time, "sleep", lambda seconds: None)
    state = location(bucket.uri("state"))
    assert_ended_by_silence(state, lambda: on_another_machine(state, monkeypatch))


def test_of_many_that_start_at_once_at_most_one_owns_it(
    objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each as if on a machine of its own, with random pauses before every operation."""
    monkeypatch.setattr(holders, "machine", lambda: threading.current_thread().name)
    monkeypatch.setattr(leases, "RENEWAL", 0.01)
    monkeypatch.setattr(leases, "LEASE", 0.05)
    draw, owners, guard = random.Random(11), list[list[Lease]](), threading.Lock()
    objects.check = lambda name, path: time.sleep(draw.random() / 500)
    for number in range(10):
        owners.append([])

        def start(state: Location, own: list[Lease]) -> None:
            try:
                lease = leases._own(state)
            except EngineError:
                return
            threading.Thread(target=lease.renew, daemon=True).start()
            with guard:
                own.append(lease)

        arguments = (in_memory(f"state {number}"), owners[-1])
        threads = [threading.Thread(target=start, args=arguments, name=f"machine {n}") for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        terms = [lease.term for lease in owners[-1]]
        assert len(set(terms)) == len(terms)
        alive = [lease for lease in owners[-1] if _is_owner(lease)]
        assert len(alive) <= 1, terms
        for lease in alive:
            lease.release()
    assert any(owners)


def _is_owner(lease: Lease) -> bool:
    try:
        lease.check()
    except EngineError:
        lease.abandon()
        return False
    return True


@pytest.mark.parametrize("is_late", [False, True])
def test_of_two_that_believe_to_own_a_checkpoint_the_later_term_counts(
    objects: Objects, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    """The former owner was paused after its check, and commits before or after its successor does."""
    monkeypatch.setattr(leases, "RENEWAL", 3600)
    monkeypatch.setattr(leases, "_is_silent", lambda folder, name: True)
    state = in_memory("state")
    paused = on_another_machine(state, monkeypatch)
    old = Store(state, {}, paused)
    before = Manifest(0, 0, 1)
    old.save(before, None)
    owned = claim(state)
    new = Store(state, {}, owned)
    with pytest.raises(EngineError, match="lost-checkpoint"):
        old.save(Manifest(1, 1, 2), before)
    with monkeypatch.context() as patch:
        patch.setattr(Lease, "check", lambda self: None)
        commits = [
            lambda: old.save(Manifest(1, 1, 2), before),
            lambda: new.save(Manifest(1, 1, 5), before),
        ]
        for commit in reversed(commits) if is_late else commits:
            commit()
    for store in (new, Store(state, {})):
        manifest = store.last()
        assert manifest is not None
        assert manifest.hi == 5
    owned.release()
    again = claim(state)
    assert Store(state, {}, again).done == 1
    again.release()


def test_a_former_owner_commits_nothing_that_counts_before_its_successor_does(
    objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The successor has begun, committed nothing, and is killed: the third resumes where the second did."""
    monkeypatch.setattr(leases, "_is_silent", lambda folder, name: True)
    state = in_memory("state")
    paused = on_another_machine(state, monkeypatch)
    old = Store(state, {}, paused)
    second = claim(state)
    assert Store(state, {}, second).done == -1
    second.abandon()
    with monkeypatch.context() as patch:
        patch.setattr(Lease, "check", lambda self: None)
        old.save(Manifest(0, 0, 1), None)
    third = claim(state)
    assert Store(state, {}, third).done == -1
    third.release()
    paused.abandon()
