"""Bad input of every kind, in the words a user sees. In `errors`, NAME.txt is that text."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from os.path import relpath
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.base.diagnostic import EngineError
from slackwater.language.options import READERS
from slackwater.session import Session

FOLDER = Path(__file__).parent / "errors"
GOLDEN = bool(os.environ.get("SLACKWATER_GOLDEN"))


def asks(s: Session) -> None:
    s.query("SELECT * FROM S [NOW]" if "R" not in s.names else "SELECT * FROM R").run()


def declared(text: str, **files: str) -> Callable[[Session, Path], None]:
    """A declaration over files in the current folder, and a query that reads them."""

    def case(s: Session, folder: Path) -> None:
        for name, content in files.items():
            (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
        s.sql(text, "program.cql")
        asks(s)

    return case


def handed(*arguments: Any, **options: Any) -> Callable[[Session, Path], None]:
    def case(s: Session, folder: Path) -> None:
        s.stream("S", *arguments, **options)
        asks(s)

    return case


def changed(rows: list[tuple[Any, ...]], **options: Any) -> Callable[[Session, Path], None]:
    def case(s: Session, folder: Path) -> None:
        s.relation("R", rows, columns=["t", "op", "k", "v"][: len(rows[0])], time="t", op="op", **options)
        asks(s)

    return case


def _broken_parquet(s: Session, folder: Path) -> None:
    pl.DataFrame({"t": [1], "a": [1]}).write_parquet(folder / "0.parquet")
    os.utime(folder / "0.parquet", (1, 1))
    (folder / "1.parquet").write_bytes(b"not a parquet file at all, is it")
    s.sql("CREATE STREAM S (a BIGINT) TIME t INT FROM '*.parquet'", "program.cql")
    asks(s)


def second_csv_file(columns: str, first: str, second: str) -> Callable[[Session, Path], None]:
    """A stream of two files, read in this order."""

    def case(s: Session, folder: Path) -> None:
        for number, content in enumerate((first, second)):
            (folder / f"{number}.csv").write_text(content, encoding="utf-8")
        os.utime(folder / "0.csv", (1, 1))
        s.sql(f"CREATE STREAM S ({columns}) TIME t INT FROM '*.csv'", "program.cql")
        asks(s)

    return case


def _foreign_checkpoint(s: Session, folder: Path) -> None:
    s.stream("S", [(1, 1)], time="t", columns=["t", "a"])
    s.query("SELECT a FROM S [NOW]").start(sw.Memory(), checkpoint=folder / "state").await_termination()
    s.query("SELECT a + 1 AS b FROM S [NOW]", name="query 1").start(sw.Memory(), checkpoint=folder / "state")


def _new_table(s: Session, folder: Path) -> None:
    s.stream("S", [(1, 1)], time="t", columns=["t", "a"])
    for sinks in ([sw.Memory()], [sw.Memory(), sw.Memory("table")]):
        s.query("SELECT a FROM S [NOW]", "q").start(*sinks, checkpoint=folder / "state").await_termination()


def _file_for_checkpoint(s: Session, folder: Path) -> None:
    (folder / "taken").write_text("a file", encoding="utf-8")
    s.stream("S", [(1, 1)], time="t", columns=["t", "a"])
    s.query("SELECT a FROM S [NOW]").start(sw.Memory(), checkpoint=folder / "taken")


def _ended_checkpoint(s: Session, folder: Path) -> None:
    (folder / "0.csv").write_text("t,a\n1,1\n", encoding="utf-8")
    s.sql("CREATE STREAM S (a INT) TIME t INT FROM '*.csv'")
    s.query("SELECT a FROM S [NOW]", "q").start(
        sw.Memory(), checkpoint="state", follow=False
    ).await_termination()
    (folder / "1.csv").write_text("t,a\n2,2\n", encoding="utf-8")
    s.query("SELECT a FROM S [NOW]", "q").start(
        sw.Memory(), checkpoint="state", follow=False
    ).await_termination()


def _unwritable_sink(s: Session, folder: Path) -> None:
    (folder / "taken").write_text("a file", encoding="utf-8")
    s.stream("S", [(1, 1)], time="t", columns=["t", "a"])
    s.query("SELECT a FROM S [NOW]").write("taken")


def _late(s: Session, folder: Path) -> None:
    for number, time in enumerate((5, 9, 3)):
        (folder / f"{number}.csv").write_text(f"t,a\n{time},{number}\n", encoding="utf-8")
        os.utime(folder / f"{number}.csv", (number + 1, number + 1))
    s.sql(
        "CREATE STREAM S (a INT) TIME t INT FROM '*.csv' "
        "WITH (late = 'fail', order = 'modified', maxFilesPerTrigger = 1)"
    )
    asks(s)


def _mixed(s: Session, folder: Path) -> None:
    s.sql("CREATE STREAM R (a INT) TIME t INT; CREATE STREAM S (line STRING) FROM 'x.txt'", "program.cql")


def _unzoned(s: Session, folder: Path) -> None:
    zone = "spark.sql.session.timeZone"
    before = s.spark.conf.get(zone)
    s.spark.conf.set(zone, "Europe/Berlin")
    try:
        s.stream("S", s.spark.sql("SELECT TIMESTAMP_NTZ '2024-01-01 08:00:00' AS ts"), time="ts")
        s.stream("T", s.spark.sql("SELECT TIMESTAMP '2024-01-01 08:00:00' AS ts"), time="ts")
        asks(s)
    finally:
        s.spark.conf.set(zone, str(before))


STREAM = "CREATE STREAM S (a INT, b STRING) TIME t INT FROM 'S.csv'"
CASES: dict[str, Callable[[Session, Path], object]] = {
    "malformed-row": declared(STREAM, S_csv="t,a,b\n1,1,x\n2,two,y\n3,3\n"),
    "malformed-json": declared(
        "CREATE STREAM S (a INT) TIME t INT FROM 'S.json'", S_json='{"t": 1, "a": 1}\n{"t": 2, "a": {}\n'
    ),
    "malformed-encoding": lambda s, folder: (
        (folder / "S.csv").write_bytes(b"t,a,b\n1,1,x\n2,2,n\xf6rd\n"),
        declared(STREAM)(s, folder),
    ),
    "malformed-lines": declared(STREAM, S_csv='t,a,b\n1,1,"x\ny"\n'),
    "no-header": declared(STREAM, S_csv="1,1,x\n2,2,y\n"),
    "other-separator": declared(STREAM, S_csv="t;a;b\n1;1;x\n"),
    "missing-path": declared(STREAM),
    "missing-column-in-file": declared(STREAM, S_csv="t,a,c\n1,1,x\n"),
    "bad-instant": declared(STREAM, S_csv="t,a,b\n1,1,x\n,2,y\n"),
    "negative-instant": declared(STREAM, S_csv="t,a,b\n-1,1,x\n"),
    "unknown-format": declared(STREAM.replace(".csv'", ".xls'"), S_xls="x"),
    "bad-delay": declared(f"{STREAM} WITH (delay = 'a while')", S_csv="t,a,b\n"),
    "useless-option-of-file": declared(
        "CREATE STREAM S (a INT) TIME t INT FROM 'S*' WITH (header = TRUE, record = '/a')",
        S_json='{"t": 1, "a": 1}\n',
    ),
    "unknown-option": handed([{"t": 1, "a": 1}], time="t", dealy=5, key="a"),
    "misspelt-argument": handed([{"t": 1, "a": 1}], tme="t", keys="a"),
    "useless-option": handed(
        [{"t": 1, "a": 1}], delay=5, sep=";", until="a", format="csv", columns=["t", "a"]
    ),
    "declared-otherwise": lambda s, folder: (
        s.sql("CREATE RELATION R (k INT) TIME t INT", "program.cql"),
        s.relation("R", [(1, 1)], time="ts", key="k", columns=["t", "k"]),
    ),
    "taken-name": lambda s, folder: (s.sql("CREATE VIEW V AS SELECT 1 AS a"), s.stream("V", [{"a": 1}])),
    "bad-policy": declared(f"{STREAM} WITH (malformed = 'ignore')", S_csv="t,a,b\n"),
    "no-data": declared("CREATE STREAM S (a INT) TIME t INT"),
    "no-time": lambda s, folder: (s.sql("CREATE STREAM S (a BIGINT)"), s.stream("S", [{"a": 1}]), asks(s)),
    "wrong-type": lambda s, folder: (
        s.sql("CREATE STREAM S (a INT) TIME t INT", "program.cql"),
        s.stream("S", [{"t": 1, "a": "x"}]),
        asks(s),
    ),
    "missing-time-column": handed([{"ts": 1, "a": 1}], time="tz"),
    "wrong-time-type": handed([{"ts": "1", "a": 1}], time="ts"),
    "unzoned-time": _unzoned,
    "far-value": lambda s, folder: (
        s.stream("S", s.spark.sql("SELECT 1 AS t, TIMESTAMP '+020000-01-01 00:00:00' AS a"), time="t"),
        asks(s),
    ),
    "duplicate-column": handed(pd.DataFrame([[1, 2, 3]], columns=["t", "a", "A"]), time="t"),
    "duplicate-header": declared(STREAM, S_csv="t,a,b,B\n1,1,x,y\n"),
    "too-large": handed(pl.DataFrame({"t": [1], "a": pl.Series([2**64 - 1], dtype=pl.UInt64)}), time="t"),
    "too-large-value": handed([(1, 5), (2, 2**63)], time="t", columns=["t", "a"]),
    "too-large-object": handed(pd.DataFrame({"t": [1], "a": [2**70]}), time="t"),
    "mixed-values": handed(pd.DataFrame({"t": [1, 2], "a": [1, "x"]}), time="t"),
    "bad-zone": handed([{"ts": 1}], time="ts", timezone="Berlin"),
    "unsupported-data": handed(17, time="t"),
    "uneven-rows": handed([{"t": 1, "a": 1}, {"t": 2, "a": "x"}], time="t"),
    "unnamed-columns": handed([(1, 2)], time="t"),
    "reserved-column": handed([{"t": 1, "@a": 1}], time="t"),
    "unknown-column-type": handed(pd.DataFrame({"t": [1], "a": [pd.Timedelta(1, "s")]}), time="t"),
    "empty-interval": lambda s, folder: (
        s.relation("R", [(5, 5, "x")], time="a", until="b", columns=["a", "b", "c"]),
        asks(s),
    ),
    "key-with-until": lambda s, folder: (
        s.relation("R", [(5, 6, "x")], time="a", until="b", key="c", columns=["a", "b", "c"]),
        asks(s),
    ),
    "duplicate-key": changed([(1, "+", "A", 1), (2, "+", "A", 2)], key="k"),
    "absent-row": changed([(1, "+", "A", 1), (2, "-", "A", 2)]),
    "bad-op": changed([(1, "x", "A", 1)]),
    "update-without-key": changed([(1, "u", "A", 1)]),
    "late-row": _late,
    "broken-file": _broken_parquet,
    "first-bad-row": declared(STREAM, S_csv="t,a,b\n1,1,x\n-5,3,y\n2,two,y\n-6,3,y\n3,3\n"),
    "no-filesystem": declared(STREAM.replace("S.csv", "s3a://bucket/S.csv")),
    "no-filesystem-of-scheme": declared(STREAM.replace("S.csv", "s3://bucket/S.csv")),
    "other-encoding": declared(f"{STREAM} WITH (encoding = 'UTF-16')", S_csv="t,a,b\n1,1,x\n"),
    "other-encoding-by-mark": lambda s, folder: (
        (folder / "S.csv").write_bytes("t,a,b\n1,1,x\n".encode("utf-16")),
        declared(STREAM)(s, folder),
    ),
    "other-header": second_csv_file("a INT, b INT", "t,a,b\n1,1,1\n", "t,b,a\n2,2,2\n"),
    "wider-header": second_csv_file("a INT", "t,a\n1,1\n", "t,a,b\n2,2,2\n"),
    "other-line-end": declared(f"{STREAM} WITH (lineSep = 'x')", S_csv="t,a,b\n1,1,x\n"),
    "bad-option": handed("S.csv", time="t", header="yes", multiLine="maybe", maxBytesPerTrigger="1 MB"),
    "bad-punctuation": handed([{"t": 1, "s": "x"}], time="t", punctuation="s"),
    "foreign-checkpoint": _foreign_checkpoint,
    "ended-checkpoint": _ended_checkpoint,
    "new-table": _new_table,
    "file-for-checkpoint": _file_for_checkpoint,
    "malformed-text": lambda s, folder: (
        s.stream("S", s.spark.sql("SELECT 1 AS t, CAST(X'6EF67264' AS STRING) AS a"), time="t"),
        s.query("SELECT a FROM S [NOW]").run(),
    ),
    "no-query": lambda s, folder: s.start(),
    "no-sink": lambda s, folder: (
        s.stream("S", [(1, 1)], time="t", columns=["t", "a"]),
        s.query("SELECT a FROM S [NOW]", "q").start(checkpoint=folder / "state"),
    ),
    "unwritable-sink": _unwritable_sink,
    "mixed-clocks": _mixed,
    "mixed-time": lambda s, folder: (
        s.stream("R", [(1, 1)], time="t", columns=["t", "a"]),
        s.stream("S", s.spark.sql("SELECT TIMESTAMP '2024-07-01 08:00:00' AS t, 1 AS a"), time="t"),
    ),
    "mixed-integers": lambda s, folder: (
        s.stream("S", s.spark.sql("SELECT TIMESTAMP '2024-07-01 08:00:00' AS t, 1 AS a"), time="t"),
        s.relation("R", [(1, 1)], time="t", columns=["t", "a"]),
    ),
    "mixed-arrival": lambda s, folder: (
        s.stream("R", [(1, 1)], time="t", columns=["t", "a"]),
        s.stream("S", [(1,)], columns=["a"]),
    ),
    "bad-address": lambda s, folder: (s.stream("S", "nowhere", format="socket"), asks(s)),
    "unknown-view": lambda s, folder: s.view("V"),
    "no-instant": lambda s, folder: (
        s.stream("S", [(1, 1)], time="t", columns=["t", "a"]),
        s.query("SELECT a FROM S [NOW]").at("noon"),
    ),
    "not-a-spark": lambda s, folder: sw.connect("local[2]"),  # type: ignore[arg-type]
    "name-behind-data": lambda s, folder: s.stream([(1, 1)], "S", time="t"),  # type: ignore[arg-type]
    "short-row": handed([(1, 2, 3), (2, 3)], time="t", columns=["t", "a", "b"]),
    "useless-sequence": handed([{"t": 1, "a": 1}], time="t", sequence="a"),
    "view-of-a-stream": lambda s, folder: (
        s.stream("S", [(1, 1)], time="t", columns=["t", "a"]),
        s.query("SELECT a FROM S").start(sw.View("shown"), follow=False),
    ),
    "bad-placement": lambda s, folder: sw.connect(s.spark, placement="moon"),
    "bad-read-ahead": handed([{"t": 1, "s": "x"}], time="t", read_ahead="2", delay="3"),
    "bad-order-name": lambda s, folder: s.register_order("subset", max),
    "bad-order-function": lambda s, folder: s.register_order("near", lambda r, s, other_r, other_s: r <= s),
    "bad-order-words": lambda s, folder: s.register_order("a b", relpath),
    "bad-order-arguments": lambda s, folder: s.register_order("near", relpath),
    "bad-chronon": lambda s, folder: sw.connect(s.spark, chronon="moon"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_text_of_bad_input(
    s: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sw.SlackwaterError) as refusal:
        CASES[name](s, tmp_path)
    text = str(refusal.value).replace(str(tmp_path), "FOLDER") + "\n"
    golden = FOLDER / f"{name}.txt"
    if GOLDEN:
        FOLDER.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_a_checkpoint_that_can_only_be_read_is_refused(
    s: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start() -> None:
        s.query("SELECT a FROM S [NOW]", "q").start(
            sw.Memory(), checkpoint=tmp_path / "state"
        ).await_termination()

    s.stream("S", [(1, 1)], time="t", columns=["t", "a"])
    for is_begun in (False, True):
        with monkeypatch.context() as patch:
            _read_only(tmp_path, patch)
            with pytest.raises(sw.EngineError, match=r"unwritable-checkpoint.*\n.*state.*\n.*: .*\."):
                start()
        assert (tmp_path / "state").exists() is is_begun
        start()


def _read_only(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let nothing be written into the folder, as on a disk mounted so: root may ignore permissions."""

    def refusing(call: Callable[..., Any], is_writing: Callable[..., bool]) -> Callable[..., Any]:
        def called(path: Any, *arguments: Any, **options: Any) -> Any:
            if str(path).startswith(str(folder)) and is_writing(path, *arguments):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
            return call(path, *arguments, **options)

        return called

    patch.setattr("os.mkdir", refusing(os.mkdir, lambda path, *_: not os.path.exists(path)))
    patch.setattr("builtins.open", refusing(open, lambda path, mode="r", *_: bool(set(mode) & set("wax+"))))


def test_options_of_the_declared_place_are_left_out_for_data_of_another_format(
    s: Session, tmp_path: Path
) -> None:
    s.sql("CREATE STREAM S (a BIGINT) TIME t INT FROM 'S.csv' FORMAT csv WITH (sep = ';', delay = 5)")
    pl.DataFrame({"t": [1], "a": [7]}).write_parquet(tmp_path / "S.parquet")
    s.stream("S", tmp_path / "S.parquet")
    assert s.query("SELECT ISTREAM(a) FROM S [NOW]").emits().rows() == [(1, 7)]


def test_spark_has_the_options_that_we_hand_on(s: Session) -> None:
    jvm = s.spark._jvm
    packages = {"csv": "catalyst.csv.CSV", "json": "catalyst.json.JSON",
                "parquet": "execution.datasources.parquet.Parquet",
                "orc": "execution.datasources.orc.Orc",
                "text": "execution.datasources.text.Text"}  # fmt: skip
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    for format, package in packages.items():
        kind = jvm.java.lang.Class.forName(f"org.apache.spark.sql.{package}Options$", True, loader)
        known = kind.getField("MODULE$").get(None).getAllOptions().toList().mkString(" ").split()
        ours = set(READERS[format]) - set(READERS["xml"])
        assert ours <= set(known), format


def test_malformed_rows_can_be_set_aside(s: Session, tmp_path: Path) -> None:
    (tmp_path / "S.csv").write_text("t,a\n1,1\n2,two\n3,3\n", encoding="utf-8")
    s.sql(f"CREATE STREAM S (a INT) TIME t INT FROM '{tmp_path / 'S.csv'}' WITH (malformed = 'set aside')")
    q = s.query("SELECT ISTREAM(a) FROM S [NOW]")
    with pytest.warns(UserWarning, match='1 malformed row of "S" was set aside'):
        assert q.emits().rows() == [(1, 1), (3, 3)]
    assert q.set_aside("malformed", "S") == [
        {"file": str(tmp_path / "S.csv"), "row": "2,two", "reason": 'Column "a" is int, and "two" is not.'}
    ]


def test_late_rows_are_counted_and_set_aside(s: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, time in enumerate((5, 9, 3, 8)):
        (folder / f"{number}.csv").write_text(f"t,a\n{time},{number}\n", encoding="utf-8")
        os.utime(folder / f"{number}.csv", (number + 1, number + 1))
    s.sql(
        f"CREATE STREAM S (a INT) TIME t INT FROM '{folder}' "
        "WITH (delay = 2, order = 'modified', maxFilesPerTrigger = 1)"
    )
    seen = sw.Memory()
    running = s.query("SELECT ISTREAM(a) FROM S [NOW]").start(
        seen, checkpoint=tmp_path / "state", follow=False
    )
    with pytest.warns(sw.DataWarning, match='1 late row of "S" was set aside: rows up to 9 had been read'):
        assert running.await_termination()
    assert seen.rows == [(5, 0), (8, 3), (9, 1)]
    assert running.progress.late == 1
    (late,) = (tmp_path / "state" / "late" / "S").iterdir()
    assert late.read_text() == '{"time": "3", "a": 2}\n'


def test_queries_with_equal_steps_each_show_their_own_text(spark: SparkSession) -> None:
    s = sw.connect(spark)
    s.stream("S", [(1, "5"), (2, "x")], time="t", columns=["t", "s"])
    one = s.query("SELECT COUNT(*) AS n FROM S [NOW] WHERE CAST(s AS INT) > 1")
    two = s.query("SELECT s FROM S [NOW]\nWHERE CAST(s AS INT) > 1")
    # Answered together, they share the step that fails: its place is in the text of the first.
    for queries, place in (((one,), "1:41"), ((two,), "2:7"), ((two, one), "2:7")):
        with pytest.raises(EngineError, match=f"<query>:{place}"):
            s.answer(*queries)
