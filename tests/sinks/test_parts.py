"""Files that tasks write: drafts that become visible once their epoch is committed."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.run.cluster.scan import SCANS, part_name
from slackwater.sinks.files import Files, publish

ROWS = pl.DataFrame({"time": [1, 2], "a": [3, 4]})


def test_a_part_is_visible_once_it_is_published(tmp_path: Path) -> None:
    out = Files(tmp_path, "csv", "changes")
    name = out.write_part(12, 3, ROWS)
    assert name is not None
    assert not list(tmp_path.glob("*.csv"))
    out.announce([name])
    publish(tmp_path, [name])
    assert (tmp_path / "000000012-3.csv").read_text(encoding="utf-8") == "time,a\n1,3\n2,4\n"
    publish(tmp_path, [name])  # again, after a crash


def test_a_part_that_the_driver_does_not_see_is_refused(tmp_path: Path) -> None:
    elsewhere = Files(tmp_path / "elsewhere", "csv", "changes").write_part(12, 3, ROWS)
    assert elsewhere is not None
    with pytest.raises(EngineError, match=r"unwritable-sink(.|\n)*the folder must be shared"):
        Files(tmp_path / "here", "csv", "changes").announce([elsewhere])
    with pytest.raises(EngineError, match="unwritable-sink"):
        publish(tmp_path / "here", [elsewhere])


def test_two_attempts_at_a_task_do_not_share_a_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second begins and ends while the first is writing."""
    out, sync, others = Files(tmp_path, "csv", "changes"), os.fsync, []

    def sync_late(file: int) -> None:
        if not others:
            others.append("")
            others[0] = out.write_part(12, 3, ROWS.head(1)) or ""
        sync(file)

    monkeypatch.setattr(os, "fsync", sync_late)
    name = out.write_part(12, 3, ROWS)
    assert name is not None
    assert name != others[0]
    contents = [(tmp_path / draft).read_text(encoding="utf-8") for draft in (name, others[0])]
    assert contents == ["time,a\n1,3\n2,4\n", "time,a\n1,3\n"]
    publish(tmp_path, [name])
    out.discard(12)
    assert [path.name for path in tmp_path.iterdir()] == ["000000012-3.csv"]
    assert (tmp_path / "000000012-3.csv").read_text(encoding="utf-8") == contents[0]


def test_drafts_of_a_later_epoch_are_not_discarded(tmp_path: Path) -> None:
    out = Files(tmp_path, "csv", "changes")
    drafts = [out.write_part(number, 0, ROWS) for number in (11, 12, 13)]
    out.discard(12)
    assert [path.name for path in tmp_path.iterdir()] == drafts[2:]


def test_rows_that_scans_set_aside_are_in_the_order_of_their_files() -> None:
    places = [(scan, partition, chunk) for scan in (0, 1) for partition in (2, 10) for chunk in (9, 10)]
    names = [part_name(scan * SCANS + partition, chunk) for scan, partition, chunk in places]
    assert names == sorted(names)
