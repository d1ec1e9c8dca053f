"""State files: a frame is read as it was written, of every type, at any place in its file."""

from __future__ import annotations

import io

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.test_kernels_speak_every_type import VALUES
from slackwater.kernels.expressions.columns import dtype
from slackwater.run.cluster.states import frame_of

INSIDE: dict[pl.DataType, st.SearchStrategy] = {
    pl.UInt32(): st.integers(0, 2**32 - 1),
    pl.UInt64(): st.integers(0, 2**64 - 1),
    pl.Int128(): st.integers(-(2**100), 2**100),
    pl.Null(): st.none(),
}
"""Types that only states have."""
TYPES = {dtype(type_): values for type_, values in VALUES.items()} | INSIDE


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    height = draw(st.integers(0, 4))
    chosen = draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=4))
    columns: dict[str, pl.Series] = {}
    for place, kind in enumerate(chosen):
        values = draw(st.lists(st.none() | TYPES[kind], min_size=height, max_size=height))
        if isinstance(kind, pl.Struct):
            names = [field.name for field in kind.fields]
            values = [None if one is None else dict(zip(names, one, strict=True)) for one in values]
        columns[f"c{place}"] = pl.Series(values, dtype=kind)
    return pl.DataFrame(columns)


@trying(200)
@given(frames(), st.integers(0, 70))
def test_a_frame_is_read_as_it_was_written(frame: pl.DataFrame, before: int) -> None:
    buffer = io.BytesIO()
    buffer.write(bytes(before))
    frame.write_ipc(buffer)
    read = frame_of(memoryview(buffer.getvalue())[before:])
    assert read.schema == frame.schema
    assert read.equals(frame)
    # As a kernel uses it: sorted, hashed, joined to others.
    assert pl.concat([read, frame]).height == 2 * frame.height
