"""Rows that cannot enter, of every kind and from every source, are set aside with their reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.session import Session

FAR = "TIMESTAMP '+020000-01-01 00:00:00'"


def frames(s: Session) -> None:
    times = (
        "CAST(NULL AS TIMESTAMP)",
        "TIMESTAMP '1492-10-12 00:00:00'",
        FAR,
        "TIMESTAMP '1960-01-01 00:00:00'",
    )
    union = " UNION ALL ".join(f"SELECT {time} AS ts, {place} AS a" for place, time in enumerate(times))
    s.stream("times", s.spark.sql(union), time="ts", malformed="set aside")
    values = f"SELECT TIMESTAMP '1960-01-01' AS ts, {FAR} AS a UNION ALL SELECT TIMESTAMP '1960-01-02', NULL"
    s.stream("far", s.spark.sql(values), time="ts", malformed="set aside")


def changes(s: Session) -> None:
    day = "TIMESTAMP '1960-01-01 00:00:00'"
    ops = " UNION ALL ".join(
        f"SELECT {day} AS ts, {op} AS op, 1 AS a" for op in ("'x'", "'u'", "NULL", "'+'")
    )
    s.relation("changes", s.spark.sql(ops), time="ts", op="op", malformed="set aside")
    stays = f"SELECT {day} AS ts, {day} AS until, 1 AS a UNION ALL SELECT {day}, NULL, 2"
    s.relation("stays", s.spark.sql(stays), time="ts", until="until", malformed="set aside")


def files(s: Session, folder: Path) -> None:
    (folder / "t.csv").write_text("ts,a\n,1\n1960-01-01,3000000000\n1960-01-01,4\n", encoding="utf-8")
    records = ("<ts>1e30</ts><a>1</a>", "<ts>1960-01-01T00:00:00</ts><a>99999999999</a>")
    good = "<ts>1960-01-01T00:00:00</ts><a>5</a>"
    text = "".join(f"<r>{record}</r>" for record in (*records, good))
    (folder / "t.xml").write_text(f"<l>{text}</l>", encoding="utf-8")
    aside = "WITH (malformed = 'set aside')"
    s.sql(f"CREATE STREAM csv_ (a INT) TIME ts FROM '{folder}/t.csv' {aside}")
    s.sql(f"CREATE STREAM xml_ (a INT) TIME ts FROM XML '{folder}/t.xml' RECORD '/l/r' {aside}")


def test_bad_rows_of_every_kind_are_set_aside(s: Session, tmp_path: Path) -> None:
    frames(s)
    changes(s)
    files(s, tmp_path)
    names = ["times", "far", "csv_", "xml_", "changes", "stays"]
    queries = {name: s.query(f"SELECT a FROM {name}", name) for name in names[4:]}
    queries |= {name: s.query(f"SELECT RSTREAM(a) FROM {name} [NOW]", name) for name in names[:4]}
    with pytest.warns(UserWarning, match="malformed row"):
        s.answer(*queries.values())
    rows: dict[str, list[Any]] = {name: [row[-1] for row in queries[name].result().rows()] for name in names}
    assert rows == {"times": [3], "far": [None], "csv_": [4], "xml_": [5], "changes": [1], "stays": [2]}

    def reasons(name: str) -> list[str]:
        return [row["reason"] for row in queries[name].set_aside("malformed", name)]

    assert reasons("times") == [
        "its time is missing",
        "its time is 1492-10-12 00:00:00Z, before 1700-01-01 00:00:00Z",
        "its time is 568971820800000000 microseconds from 1970, after 9999-12-31 23:59:59.999999Z",
    ]
    assert reasons("far") == ['column "a" is outside the years 1 to 9999']
    assert reasons("csv_") == ["its time is missing", 'Column "a" is int, and "3000000000" is not.']
    assert reasons("xml_") == ["it does not fit its columns"] * 2
    assert reasons("changes") == [
        '"x" is not an op',
        'a relation without a key has no updates ("u")',
        '"None" is not an op',
    ]
    assert reasons("stays") == [
        "its end is not after its time, from 1960-01-01 00:00:00Z until 1960-01-01 00:00:00Z"
    ]
    (missing, *_) = queries["csv_"].set_aside("malformed", "csv_")
    assert missing == {"file": str(tmp_path / "t.csv"), "row": {"a": 1}, "reason": "its time is missing"}


FARTHEST = {
    "day": "DATE_ADD(DATE '1970-01-01', 2147483647)",
    "first_day": "DATE_ADD(DATE '1970-01-01', -2147483647)",
    "late": "CAST(TIMESTAMP_MICROS(9223372036854775807) AS TIMESTAMP_NTZ)",
    "early": "CAST(TIMESTAMP_MICROS(-9223372036854775808) AS TIMESTAMP_NTZ)",
}


def test_times_of_which_there_are_no_microseconds_are_no_instants(s: Session) -> None:
    for name, far in FARTHEST.items():
        kind = "DATE" if "day" in name else "TIMESTAMP_NTZ"
        rows = s.spark.sql(f"SELECT {far} AS ts UNION ALL SELECT CAST('2024-01-01' AS {kind})")
        for policy in ("fail", "set aside"):
            s.stream(f"{name} {policy}", rows, time="ts", malformed=policy, timezone="Europe/Berlin")
    for name in FARTHEST:
        with pytest.raises(
            sw.EngineError, match=r"bad-instant.*\n.*\n.*days from 1970: its time is (before|after)"
        ):
            s.query(f'SELECT ISTREAM(*) FROM "{name} fail" [NOW]').run()
    queries = [s.query(f'SELECT ISTREAM(*) FROM "{name} set aside" [NOW]', name) for name in FARTHEST]
    with pytest.warns(UserWarning, match="malformed row"):
        s.answer(*queries)
    assert [[str(row[0]) for row in query.emits().rows()] for query in queries] == [
        ["2023-12-31 23:00:00"]
    ] * 4


def test_bytes_that_are_no_text_are_no_rows(s: Session, tmp_path: Path) -> None:
    """Spark hands on what a Parquet file has, whatever it is, and so does a DataFrame."""
    texts = pa.array([b"ok", None, b"n\xf6rd", b"\xf0\x9f\x99\x82", b"\xff"])
    column = pa.Array.from_buffers(pa.string(), len(texts), texts.buffers())
    pq.write_table(pa.table({"t": range(len(texts)), "s": column}), tmp_path / "0.parquet")
    table = s.spark.read.parquet(str(tmp_path / "0.parquet"))
    nested = table.selectExpr("t", "ARRAY(NAMED_STRUCT('x', s)) AS s")
    sources = {"file": str(tmp_path / "0.parquet"), "table": table, "nested": nested}
    for name, data in sources.items():
        s.stream(name, data, time="t")
        s.stream(f"{name}_aside", data, time="t", malformed="set aside")
        with pytest.raises(
            sw.EngineError, match=r'malformed-row.*\n.*\n.*column "s" has bytes that are not UTF-8'
        ):
            s.query(f"SELECT ISTREAM(s) FROM {name} [NOW]").run()
    queries = {name: s.query(f"SELECT ISTREAM(s) FROM {name}_aside [NOW]", name) for name in sources}
    with pytest.warns(UserWarning, match="malformed row"):
        s.answer(*queries.values())
    plain = [(0, "ok"), (1, None), (3, "\N{SLIGHTLY SMILING FACE}")]
    assert queries["file"].emits().rows() == queries["table"].emits().rows() == plain
    assert queries["nested"].emits().rows() == [(at, [{"x": text}]) for at, text in plain]
    aside = queries["file"].set_aside("malformed", "file_aside")
    assert [row["row"] for row in aside] == [{"s": "n\ufffdrd"}, {"s": "\ufffd"}]
    assert {row["reason"] for row in aside} == {'column "s" has bytes that are not UTF-8'}


def test_a_query_that_failed_at_a_missing_time_resumes_without_the_row(s: Session, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("t,a\n1,1\n,2\n3,3\n", encoding="utf-8")

    def run(policy: str) -> tuple[list[tuple[object, ...]], int]:
        mine, seen = sw.connect(s.spark), sw.Memory()
        place = f"'{tmp_path}/in' FORMAT csv WITH (malformed = '{policy}')"
        mine.sql(f"CREATE STREAM S (a INT) TIME t INT FROM {place}")
        query = mine.query("SELECT RSTREAM(a) FROM S [NOW]", "q")
        started = query.start(seen, checkpoint=tmp_path / "state", follow=False)
        started.await_termination()
        return seen.rows, started.progress.malformed

    for _ in range(2):
        with pytest.raises(sw.EngineError, match="set malformed = 'set aside'"):
            run("fail")
    with pytest.warns(UserWarning, match="1 malformed row"):
        assert run("set aside") == ([(1, 1), (3, 3)], 1)
