"""Locations behave alike, wherever they are; what differs is stated."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.storage.local import Local
from slackwater.storage.locate import location
from slackwater.storage.location import Location
from slackwater.storage.remote import remote
from storage.moto_server import moto_bucket
from storage.s3_server import Bucket


@pytest.fixture(scope="module")
def moto() -> Iterator[Bucket]:
    with moto_bucket() as bucket:
        yield bucket


@pytest.fixture(params=["local", "mock", "s3", "moto"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, bucket: Bucket, moto: Bucket) -> Location:
    place = {
        "local": str(tmp_path / "a b"),
        "mock": f"mock://{tmp_path.name}/a%20b",
        "s3": bucket.uri("a%20b"),
        "moto": moto.uri(f"{tmp_path.name}/a%20b"),
    }
    return location(place[request.param])


def test_a_file_is_read_as_it_was_written(folder: Location) -> None:
    path = folder / "epochs" / "000000001.json"
    assert not path.exists()
    assert path.write(b"abc") == 3
    assert (path.read(), path.size(), path.exists(), path.name) == (b"abc", 3, True, "000000001.json")
    assert path.write(memoryview(b"other")) == 5
    assert path.read() == b"other"


def test_a_large_file_is_read_as_it_was_written(folder: Location) -> None:
    content = bytes(range(256)) * 24_000
    (folder / "large").write(content)
    assert (folder / "large").read() == content


def test_a_folder_lists_its_files_and_folders(folder: Location) -> None:
    assert (folder.names(), folder.files()) == ([], [])
    for name in ("b", "a"):
        (folder / name).write(b"1")
    (folder / "c" / "d").write(b"1")
    assert (folder.names(), folder.files()) == (["a", "b", "c"], ["a", "b"])


def test_what_is_deleted_is_gone_and_may_be_gone_before(folder: Location) -> None:
    (folder / "c" / "a").write(b"1")
    (folder / "c" / "a").delete()
    (folder / "c" / "a").delete()
    assert (folder / "c").files() == []
    (folder / "c" / "b").write(b"1")
    folder.delete_all()
    folder.delete_all()
    assert not (folder / "c" / "b").exists()


def test_a_file_that_is_missing_is_an_os_error(folder: Location) -> None:
    for act in ((folder / "a").read, (folder / "a").size):
        with pytest.raises(FileNotFoundError):
            act()
    assert (folder / "a").modified() == 0


def test_a_file_that_has_to_be_new_is_not_replaced(folder: Location) -> None:
    (folder / "a").write(b"1", ".7", is_new=True)
    with pytest.raises(FileExistsError):
        (folder / "a").write(b"2", ".8", is_new=True)
    assert (folder / "a").read() == b"1"
    assert folder.names() == ["a"]


def test_a_file_written_again_is_newer(folder: Location) -> None:
    (folder / "a").write(b"1")
    assert (folder / "a").modified() > 1e9


def test_a_location_is_the_same_in_another_process(folder: Location) -> None:
    (folder / "c" / "a").write(b"1")
    for again in (pickle.loads(pickle.dumps(folder)), location(folder.uri), location(location(folder.uri))):
        assert str(again) == str(folder)
        assert (again / "c" / "a").read() == b"1"
    assert location((folder / "c").uri) == folder / "c"


def test_a_small_file_on_an_object_store_is_one_request(bucket: Bucket) -> None:
    path = location(bucket.uri("state")) / "a"
    bucket.requests.clear()
    path.write(b"abc")
    assert bucket.requests == [("PUT", "state/a")]


def test_a_large_file_on_an_object_store_is_read_by_one_request_after_its_size(bucket: Bucket) -> None:
    path = location(bucket.uri("state")) / "a"
    path.write(bytes(3_000_000))
    bucket.requests.clear()
    assert path.read() == bytes(3_000_000)
    assert bucket.requests == [("HEAD", "state/a"), ("GET", "state/a")]


def test_an_object_without_bytes_counts_as_none(bucket: Bucket) -> None:
    folder = location(bucket.uri("state"))
    bucket.put("state/", b"")
    bucket.put("state/a", b"")
    assert not (folder / "a").exists()
    assert folder.files() == []


def test_errors_of_an_object_store_are_os_errors_without_credentials(bucket: Bucket) -> None:
    def refuse(method: str, key: str) -> None:
        raise PermissionError(f"key secret is refused at 127.0.0.1:{bucket.port}")

    folder = location(bucket.uri("state"))
    (folder / "a").write(b"1")
    bucket.watch = refuse
    for act in (
        folder.files,
        (folder / "a").read,
        (folder / "a").exists,
        (folder / "a").delete,
        lambda: (folder / "a").write(b"2"),
    ):
        with pytest.raises(OSError, match=r"\S") as caught:
            act()
        assert not {"secret", str(bucket.port)} & set(str(caught.value).replace(":", " ").split())


def test_a_server_that_is_gone_is_an_os_error(bucket: Bucket) -> None:
    folder = location(bucket.uri("state").replace(str(bucket.port), "1"))
    with pytest.raises(OSError, match=r"NETWORK_CONNECTION|connect"):
        (folder / "a").write(b"1")


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("s3://key:secret@bucket/a/b/?region=x", "s3://bucket/a/b"),
        ("S3A://bucket/a%20b", "s3://bucket/a b"),
        (Path("s3://bucket/a"), "s3://bucket/a"),
        ("gs://bucket", "gs://bucket/"),
        ("abfss://box:secret@account.dfs.core.windows.net/a", "abfss://box@account.dfs.core.windows.net/a"),
        ("hdfs://name:8020/a?user=me", "hdfs://name:8020/a"),
        ("hdfs:/a", "hdfs:///a"),
    ],
)
def test_a_message_shows_where_it_is_and_no_settings(place: str | Path, shown: str) -> None:
    elsewhere = remote(str(place))
    assert elsewhere is not None
    assert str(elsewhere) == shown
    assert "secret" not in repr(elsewhere)


def test_a_path_is_one_of_this_machine(tmp_path: Path) -> None:
    assert location(tmp_path) == location(tmp_path.as_uri()) == Local(tmp_path)


@pytest.mark.parametrize("place", ["dbfs:/x", "HTTP://h/x", "file://host/x"])
def test_other_schemes_are_refused(place: str) -> None:
    with pytest.raises(sw.EngineError, match="unknown-storage"):
        location(place)


def test_unknown_settings_are_refused_without_showing_them() -> None:
    with pytest.raises(sw.EngineError, match="unusable-storage") as caught:
        location("s3://key:secret@bucket/a?colour=purple&region=x")
    assert "colour" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "purple" not in str(caught.value)
