"""Law: what is done to small frames together is what is done to each: changes, states, and form."""

from __future__ import annotations

import math
from datetime import datetime

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from slackwater.base.time import INFINITY, Clock
from slackwater.kernels.frames import FROM, TIMES, TO
from slackwater.kernels.state import State
from slackwater.kernels.streams import STATE_LAYOUT, all_net_changes, net_changes
from slackwater.run.answers import all_as_changes, as_changes
from slackwater.sinks.formats import content_of

CELLS = {
    pl.Int32: st.none() | st.integers(0, 2),
    pl.String: st.none() | st.sampled_from(["", "a", "b"]),
    pl.Float64: st.none() | st.sampled_from([0.0, -1.5, math.nan]),
    pl.List(pl.Int32): st.none() | st.lists(st.integers(0, 1), max_size=1),
}
SHAPES = [(pl.Int32,), (pl.Int32, pl.String), (pl.Float64,), (pl.List(pl.Int32),), ()]
EDGES = [0, 4, 8]


@st.composite
def epochs(draw: st.DrawFn) -> list[pl.DataFrame]:
    """The elements of a query in each epoch. Names of columns differ, also where types are the same."""
    kinds = draw(st.sampled_from(SHAPES))
    names = draw(st.permutations(["a", "b", "time"]))[: len(kinds)]
    schema = {**dict(zip(names, kinds, strict=True)), **dict.fromkeys(TIMES, pl.Int64)}
    frames = []
    for lo in EDGES:
        start = st.integers(lo, lo + 3)
        row = st.tuples(
            *map(CELLS.__getitem__, kinds), start, st.integers(1, 9), st.sampled_from([-2, -1, 1])
        )
        rows = draw(st.lists(row, max_size=6))
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        end = pl.when(pl.col(TO) > 7).then(INFINITY).otherwise(pl.col(FROM) + pl.col(TO))
        frames.append(frame.with_columns(end.alias(TO)))
    return frames


def content(state: State) -> list[dict[str, list[str]]]:
    """What a state has, and what of it changed, in one order."""
    changes = {name: change.rows for name, change in state.changes.items()}
    whole = {name: [frame] for name, frame in state.frames.items()}
    return [
        {name: sorted(repr(row) for part in parts for row in part.rows()) for name, parts in one.items()}
        for one in (whole, changes)
    ]


@given(st.lists(epochs(), min_size=1, max_size=4))
def test_changes_together_are_the_changes_of_each(queries: list[list[pl.DataFrame]]) -> None:
    alone, together = ([State(STATE_LAYOUT) for _ in queries] for _ in range(2))
    for number, lo in enumerate(EDGES):
        frames, hi = [query[number] for query in queries], lo + 4
        expected = [net_changes(state, frame, 0, lo, hi) for state, frame in zip(alone, frames, strict=True)]
        computed = all_net_changes(together, frames, lo, hi)
        shown = all_as_changes(computed, Clock())
        for one, other, form in zip(expected, computed, shown, strict=True):
            assert one.schema == other.schema
            assert sorted(map(repr, one.rows())) == sorted(map(repr, other.rows()))
            # Rows with lists have no order.
            if not any(kind.is_nested() for kind in one.dtypes):
                assert as_changes(one, Clock()).equals(form)
        for one_state, other_state in zip(alone, together, strict=True):
            for state in (one_state, other_state):
                state.expire(hi)
            assert content(one_state) == content(other_state)


def test_few_rows_of_parquet_are_read_back_as_they_were() -> None:
    moment = datetime(2024, 2, 29, 12, 0, 0, 7)
    frame = pl.DataFrame(
        {
            "b": [True, None], "i": pl.Series([-1, None], dtype=pl.Int8), "n": [1 << 60, None],
            "d": [math.inf, None], "s": ["é", None], "x": [b"\0", None], "t": [moment, None],
            "z": pl.Series([moment, None]).dt.replace_time_zone("UTC"), "day": [moment.date(), None],
            "nested": [[1], None], "m": pl.Series(["1.50", None]).cast(pl.Decimal(10, 2)),
        }
    )  # fmt: skip
    plain = frame.drop("nested", "m")
    for whole in (frame, plain, plain.clear(), plain.head(1), pl.concat([plain] * 2_500)):
        read = pl.read_parquet(bytes(content_of(whole, "parquet")))
        assert read.schema == whole.schema
        assert read.equals(whole)
