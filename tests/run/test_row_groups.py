"""Row groups of Parquet files are divided over tasks: each is read once, and in order."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import LongType, StringType, StructType

from laws.effort import trying
from slackwater.algebra import Schema, Stream
from slackwater.algebra.types import BIGINT, STRING
from slackwater.base.time import SECONDS
from slackwater.bind.catalog import Source
from slackwater.run.input.intake import Intake
from slackwater.run.input.plain_files import LeftToSpark
from slackwater.run.input.row_groups import LEAST_ROWS, Group, Piece, Share, divided, read_share

S = Source(Stream("S", Schema.of(k=STRING, v=BIGINT)), time="at")
STORED = StructType().add("At", LongType()).add("k", StringType()).add("v", LongType())
INTAKE = Intake(S, S.plan.schema.names, SECONDS, STORED, kind="parquet")


@st.composite
def groups(draw: st.DrawFn) -> list[Group]:
    sizes = st.integers(0, 3) | st.integers(LEAST_ROWS - 1, LEAST_ROWS + 1) | st.integers(0, 10 * LEAST_ROWS)
    files = draw(st.lists(st.lists(sizes, max_size=5), max_size=5))
    first_of_second = draw(st.integers(0, len(files)))
    return [
        Group(int(place >= first_of_second), f"{place}.parquet", number, rows)
        for place, of_file in enumerate(files)
        for number, rows in enumerate(of_file)
    ]


def numbers(share: Share) -> list[tuple[int, str, int]]:
    return [(piece.source, piece.path, number) for piece in share for number in piece.groups]


@trying(200)
@given(groups(), st.integers(1, 9))
def test_every_group_is_in_one_share_and_they_are_in_order(all_groups: list[Group], most: int) -> None:
    shares = divided(all_groups, most)
    assert 1 <= len(shares) <= most
    expected = [(group.source, group.path, group.number) for group in all_groups]
    assert [place for share in shares for place in numbers(share)] == expected
    rows = {(group.source, group.path, group.number): group.rows for group in all_groups}
    total, largest = sum(rows.values()), max(rows.values(), default=0)
    count = max(1, min(most, len(all_groups), total // LEAST_ROWS))
    for share in shares:
        assert sum(rows[place] for place in numbers(share)) <= total / count + largest


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    table = pa.table({"At": range(10), "k": list("abcdefghij"), "v": [None, *range(9)]})
    for name, rows in (("a", table), ("b", table.slice(0, 0)), ("c", table.slice(5))):
        pq.write_table(rows, tmp_path / f"{name}.parquet", row_group_size=3)
    return [str(tmp_path / f"{name}.parquet") for name in "abc"]


@pytest.mark.parametrize("most_rows", [1, 4, 100])
def test_a_share_is_read_in_parts_of_few_rows(files: list[str], most_rows: int) -> None:
    share = (
        Piece(0, files[0], (1, 2)),
        Piece(0, files[1], ()),
        Piece(1, files[0], (3,)),
        Piece(1, files[2], (0, 1)),
    )
    parts = list(read_share([INTAKE, INTAKE], share, most_rows))
    assert all(table.num_rows < 2 * most_rows for _, table in parts)
    assert [
        (source, *row) for source, table in parts for row in zip(*table.to_pydict().values(), strict=True)
    ] == [
        *((0, at, "abcdefghij"[at], at - 1) for at in range(3, 9)),
        (1, 9, "j", 8),
        *((1, at, "abcdefghij"[at], at - 1) for at in range(5, 10)),
    ]


def test_rows_of_a_file_that_a_task_does_not_have_are_left_to_spark(files: list[str]) -> None:
    for share in [(Piece(0, f"{files[0]}.gone", (0,)),), (Piece(0, files[0], (0, 99)),)]:
        with pytest.raises(LeftToSpark):
            list(read_share([INTAKE], share, 100))
