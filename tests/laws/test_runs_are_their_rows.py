"""Frames in runs against plain lists: whatever is added, replaced, deleted and expired, and in any runs."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import nullcontext
from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.large_states import always_in_runs
from slackwater.base.time import INFINITY
from slackwater.kernels.state import GONE, Retention, State

KEYED, NESTED, ONE, DUE, SIDE = "keyed", "nested", "one", "due", "side"
LAYOUT = {
    KEYED: Retention(key=("a", "x")),
    NESTED: Retention(key=("a", "x"), by=("a",)),
    ONE: Retention(key=()),
    DUE: Retention(due="t"),
    SIDE: Retention(due="t", by=("a", "x"), summed="n"),
}
COLUMNS = {"a": pl.Int64(), "x": pl.Float64(), "t": pl.Int64(), "n": pl.Int64()}

numbers = st.none() | st.integers(0, 12)
doubles = st.sampled_from([None, 0.0, -0.0, 1.5, math.nan])
times = st.integers(0, 12) | st.just(INFINITY)
Row = tuple[int | None, float | None, int, int]
some_rows = st.lists(st.tuples(numbers, doubles, times, st.sampled_from([-1, 1, 1, 2])), max_size=8)
operations = st.one_of(
    *[st.tuples(st.just("add"), some_rows)] * 3,
    st.tuples(st.just("look up"), some_rows),
    st.tuples(st.just("expire"), st.integers(0, 12)),
)


def same(value: object) -> object:
    """NaNs as one value, and zeros as one."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return value


class Model:
    """The same frames as plain lists and dictionaries."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[tuple, Row]] = {KEYED: {}, NESTED: {}, ONE: {}}
        self.lists: dict[str, list[Row]] = {DUE: [], SIDE: []}

    def add(self, name: str, rows: list[Row], deletes: list[bool]) -> None:
        if name in self.lists:
            self.lists[name] += rows
            return
        for row, is_deletion in zip(rows, deletes, strict=True):
            key = () if name == ONE else (row[0], same(row[1]))
            self.tables[name].pop(key, None)
            if not is_deletion:
                self.tables[name][key] = row

    def expire(self, now: int) -> None:
        self.lists = {name: [row for row in rows if row[2] >= now] for name, rows in self.lists.items()}

    def bag(self, name: str) -> Counter[tuple]:
        return bag(self.lists[name] if name in self.lists else list(self.tables[name].values()), name)


def bag(rows: list[Row], name: str) -> Counter[tuple]:
    """The rows with their numbers; of a side, how many copies there are in all."""
    if name != SIDE:
        return Counter(tuple(same(value) for value in row) for row in rows)
    total: Counter[tuple] = Counter()
    for a, x, t, n in rows:
        total[a, same(x), t] += n
    return Counter({row: n for row, n in total.items() if n})


def frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def unique(rows: list[Row], name: str) -> list[Row]:
    """One row for each key, as an epoch gives them."""
    if name == ONE:
        return rows[:1]
    return list({(row[0], same(row[1])): row for row in rows}.values()) if name in (KEYED, NESTED) else rows


def rows_of(rows: pl.DataFrame | None) -> list[Row]:
    return [] if rows is None else rows.select(list(COLUMNS)).rows()


def look_up(state: State, model: Model, rows: list[Row], now: int) -> None:
    sought = frame(rows)
    for name, width in ((KEYED, 2), (NESTED, 1)):
        keys = {tuple(map(same, row[:width])) for row in rows}
        matches = state.matching(name, sought)
        expected = [row for key, row in model.tables[name].items() if key[:width] in keys]
        assert bag([] if matches is None else rows_of(matches.rows), name) == bag(expected, name)
    keys = {tuple(map(same, row[:2])) for row in rows}
    candidates = rows_of(state.candidates(SIDE, sought, ("a", "x")))
    expected = [row for row in model.lists[SIDE] if (row[0], same(row[1])) in keys]
    alive = [row for row in candidates if (row[0], same(row[1])) in keys and row[2] >= now]
    assert bag(alive, SIDE) == bag(expected, SIDE)
    for lo, hi in ((0, 5), (3, 9), (12, INFINITY)):
        due = [row for row in model.lists[DUE] if lo <= row[2] < hi]
        assert bag(rows_of(state.falling_due(DUE, lo, hi)), DUE) == bag(due, DUE)


@pytest.mark.parametrize("name", list(LAYOUT))
@trying(60)
@given(
    steps=st.lists(operations, max_size=30),
    random=st.randoms(use_true_random=False),
    collide=st.booleans(),
    in_runs=st.booleans(),
)
def test_a_frame_in_runs_is_its_rows(
    name: str, steps: list[tuple], random: Random, collide: bool, in_runs: bool
) -> None:
    state, model, replica, now = State(LAYOUT), Model(), State(LAYOUT), 0
    copies: list[tuple[State, dict[str, Counter[tuple]]]] = []
    with always_in_runs(collide) if in_runs else nullcontext():
        for kind, value in steps:
            if kind == "look up":
                look_up(state, model, value, now)
            elif kind == "expire":
                now = max(now, value)
                state.expire(now)
                model.expire(now)
            else:
                add(state, model, name, [row for row in value if row[2] >= now], random)
            move_changes(state, replica, now)
            expected = {known: model.bag(known) for known in LAYOUT}
            assert bags(state) == bags(replica) == expected
            assert name == SIDE or state.rows == sum(map(Counter.total, expected.values()))
            copies.append((state.copy(), expected))
        assert all(bags(copy) == expected for copy, expected in copies)


def bags(state: State) -> dict[str, Counter[tuple]]:
    return {name: bag(rows_of(state.frames.get(name)), name) for name in LAYOUT}


def add(state: State, model: Model, name: str, rows: list[Row], random: Random) -> None:
    rows = unique(rows, name)
    deletes = [name in (KEYED, NESTED) and random.random() < 0.3 for _ in rows]
    added = frame(rows)
    if any(deletes):
        added = added.with_columns(pl.Series(GONE, deletes))
    state.add(name, added)
    model.add(name, rows, deletes)


def move_changes(state: State, replica: State, now: int) -> None:
    """Apply the changes of a state to another, as a checkpoint does."""
    for name, change in state.changes.items():
        replica.restore(name, pl.concat(change.rows, how="diagonal"), change.replaced)
    state.changes.clear()
    replica.expire(now)
