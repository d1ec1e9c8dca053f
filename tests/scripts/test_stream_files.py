"""Data files and scripts of the STREAM prototype are read, and answers written, as it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.algebra import Kind
from slackwater.algebra.types import DOUBLE, INT, STRING
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.scripts.data import Column, Table, read
from slackwater.scripts.entries import read_script
from slackwater.sinks.stream_file import lines, write

STREAM = Table("S", Kind.STREAM, (Column("A", INT), Column("B", DOUBLE), Column("C", STRING, 4)))
RELATION = Table("R", Kind.RELATION, (Column("A", INT),))


def data(folder: Path, content: str) -> Path:
    path = folder / "data"
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_a_stream_is_its_rows_by_time(tmp_path: Path) -> None:
    path = data(tmp_path, "i,i,f,c4\n1,7,1.5,ab\n1,7,1.5,ab\n3,-1,2,\n")
    assert read(path, STREAM) == {1: {(7, 1.5, "ab"): 2}, 3: {(-1, 2.0, ""): 1}}


def test_the_last_line_needs_no_end_and_lines_may_end_as_in_windows(tmp_path: Path) -> None:
    path = data(tmp_path, "i,i,f,c4\r\n1,7,1.5,ab\r\n2,8,1.5,cd")
    assert read(path, STREAM) == {1: {(7, 1.5, "ab"): 1}, 2: {(8, 1.5, "cd"): 1}}


def test_a_relation_is_its_changes(tmp_path: Path) -> None:
    assert read(data(tmp_path, "i,b,i\n1,+,7\n2,+,7\n5,-,7\n"), RELATION) == {
        1: {(7,): 1},
        2: {(7,): 1},
        5: {(7,): -1},
    }


def test_a_file_with_a_heading_only_has_no_rows(tmp_path: Path) -> None:
    assert read(data(tmp_path, "i,i,f,c4\n"), STREAM) == {}


def test_an_answer_is_one_line_for_each_copy() -> None:
    changes = {2: {(1, 1.1): 2, (0, 2.0): -1}, 1: {(None, "x y"): 1, (True, "a"): 1}}
    assert list(lines(changes)) == [
        "[1]:+:null, x y",
        "[1]:+:true, a",
        "[2]:-:0, 2",
        "[2]:+:1, 1.1",
        "[2]:+:1, 1.1",
    ]


def test_the_folder_of_an_answer_is_made(tmp_path: Path) -> None:
    assert write(tmp_path / "a" / "b" / "out", {1: {(1,): 1}}) == 1
    assert (tmp_path / "a" / "b" / "out").read_text() == "[1]:+:1\n"


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EngineError) as caught:
        write(tmp_path / "file" / "out", {})
    assert caught.value.diagnostics[0].code == "unwritable-file"


def test_values_go_on_over_lines_and_comments() -> None:
    head = "# a comment\nTable : register stream S\n  (A integer);\n# between\nsource: S.dat ;\n"
    script = f"{head}\nquery : select A\n\nfrom S\n"
    table, query = read_script(Text("script", script))
    assert table.text.content.split() == ["register", "stream", "S", "(A", "integer);"]
    assert table.follower is not None
    assert table.follower.path == "S.dat"
    assert query.text.content.split() == ["select", "A", "from", "S"]
    assert query.follower is None
    assert query.piece.line == 7
