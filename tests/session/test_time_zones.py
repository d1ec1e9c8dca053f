"""Instants stay instants, times without a zone have none, whatever the zone of Spark's session."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import slackwater as sw
from slackwater.session import Session

ZONE = "spark.sql.session.timeZone"
BERLIN = ZoneInfo("Europe/Berlin")
INSTANTS = [
    datetime(1912, 6, 23, 12, 0, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2024, 1, 1, 7, 0, tzinfo=UTC),
    # The hour that Berlin leaves out, and the one it has twice; the same of New York.
    *(datetime(2024, month, day, hour, 30, 0, 1, tzinfo=UTC)
      for month, day in ((3, 31), (10, 27), (3, 10), (11, 3)) for hour in (0, 1, 2, 5, 6, 7)),
]  # fmt: skip
INSTANTS.sort()
WALL = [instant.replace(tzinfo=None) for instant in INSTANTS]


@pytest.fixture(params=["Europe/Berlin", "America/New_York"])
def zone(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    before = spark.conf.get(ZONE)
    spark.conf.set(ZONE, request.param)
    yield request.param
    spark.conf.set(ZONE, str(before))


def spark_rows(spark: SparkSession, kind: str, times: list[datetime]) -> Any:
    """A DataFrame of Spark's own making: texts that it casts itself."""
    texts = spark.createDataFrame([(time.isoformat(),) for time in times], "text string")
    return texts.select(f.col("text").cast(kind).alias("ts"))


def text_files(folder: Path, times: list[datetime]) -> None:
    texts = [time.isoformat() for time in times]
    (folder / "t.csv").write_text("ts\n" + "".join(f"{text}\n" for text in texts), encoding="utf-8")
    (folder / "t.json").write_text(
        "".join(json.dumps({"ts": text}) + "\n" for text in texts), encoding="utf-8"
    )
    records = "".join(f"<r><ts>{text}</ts></r>" for text in texts)
    (folder / "t.xml").write_text(f"<l>{records}</l>", encoding="utf-8")
    pl.DataFrame({"ts": times}).write_parquet(folder / "t.parquet")


def declared(s: Session, folder: Path, kind: str, options: str = "") -> list[str]:
    for format in ("csv", "json", "xml", "parquet"):
        place = f"XML '{folder}/t.xml' RECORD '/l/r'" if format == "xml" else f"'{folder}/t.{format}'"
        s.sql(f"CREATE STREAM {format}_ (ts {kind}) TIME ts FROM {place}{options}")
    return ["csv_", "json_", "xml_", "parquet_"]


def handed(s: Session, kind: str, times: list[datetime]) -> list[str]:
    sources = {
        "spark_": spark_rows(s.spark, kind, times),
        "pandas_": pd.DataFrame({"ts": times}),
        "polars_": pl.DataFrame({"ts": times}),
        "arrow_": pl.DataFrame({"ts": times}).to_arrow(),
        "rows_": [{"ts": time} for time in times],
    }
    for name, data in sources.items():
        s.stream(name, data, time="ts")
    return list(sources)


def union_of(s: Session, names: list[str]) -> sw.Query:
    parts = [f"SELECT '{name}' AS src, ts FROM {name} [NOW]" for name in names]
    return s.query(f"ISTREAM({' UNION ALL '.join(parts)})", "asked")


def by_source(frame: pl.DataFrame) -> dict[str, tuple[list[Any], ...]]:
    """Of each source what its rows say of their time, in two places."""
    frame = frame.sort("time")
    return {
        src: (part["time"].to_list(), part["ts"].to_list())
        for (src,), part in frame.group_by("src", maintain_order=True)
    }


def check_every_sink(s: Session, names: list[str], times: list[datetime], folder: Path) -> None:
    query, out = union_of(s, names), io.StringIO()
    expected = dict.fromkeys(names, (times, times))
    assert by_source(query.to_polars()) == expected
    assert by_source(pl.from_pandas(query.to_pandas())) == expected
    back = query.to_df()
    kind = "timestamp" if times[0].tzinfo else "timestamp_ntz"
    assert {name: text for name, text in back.dtypes if name in ("time", "ts")} == {"time": kind, "ts": kind}
    # Spark's own words for the same times: compared in Spark, whose session has a zone.
    rows = spark_rows(s.spark, kind, times)
    assert back.select("ts").distinct().exceptAll(rows).count() == 0
    assert back.filter("time != ts").count() == 0
    memory, calls = sw.Memory(), list[pl.DataFrame]()
    for_good = query.start(
        *(sw.Files(folder / format, format) for format in ("json", "parquet")),
        memory,
        sw.Callback(lambda frame, _: calls.append(frame)),
        sw.Console(stream=out),
        follow=False,
    )
    for_good.await_termination()
    assert by_source(pl.concat(memory.frames.values())) == expected
    assert by_source(pl.concat(calls)) == expected
    assert by_source(pl.read_parquet(folder / "parquet" / "*.parquet")) == expected
    mark = "Z" if times[0].tzinfo else ""
    assert f"{times[2]:%Y-%m-%d %H:%M:%S}{mark} | {names[0]}" in out.getvalue()
    lines = [json.loads(line) for line in lines_of(folder / "json")]
    assert {datetime.fromisoformat(line["ts"]) for line in lines} == set(times)
    assert {line["ts"][-1] == "Z" for line in lines} == {times[0].tzinfo is not None}
    check_csv_and_views(s, names, times, folder)


def lines_of(folder: Path) -> list[str]:
    return [line for path in folder.glob("[0-9]*") for line in path.read_text().splitlines()]


def check_csv_and_views(s: Session, names: list[str], times: list[datetime], folder: Path) -> None:
    plain = s.query(f"SELECT ts, COUNT(*) AS n FROM {names[0]} [RANGE UNBOUNDED] GROUP BY ts", "plain")
    plain.start(
        sw.Files(folder / "csv", "csv"), sw.View("seen_times", spark=s.spark), follow=False
    ).await_termination()
    texts = [line for line in lines_of(folder / "csv") if not line.startswith("time")]
    read = [datetime.fromisoformat(cell) for line in texts for cell in line.split(",")[::2]]
    assert set(read) == set(times)
    kind = "timestamp" if times[0].tzinfo else "timestamp_ntz"
    rows = spark_rows(s.spark, kind, times)
    assert rows.exceptAll(s.spark.table("seen_times").select("ts")).count() == 0


def test_instants_stay_the_same_instants(zone: str, s: Session, tmp_path: Path) -> None:
    text_files(tmp_path, INSTANTS)
    names = [*handed(s, "timestamp", INSTANTS), *declared(s, tmp_path, "TIMESTAMP")]
    check_every_sink(s, names, INSTANTS, tmp_path)


def test_times_without_a_zone_stay_without_one(zone: str, s: Session, tmp_path: Path) -> None:
    text_files(tmp_path, WALL)
    names = [*handed(s, "timestamp_ntz", WALL), *declared(s, tmp_path, "TIMESTAMP_NTZ")]
    check_every_sink(s, names, WALL, tmp_path)
    assert s.query(f"SELECT ts FROM {names[0]} [NOW]").at(WALL[2]).rows() == [(WALL[2],)]
    with pytest.raises(sw.EngineError, match="Pass it without a zone"):
        s.query(f"SELECT ts FROM {names[0]} [NOW]").at(INSTANTS[2])


@pytest.mark.parametrize("zone", ["America/New_York"], indirect=True)
def test_a_source_may_declare_the_zone_of_times_without_one(zone: str, s: Session, tmp_path: Path) -> None:
    instants = [datetime(2024, 1, 1, 7, tzinfo=UTC), datetime(2024, 7, 1, 6, tzinfo=UTC)]
    wall = [instant.astimezone(BERLIN).replace(tzinfo=None) for instant in instants]
    assert [time.hour for time in wall] == [8, 8]
    text_files(tmp_path, wall)
    s.stream("zoned", spark_rows(s.spark, "timestamp", instants), time="ts")
    s.stream("wall", spark_rows(s.spark, "timestamp_ntz", wall), time="ts", timezone="Europe/Berlin")
    s.stream("days", [{"ts": date(2024, 1, 1)}], time="ts", timezone="+01:00")
    names = declared(s, tmp_path, "TIMESTAMP", " WITH (timezone = 'Europe/Berlin')")
    parts = [f"SELECT '{name}' AS src, ts FROM {name} [NOW]" for name in ("zoned", *names)]
    parts += [
        f"SELECT '{name}' AS src, CAST(NULL AS TIMESTAMP) AS ts FROM {name} [NOW]"
        for name in ("wall", "days")
    ]
    frame = s.query(f"ISTREAM({' UNION ALL '.join(parts)})").to_polars()
    assert by_source(frame) == {
        **dict.fromkeys(("zoned", *names), (instants, instants)),
        "wall": (instants, [None, None]),
        "days": ([instants[0] - timedelta(hours=8)], [None]),
    }


def test_rows_that_cannot_be_decoded_are_shown_as_they_are_written(
    spark: SparkSession, zone: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(b"ts;s\n2024-07-01 08:00:00;a\n2024-07-01 08:01:00;n\xf6rd\n")
    for zone_name in ("UTC", "Asia/Tokyo"):
        s = sw.connect(spark)
        s.sql(f"""CREATE STREAM t (s STRING) TIME ts FROM '{tmp_path}/t.csv'
                  WITH (sep = ';', timezone = '{zone_name}')""")
        with pytest.raises(sw.EngineError, match=r"t\.csv:3\n.*'2024-07-01 08:01:00;n\ufffdrd'"):
            s.query("SELECT RSTREAM(*) FROM t [NOW]").emits()
