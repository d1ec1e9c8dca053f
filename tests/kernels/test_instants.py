"""Rows that share their instant: changing only these gives what changing all rows gives."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.kernels import instants
from slackwater.kernels.instants import at_shared_instants

SCHEMA = {"a": pl.Int32, "l": pl.List(pl.Int32), "@t": pl.Int64, "@n": pl.Int64}
ROW = st.tuples(
    st.sampled_from([None, 1, 2]),
    st.sampled_from([None, [], [1]]),
    st.integers(0, 30),
    st.sampled_from([-1, 1, 2]),
)
FRAMES = st.lists(ROW, max_size=20).map(lambda rows: pl.DataFrame(rows, schema=SCHEMA, orient="row"))


def in_order(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.sort("@t", pl.col("@n") > 0, "a", maintain_order=True)


def added_up(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("@t", "a", "l").agg(pl.col("@n").sum())


@pytest.fixture(autouse=True)
def _any_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instants, "_FEW", 0)


@given(FRAMES)
def test_rows_are_in_the_order_of_a_sort_by_all_columns(frame: pl.DataFrame) -> None:
    assert at_shared_instants(frame, "@t", in_order).equals(in_order(frame))


@given(FRAMES)
def test_equal_rows_of_an_instant_are_added_up(frame: pl.DataFrame) -> None:
    sums = at_shared_instants(frame, "@t", added_up).select("@t", "a", "l", "@n").rows()
    assert sorted(sums, key=repr) == sorted(added_up(frame).rows(), key=repr)


@given(FRAMES)
def test_only_rows_that_share_their_instant_are_changed_unless_most_do(frame: pl.DataFrame) -> None:
    changed: list[int] = []

    def noted(rows: pl.DataFrame) -> pl.DataFrame:
        changed.append(rows.height)
        return rows

    at_shared_instants(frame, "@t", noted)
    shared = int(frame["@t"].is_duplicated().sum())
    assert changed == [shared if 2 * shared <= frame.height else frame.height]
