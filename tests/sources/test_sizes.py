"""What is little is known before Spark is started."""

from __future__ import annotations

from pathlib import Path

from slackwater.session import connect
from slackwater.sources.sizes import LITTLE, is_little


def test_files_folders_and_patterns_are_added_up(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.csv").write_text("t,a\n1,1\n", encoding="utf-8")
    (tmp_path / "deep" / "b.csv").write_bytes(b"x" * (LITTLE // 2))
    assert is_little([str(tmp_path)])
    assert is_little([str(tmp_path / "*.csv"), (tmp_path / "deep").as_uri()])
    assert not is_little([str(tmp_path), str(tmp_path / "deep" / "b.csv")])


def test_what_cannot_be_known_is_not_little(tmp_path: Path) -> None:
    assert not is_little([str(tmp_path / "none.csv")])
    assert not is_little([None])


def test_a_session_knows_where_its_rows_are() -> None:
    session = connect()
    session.sql("CREATE STREAM S (a INT) TIME t INT FROM 'S.csv'; CREATE STREAM T (a INT) TIME t INT")
    assert session.paths == ["S.csv", None]
    session.stream("T", "T.csv")
    assert session.paths == ["S.csv", "T.csv"]
