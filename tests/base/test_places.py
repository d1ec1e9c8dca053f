"""A path, a file's URI and other URIs are distinguished in one place, and each is taken as it is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.base.places import is_remote, local_path, plain
from slackwater.texts.files import read_text

REMOTE = ["s3a://bucket/x", "hdfs://name:8020/x", "hdfs:/x", "dbfs:/x", "HTTP://h/x", "file://host/x"]


@pytest.mark.parametrize("place", [*REMOTE, Path("s3a://bucket/x")])
def test_places_elsewhere_are_not_written_to(place: str | Path) -> None:
    assert is_remote(place)
    assert plain(place) == str(place)
    with pytest.raises(sw.EngineError, match="remote-place"):
        local_path(place, "a checkpoint")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("file:///data/a%20b", "/data/a b"),
        ("file:/data/a%20b", "/data/a b"),
        ("FILE://localhost/data", "/data"),
        (Path("file:///data/a"), "/data/a"),
        ("file:///d/*.csv#1?", "/d/*.csv#1?"),
        ("data/50%20", "data/50%20"),
        ("C:/data", "C:/data"),
        ("12:30/x", "12:30/x"),
        ("a b:/x", "a b:/x"),
    ],
)
def test_paths_and_uris_of_files_are_paths(place: str | Path, path: str) -> None:
    assert not is_remote(place)
    assert plain(place) == path
    assert local_path(place, "answers") == Path(path)


def _query() -> sw.Query:
    session = sw.connect()
    session.sql("CREATE STREAM S (a INT) TIME t INT FROM 'nowhere'")
    return session.query("SELECT ISTREAM(a) FROM S [NOW]")


@pytest.mark.parametrize(
    ("use", "place", "code"),
    [
        (lambda place: sw.Files(place), "s3a://bucket/x", "remote-place"),
        (lambda place: _query().write(place), "s3a://bucket/x", "remote-place"),
        (lambda place: _query().start(sw.Memory(), checkpoint=place), "dbfs://x", "unknown-storage"),
        (lambda place: _query().start(sw.Memory(), checkpoint=place), "s3://b/x?a=b", "unusable-storage"),
        (
            lambda place: _query().session.start(_query(), checkpoint=Path(place)),
            "dbfs:/x",
            "unknown-storage",
        ),
    ],
)
def test_every_place_that_is_written_to_is_checked(
    use: Callable[[str], object], place: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is left behind: no folder that is called `s3a:`."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sw.EngineError, match=code):
        use(place)
    assert not list(tmp_path.iterdir())


def test_a_text_can_be_read_by_its_uri(tmp_path: Path) -> None:
    (tmp_path / "a b.cql").write_text("SELECT 1", encoding="utf-8")
    assert read_text((tmp_path / "a b.cql").as_uri()).content == "SELECT 1"
