"""The times from a footer are the least and the largest time in the file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import LongType, StringType, TimestampNTZType, TimestampType

from laws.effort import trying
from slackwater.base.time import INFINITY
from slackwater.sources.footers import FooterTimes, least_in_footer, times_in_footer

NUMBERS = st.none() | st.integers(-(2**50), 2**50)


@trying(60)
@given(st.lists(NUMBERS, max_size=12), st.sampled_from(["int", "ms", "us", "wall"]), st.integers(1, 5))
def test_they_are_those_of_all_row_groups(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[int | None], stored: str, group: int
) -> None:
    kind, read, factor = {
        "int": (pa.int64(), LongType(), 1),
        "ms": (pa.timestamp("ms", "UTC"), TimestampType(), 1000),
        "us": (pa.timestamp("us", "UTC"), TimestampType(), 1),
        "wall": (pa.timestamp("us"), TimestampNTZType(), 1),
    }[stored]
    path = tmp_path_factory.mktemp("footers") / "a.parquet"
    pq.write_table(pa.table({"Ts": pa.array(numbers, pa.int64()).cast(kind)}), path, row_group_size=group)
    there = [number for number in numbers if number is not None]
    assert least_in_footer(str(path), "ts", read) == (min(there) * factor if there else INFINITY)
    ends = (min(there) * factor, max(there) * factor) if there else (None, None)
    assert times_in_footer(str(path), "ts", read) == FooterTimes(len(numbers), *ends)


def test_the_name_of_a_folder_takes_precedence(tmp_path: Path) -> None:
    (tmp_path / "TS=3").mkdir()
    path = tmp_path / "TS=3" / "a.parquet"
    pq.write_table(pa.table({"ts": [1, 2]}), path)
    assert times_in_footer(str(path), "ts", LongType()) is None


def test_what_a_footer_cannot_say_is_left_to_a_pass(tmp_path: Path) -> None:
    moment = datetime(2024, 2, 29, 8, tzinfo=UTC)
    columns = {"ts": pa.array([moment], pa.timestamp("us", "UTC")), "ns": pa.array([1], pa.timestamp("ns"))}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({**columns, "text": ["2024"]}), path)
    assert least_in_footer(str(path), "ts", TimestampType()) == int(moment.timestamp()) * 1_000_000
    assert least_in_footer(str(path), "ts", TimestampNTZType()) is None
    assert least_in_footer(str(path), "ns", TimestampNTZType()) is None
    assert least_in_footer(str(path), "text", StringType()) is None
    assert least_in_footer(str(path), "gone", LongType()) is None
    assert least_in_footer(str(tmp_path / "nowhere.parquet"), "ts", TimestampType()) is None
    pq.write_table(pa.table(columns), path, write_statistics=False)
    assert least_in_footer(str(path), "ts", TimestampType()) is None
