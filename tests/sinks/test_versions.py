"""Tables in versions: an epoch starts from the version that the manifest names."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from slackwater.sinks.versions import COPIES, Versions


def changes(*rows: tuple[str, int]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"a": pl.String, COPIES: pl.Int64}, orient="row")


def test_a_version_of_a_former_owner_is_not_read(tmp_path: Path) -> None:
    former, owner = Versions(tmp_path), Versions(tmp_path)
    former.advance(0, changes(("x", 1)))
    owner.resume(former.last)
    owner.advance(1, changes(("y", 1)))
    former.advance(1, changes(("z", 1)))
    resumed = Versions(tmp_path)
    resumed.resume(owner.last)
    assert sorted(resumed.advance(2, changes(("x", -1))).rows()) == [("y", 1)]


def test_versions_of_an_epoch_that_was_not_committed_are_deleted(tmp_path: Path) -> None:
    table = Versions(tmp_path)
    for number in range(3):
        table.advance(number, changes(("x", 1)))
    assert [path.name[:9] for path in sorted(tmp_path.iterdir())] == ["000000001", "000000002"]
    table.forget(2)
    assert [path.name[:9] for path in tmp_path.iterdir()] == ["000000001"]


def test_a_version_with_the_name_of_an_earlier_release_is_read(tmp_path: Path) -> None:
    table = Versions(tmp_path)
    table.advance(7, changes(("x", 2)))
    (path,) = tmp_path.iterdir()
    path.rename(tmp_path / "000000007.parquet")
    resumed = Versions(tmp_path)
    resumed.resume(7)
    assert resumed.advance(8, changes(("x", -1))).rows() == [("x", 1)]
    resumed.advance(9, changes(("x", 1)))
    assert [path.name[:9] for path in sorted(tmp_path.iterdir())] == ["000000008", "000000009"]
