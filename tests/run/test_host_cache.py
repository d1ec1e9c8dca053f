"""Copies of state files on a host: what they save, and that nothing depends on them."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import frame_schema
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.run.cluster import stage
from slackwater.run.cluster.host_cache import LIMIT, HostCache, cache_of
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import InWorkers
from slackwater.storage.local import Local
from slackwater.storage.locate import location
from slackwater.storage.whole import checksum
from storage.s3_server import Bucket, Server

SCHEMA = Schema.of(a=INT, b=INT)


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with Server() as server:
        yield server.bucket


@pytest.fixture
def cache(tmp_path: Path) -> HostCache:
    return HostCache(tmp_path / "copies", 1_000)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Spark's local files on this host."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path / 'local'},{tmp_path / 'other'}")
    return tmp_path / "local"


def put(cache: HostCache, name: str, content: bytes) -> str:
    cache.put(name, checksum(content), content)
    return checksum(content)


def test_a_copy_is_what_was_put(cache: HostCache) -> None:
    crc = put(cache, "a.arrow", b"abc")
    copy = cache.get("a.arrow", crc)
    assert copy is not None
    assert bytes(copy) == b"abc"
    assert cache.get("b.arrow", crc) is None
    assert cache.get("a.arrow", "00000000") is None


@pytest.mark.parametrize("damage", [b"", b"ab", b"abd", b"abcd"])
def test_a_damaged_copy_is_none_and_is_deleted(cache: HostCache, damage: bytes) -> None:
    crc = put(cache, "a.arrow", b"abc")
    (path,) = cache.folder.iterdir()
    path.write_bytes(damage)
    assert cache.get("a.arrow", crc) is None
    assert not damage or not path.exists()
    put(cache, "a.arrow", b"abc")
    assert cache.get("a.arrow", crc) is not None


def test_what_was_used_least_recently_is_deleted(cache: HostCache) -> None:
    crcs = [put(cache, f"{number}", bytes([number]) * 200) for number in range(5)]
    for number in range(5):  # as if some time lay between
        os.utime(cache._path(f"{number}", crcs[number]), ns=(number, number))
    assert cache.get("0", crcs[0]) is not None
    put(cache, "5", bytes(400))
    left = sorted(path.name.partition("-")[0] for path in cache.folder.iterdir())
    assert left == ["0", "3", "4", "5"]


def test_it_stays_near_its_limit_and_has_no_file_of_half_of_it(cache: HostCache) -> None:
    for number in range(100):
        put(cache, f"{number}", os.urandom(100))
        assert sum(path.stat().st_size for path in cache.folder.iterdir()) <= 1_000 + 100
    assert cache.get("large", put(cache, "large", bytes(501))) is None


def test_a_mapped_copy_outlives_its_file(cache: HostCache) -> None:
    crc = put(cache, "a", b"abc")
    copy = cache.get("a", crc)
    for path in cache.folder.iterdir():
        path.unlink()
    assert copy is not None
    assert bytes(copy) == b"abc"


def test_without_a_place_there_are_no_copies_and_no_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    unusable = HostCache(tmp_path / "file" / "copies")
    assert unusable.get("a", put(unusable, "a", b"abc")) is None
    unusable.shrink()


def test_a_folder_of_another_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "copies").symlink_to(tmp_path / "theirs")
    put(HostCache(tmp_path / "copies"), "a", b"abc")
    assert list((tmp_path / "theirs").iterdir()) == []


def _use(folder: Path, seconds: float) -> None:
    cache, until, number = HostCache(folder, 20_000), time.monotonic() + seconds, 0
    while time.monotonic() < until:
        content = bytes([number % 7]) * (1_000 + number % 7)
        copy = cache.get(f"{number % 7}", checksum(content))
        if copy is not None and bytes(copy) != content:
            raise SystemExit(1)
        put(cache, f"{number % 7}", content)
        number += 1


def test_several_processes_may_use_it_at_once(tmp_path: Path) -> None:
    method = multiprocessing.get_context("spawn")
    users = [method.Process(target=_use, args=(tmp_path / "copies", 0.5)) for _ in range(3)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert [user.exitcode for user in users] == [0, 0, 0]
    assert not list((tmp_path / "copies").glob(".*"))


def test_a_folder_of_this_machine_needs_none(tmp_path: Path, host: Path, bucket: Bucket) -> None:
    assert cache_of(Local(tmp_path)) is None
    elsewhere = cache_of(location(bucket.uri("state")))
    assert elsewhere is not None
    assert elsewhere.folder.parent == host


def test_a_limit_of_zero_is_no_cache(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT, "0")
    assert cache_of(location(bucket.uri("state"))) is None


def batches() -> list[pl.DataFrame]:
    rows = [(t * 7 % 5, t % 4, t, INFINITY, 1) for t in range(24)]
    return [
        pl.DataFrame(rows[at : at + 6], schema=frame_schema(SCHEMA), orient="row") for at in (0, 6, 12, 18)
    ]


def answered(bucket: Bucket, folder: str, *, lost: bool) -> list[pl.DataFrame]:
    """The epochs of a query in two stages; where memory is lost, every task begins with none."""
    catalog = Catalog()
    catalog.stream("S", SCHEMA)
    text = (
        "SELECT n, COUNT(*) AS m FROM (SELECT a, COUNT(*) AS n FROM S [RANGE 9] GROUP BY a) AS x GROUP BY n"
    )
    plan = optimized(bind_query(Text("<query>", text), catalog, Kind.RELATION).plan)
    stages = Plan(cut(lowered({"answer": plan})), collected=frozenset({"answer"}))
    workers, answers = InWorkers(stages, location(bucket.uri(folder)), 2), []
    for number, batch in enumerate(batches()):
        if lost:
            stage._memory.known.clear()
        lo, hi = number * 6, number * 6 + 6
        answers.append(workers.compute(number, lo, hi, {"S": batch}).outputs["answer"].sort(pl.all()))
    return answers


def reads(bucket: Bucket) -> int:
    return sum(method == "GET" and key.endswith(".arrow") for method, key in bucket.requests)


def test_a_worker_that_lost_its_memory_reads_nothing_that_its_host_has(
    bucket: Bucket, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answered(bucket, "kept", lost=False)
    assert reads(bucket) == 0
    lost = answered(bucket, "lost", lost=True)
    assert reads(bucket) == 0
    monkeypatch.setenv(LIMIT, "0")
    without = answered(bucket, "without", lost=True)
    assert reads(bucket) > 10
    for epochs in (lost, without):
        assert all(map(pl.DataFrame.equals, epochs, expected))


def test_copies_that_are_damaged_or_gone_are_read_from_the_store(bucket: Bucket, host: Path) -> None:
    expected = answered(bucket, "kept", lost=False)
    watched: list[str] = []

    def damage(method: str, key: str) -> None:
        for path in host.glob("*/*.arrow-*"):
            watched.append(path.name)
            path.write_bytes(path.read_bytes()[:-1] + b"?") if len(watched) % 2 else path.unlink()

    bucket.watch = damage
    assert all(map(pl.DataFrame.equals, answered(bucket, "lost", lost=True), expected))
    assert watched
    assert reads(bucket) > 0
