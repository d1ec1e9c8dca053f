"""Frames as bytes are the same frames after they are read, and small where they can be."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from laws.effort import trying
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, N
from slackwater.run.cluster.packing import packed, unpacked

LEAST, MOST = -(2**63), 2**63 - 1
SMALL = {pl.Int8: 8, pl.Int16: 16, pl.Int32: 32, pl.Int64: 64}


def integers(bits: int) -> st.SearchStrategy[int]:
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    near = st.sampled_from([least, most, 0, -1, 255, 256, 65535, 65536, 2**32 - 1, 2**32]).map(
        lambda value: min(max(value, least), most)
    )
    return st.integers(least, most) | st.integers(-128, 127) | near


@st.composite
def columns(draw: st.DrawFn, height: int) -> pl.Series:
    kinds: list[tuple[pl.DataType | type[pl.DataType], st.SearchStrategy[object]]] = [
        *((kind, integers(bits)) for kind, bits in SMALL.items()),
        (pl.Boolean(), st.booleans()),
        (pl.Float64(), st.sampled_from([0.0, -0.0, float("inf"), float("nan"), 0.1])),
        (pl.String(), st.sampled_from(["", "a", "ä\x00b"])),
        (pl.Datetime("us"), st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))),
        (pl.Decimal(38, 2), st.sampled_from([Decimal("1.25"), Decimal("-99999999999999.99")])),
        (pl.List(pl.Int64()), st.lists(st.integers(0, 9), max_size=2)),
    ]
    kind, values = draw(st.sampled_from(kinds))
    nullable = draw(st.booleans())
    values = st.just(draw(values)) if draw(st.booleans()) else values
    cells = draw(st.lists(values | st.none() if nullable else values, min_size=height, max_size=height))
    return pl.Series("c", cells, dtype=kind, strict=False)


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    height = draw(st.integers(0, 6))
    row = [draw(columns(height)).alias(f"c{place}") for place in range(draw(st.integers(0, 3)))]
    starts = draw(st.lists(integers(64), min_size=height, max_size=height))
    same = draw(st.integers(1, 100))
    ends = [min(start + same, MOST) for start in starts]
    if draw(st.booleans()):
        ends = draw(st.lists(integers(64) | st.just(INFINITY), min_size=height, max_size=height))
    counts = draw(st.lists(st.integers(-2, 2), min_size=height, max_size=height))
    times = [pl.Series(name, values, pl.Int64) for name, values in ((FROM, starts), (TO, ends), (N, counts))]
    return pl.DataFrame([*row, *times])


@pytest.mark.hypothesis
@trying(300)
@given(frames())
def test_what_is_packed_is_unpacked(frame: pl.DataFrame) -> None:
    result = unpacked(packed(frame))
    assert result.schema == frame.schema
    assert_frame_equal(result, frame, check_exact=True)


def test_elements_of_a_window_take_few_bytes() -> None:
    count = 10_000
    frame = pl.DataFrame({"k": [i % 1000 for i in range(count)], FROM: range(10**15, 10**15 + count)})
    frame = frame.with_columns((pl.col(FROM) + 60_000_001).alias(TO), pl.lit(1, pl.Int64).alias(N))
    assert len(packed(frame)) < 4.2 * count, "two bytes for k, two for the time, nothing for the rest"
    assert_frame_equal(unpacked(packed(frame)), frame)
