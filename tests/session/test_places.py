"""Where answers and rows that were set aside are written: inside their folders, and each by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.cli import run as command
from slackwater.session import Session, connect

PROGRAM = """
CREATE STREAM "../../../S" (a INT) TIME t INT FROM '{data}' FORMAT csv WITH (malformed = 'set aside');
CREATE VIEW "../../../OUT" AS SELECT a FROM "../../../S" [NOW];
CREATE VIEW "a-b" AS SELECT a FROM "../../../S" [NOW];
CREATE VIEW "a b" AS SELECT a FROM "../../../S" [NOW];
"""


def test_names_never_lead_out_of_a_folder(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And another format, with --overwrite, leaves none of the old files, but those that are not ours."""
    monkeypatch.setattr("slackwater.session.connect", lambda placement: connect(spark))
    data, program = tmp_path / "data.csv", tmp_path / "x" / "y" / "program.cql"
    program.parent.mkdir(parents=True)
    data.write_text("t,a\n1,7\n2,seven\n", encoding="utf-8")
    program.write_text(PROGRAM.format(data=data), encoding="utf-8")
    out, state = program.parent / "out", program.parent / "state"
    before = set(tmp_path.rglob("*"))
    command.run(str(program), out=str(out), checkpoint=str(state))
    (out / "a-b" / "notes.txt").touch()
    command.run(str(program), out=str(out), mode="table", format="json", overwrite=True)
    capsys.readouterr()
    strays = [path for path in set(tmp_path.rglob("*")) - before if not {out, state} & {path, *path.parents}]
    assert strays == []
    visible = [path for path in out.rglob("[!.]*") if path.is_file()]
    assert sorted(str(path.relative_to(out)) for path in visible) == [
        "%2E.%2F..%2F..%2FOUT/table.json",
        "a%2Db/table.json",
        "a-b/notes.txt",
        "a-b/table.json",
    ]
    assert [path.parent.name for path in (state / "malformed").rglob("*.jsonl")] == ["%2E.%2F..%2F..%2FS"]


@pytest.fixture
def t(s: Session) -> Session:
    s.stream("S", [(1, 7)], time="t", columns=["t", "a"])
    return s


def test_each_answer_has_a_place_of_its_own(t: Session, tmp_path: Path) -> None:
    one, two = t.query("SELECT a FROM S [NOW]", "one"), t.query("SELECT a FROM S [ROWS 1]", "two")
    out, memory = tmp_path / "out", sw.Memory()
    (tmp_path / "link").symlink_to(out)
    for first, second in (
        (sw.Files(out), sw.Files(tmp_path / "link")),
        (memory, memory),
        (sw.View("v"), sw.View("V")),
    ):
        with pytest.raises(sw.EngineError, match="shared-sink"):
            t.start(one.into(first), two.into(second))
        with pytest.raises(sw.EngineError, match="shared-sink"):
            one.start(first, second)
    for start in (one.start, lambda **options: t.start(one.into(sw.Memory()), two, **options)):
        with pytest.raises(sw.EngineError, match="no-sink"):
            start(checkpoint=tmp_path / "state")
    assert not (tmp_path / "state").exists()
    with pytest.raises(sw.EngineError, match="duplicate-query"):
        t.start(one.into(sw.Memory()), t.query("SELECT a FROM S [ROWS 1]", "ONE").into(sw.Memory()))
    with pytest.raises(sw.EngineError, match="foreign-query"):
        sw.connect(t.spark).start(one)


def test_a_folder_that_another_run_writes_is_refused(t: Session, tmp_path: Path) -> None:
    attempt = (
        "import sys; from pathlib import Path; from slackwater.sinks.folders import held\n"
        "with held(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()\n"
    )
    query = t.query("SELECT a FROM S [NOW]")
    command = [sys.executable, "-c", attempt, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(sw.EngineError, match="folder-in-use"):
            query.write(tmp_path, overwrite=True)
        other.communicate()
    query.write(tmp_path)
    query.write(tmp_path, overwrite=True)


def test_a_memory_that_is_used_again_holds_the_new_answer(t: Session) -> None:
    memory = sw.Memory()
    memory.put(9, t.query("SELECT a FROM S [NOW]").to_polars())
    t.query("SELECT a + 1 AS b FROM S [RANGE UNBOUNDED]").start(memory, follow=False).await_termination()
    assert memory.rows == [(1, 8)]
