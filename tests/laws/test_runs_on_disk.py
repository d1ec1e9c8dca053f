"""States on disk beside the same states in memory: whatever is added, looked up and expired."""

from __future__ import annotations

from collections import Counter

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.large_states import always_in_runs
from slackwater.base.time import INFINITY
from slackwater.kernels.state import Retention, State

SIDE, DUE = "side", "due"
LAYOUT = {
    SIDE: Retention(due="t", by=("key", "cell"), summed="n", may_spill=True),
    DUE: Retention(due="t", may_spill=True),
}
COLUMNS = {"key": pl.String(), "cell": pl.Int64(), "t": pl.Int64(), "n": pl.Int64()}
BY = ("key", "cell")

times = st.integers(0, 12) | st.just(INFINITY)
rows = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(-2, 4), times, st.sampled_from([-1, 1, 1, 2])),
    max_size=8,
)
operations = st.one_of(
    st.tuples(st.just("add"), rows),
    st.tuples(st.just("add"), rows),
    st.tuples(st.just("look up"), rows),
    st.tuples(st.just("expire"), st.integers(0, 12)),
)
allowances = st.sampled_from([0, 100, 400])


def frame(of: list[tuple]) -> pl.DataFrame:
    return pl.DataFrame(of, schema=COLUMNS, orient="row")


def bag(rows_of: pl.DataFrame | None, now: int) -> Counter[tuple]:
    """How many copies of each row there are, of those that have not ended."""
    total: Counter[tuple] = Counter()
    for *row, t, n in () if rows_of is None else rows_of.select(list(COLUMNS)).rows():
        total[(*row, t)] += n if t >= now else 0
    return Counter({row: n for row, n in total.items() if n})


def sought(state: State, of: list[tuple], now: int) -> Counter[tuple]:
    keys = {row[:2] for row in of}
    rows_of = bag(state.candidates(SIDE, frame(of), BY), now)
    return Counter({row: n for row, n in rows_of.items() if row[:2] in keys})


@trying(100)
@given(st.lists(operations, max_size=25), allowances, st.booleans())
def test_rows_on_disk_are_those_in_memory(steps: list[tuple], allowed: int, collide: bool) -> None:
    on_disk, in_memory, now = State(LAYOUT, allowed), State(LAYOUT), 0
    copies: list[tuple[State, dict[str, Counter[tuple]], int]] = []
    with always_in_runs(collide):
        for kind, value in steps:
            if kind == "look up":
                assert sought(on_disk, value, now) == sought(in_memory, value, now)
            elif kind == "expire":
                now = max(now, value)
            for state in (on_disk, in_memory):
                if kind == "add":
                    for name in LAYOUT:
                        state.add(name, frame([row for row in value if row[2] >= now]))
                state.expire(now)
            for lo, hi in ((now, now + 3), (now, INFINITY)):
                due = [bag(state.falling_due(DUE, lo, hi), now) for state in (on_disk, in_memory)]
                assert due[0] == due[1]
            expected = {name: bag(rows, now) for name, rows in in_memory.frames.items()}
            assert {name: bag(rows, now) for name, rows in on_disk.frames.items()} == expected
            assert on_disk.memory <= allowed
            copies.append((on_disk.copy(), expected, now))
        for copy, expected, at in copies:
            assert {name: bag(rows, at) for name, rows in copy.frames.items()} == expected
