"""Folders that answers are written to: what is ours is replaced, what is not ours stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.language.sinks import OUTPUT_FORMATS
from slackwater.sinks.files import Files
from slackwater.sinks.folders import MARK, held

FRAME = pl.DataFrame({"a": [1, 2]})


def begun(sink: Files, *numbers: int) -> Files:
    sink.prepare(None)
    for number in numbers:
        sink.put(number, FRAME)
    return sink


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != MARK)


@pytest.mark.parametrize("mode", [None, "table"])
@pytest.mark.parametrize("format", OUTPUT_FORMATS)
def test_another_format_leaves_no_old_files(tmp_path: Path, format: str, mode: str | None) -> None:
    old = begun(Files(tmp_path, format, mode), *(() if mode else (0, 12)))
    if mode:
        old.replace(12, FRAME)
    (tmp_path / f".{'table' if mode else '000000012'}.{format}.tmp").touch()
    for other in OUTPUT_FORMATS:
        with pytest.raises(EngineError, match="occupied-folder"):
            Files(tmp_path, other).prepare(None)
    begun(Files(tmp_path, "csv", overwrite=True), 3)
    assert names(tmp_path) == ["000000003.csv"]


def test_files_that_are_not_ours_stay(tmp_path: Path) -> None:
    begun(Files(tmp_path, "csv"), 2, 5)
    mine = ["notes.csv", "readme.txt", "table.csv", "000000000.json", "12.csv", ".hidden"]
    for name in mine:
        (tmp_path / name).write_text(name)
    (tmp_path / "deep").mkdir()
    begun(Files(tmp_path, "csv", overwrite=True), 1)
    assert names(tmp_path) == sorted([*mine, "deep", "000000001.csv"])
    for sink in (Files(tmp_path, "json", overwrite=True), Files(tmp_path, "csv", "table", True)):
        with pytest.raises(EngineError, match="foreign-files"):
            sink.prepare(None)
    assert names(tmp_path) == sorted([*mine, "deep", "000000001.csv"])


def test_only_the_files_that_were_written_are_ours(tmp_path: Path) -> None:
    sink = begun(Files(tmp_path, "csv"), 2, 5)
    with open(tmp_path / MARK, "a") as mark:
        mark.write("\n00000")  # a line that a crash has cut off
    sink.put(7, FRAME)
    mine = ["000000004.csv", "000000099.csv"]
    for name in mine:
        (tmp_path / name).write_text(name)
    with pytest.raises(EngineError, match=r'foreign-files(.|\n)*"000000004.csv" and "000000099.csv"'):
        Files(tmp_path, "csv", overwrite=True).prepare(None)
    with pytest.raises(EngineError, match="foreign-files"):
        sink.put(99, FRAME)
    begun(Files(tmp_path, "json", overwrite=True), 0)
    assert names(tmp_path) == sorted([*mine, "000000000.json"])
    assert all((tmp_path / name).read_text() == name for name in mine)


def test_a_start_that_is_refused_leaves_a_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "000000000.csv").touch()
    sink = Files(tmp_path)
    with pytest.raises(EngineError, match="foreign-files"), sink.hold():
        sink.prepare(None)
    assert [path.name for path in tmp_path.iterdir()] == ["000000000.csv"]
    with Files(tmp_path / "out").hold():
        begun(Files(tmp_path / "out"), 0)
    assert (tmp_path / "out" / MARK).exists()


def test_a_resumed_run_deletes_its_own_last_file_only(tmp_path: Path) -> None:
    sink = begun(Files(tmp_path / "mine"), 0, 1)
    sink.prepare(1)
    assert names(tmp_path / "mine") == ["000000000.csv"]
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "000000001.csv").touch()
    other = Files(tmp_path / "theirs")
    with pytest.raises(EngineError, match="foreign-files"):
        other.prepare(1)
    other.prepare(2)
    assert names(tmp_path / "theirs") == ["000000001.csv"]


def test_one_run_at_a_time_writes_into_a_folder(tmp_path: Path) -> None:
    attempt = (
        "import sys; from pathlib import Path; from slackwater.sinks.folders import held\n"
        "with held(Path(sys.argv[1])): print('held')\n"
    )

    def another_process() -> str:
        command = [sys.executable, "-c", attempt, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    with held(tmp_path):
        with pytest.raises(EngineError, match="folder-in-use"), held(tmp_path):
            pass
        assert "error[folder-in-use]" in another_process()
    assert another_process() == "held\n"
