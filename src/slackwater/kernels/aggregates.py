"""Grouped aggregation: a sweep whose sums are the aggregates' accumulators.

COUNT, SUM, AVG      running counts and sums; of doubles, sums of limbs (`exact`)
VARIANCE, STDDEV     the same of x and x², combined in whole numbers
corr, string_agg, …   functions of the bag of current values (`collected`)
MIN, MAX, MEDIAN     order statistics of the current values (`order`)
DISTINCT             the same over each value once: a sweep that feeds a sweep
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from slackwater.algebra.schema import Schema
from slackwater.kernels import bags, closing, sweep
from slackwater.kernels.accumulators import Call, value, weights
from slackwater.kernels.collected import FUNCTIONS as COLLECTED
from slackwater.kernels.expressions.columns import dtype
from slackwater.kernels.extremes import extremes, remember_best
from slackwater.kernels.frames import FROM, TO, N, empty
from slackwater.kernels.keys import member, number_keys, with_join_columns
from slackwater.kernels.order import Ints
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.statistics import VALUE, ranked, statistic
from slackwater.kernels.sweep import AHEAD, COPIES, SUMS, K, T, due, edges_of, pieces, positions, store_sums
from slackwater.physical.steps import Closing

ROWS, VALUES = "@rows", "values"
MANY, TOGETHER = 1_000, 8
"""From so many elements on, and so many at an instant, those that start and end together are one."""


def state_layout(keys: Sequence[str], calls: Sequence[Call]) -> dict[str, Retention]:
    """Future ends and sums by group; for order statistics also the current values."""
    layout = sweep.state_layout(keys)
    for place, call in enumerate(calls):
        row = (*keys, VALUE)
        if call.needs_set:
            layout |= {f"set{place}:{name}": retention for name, retention in sweep.state_layout(row).items()}
        if not call.is_linear:
            layout |= {
                f"order{place}:{AHEAD}": Retention(due=T),
                f"order{place}:{VALUES}": Retention(key=row, by=tuple(keys)),
            }
    return layout


def aggregate(
    state: State,
    frame: pl.DataFrame,
    keys: Sequence[str],
    calls: Sequence[Call],
    lo: int,
    hi: int,
    partial: Sequence[pl.DataFrame] = (),
    *,
    is_final: bool = False,
    ends: Closing | None = None,
) -> pl.DataFrame:
    """One row per group, as long as the group has rows.

    Without keys there is exactly one group, from the beginning of the first epoch on. `partial` are
    partial sums of further elements. `is_final` is whether no element is ever taken back. `ends` says when
    groups are over: then they leave the state, and their rows stay.
    """
    inputs = [_input(state, frame, keys, call, place, lo, hi, ends) for place, call in enumerate(calls)]
    elements, names = _weighed(frame, keys, calls)
    if is_final and _has_alike(elements, calls):
        elements = _together(elements, keys, calls, names)
    edges = _edges(elements, keys, calls, inputs, names)
    for part in partial:
        if part.height:
            names = [name for name in part.columns if name not in (*keys, FROM, TO)]
            edges = pl.concat([edges, edges_of(part, keys, names)], how="diagonal")
    if not keys and not state.has(SUMS):
        edges = pl.concat([edges, pl.DataFrame({T: [lo], ROWS: [0]})], how="diagonal")
    sums = positions(state, due(state, edges, lo, hi), keys, lo)
    by_key = ends if ends is not None and ends.column in keys else None
    over = store_sums(state, sums, keys, lo, hi, by_key)
    columns = [
        _linear(call, place, sums)
        if call.is_linear
        else _ordered(
            state.part(f"order{place}:"),
            _values(elements, inputs[place], keys, call, place),
            sums,
            keys,
            call,
            lo,
            hi,
            is_final,
        )
        for place, call in enumerate(calls)
    ]
    if ends is not None and by_key is None:
        over = _over_by_call(state, sums, keys, calls, columns, ends, lo, hi)
    for place, call in enumerate(calls):
        if not call.is_linear:
            closing.forget(state.part(f"order{place}:"), VALUES, over)
    return _rows(sums, keys, columns, lo)


def _over_by_call(
    state: State,
    sums: pl.DataFrame,
    keys: Sequence[str],
    calls: Sequence[Call],
    columns: list[pl.Series],
    ends: Closing,
    lo: int,
    hi: int,
) -> pl.DataFrame:
    """The groups that are over by the value of a MAX; their sums are dropped."""
    place = next(place for place, call in enumerate(calls) if call.name == ends.column)
    last = (pl.col(K) != pl.col(K).shift(-1)).fill_null(True)
    changed = sums.select(*keys, K).with_columns(columns[place]).filter(last).drop(K)
    values = (f"order{place}:{VALUES}", VALUE)
    over = closing.keys_over_by_value(state, changed, keys, ends, values, lo, hi)
    closing.forget(state, SUMS, over)
    return over


def current_rows(
    frames: Mapping[str, pl.DataFrame], keys: Sequence[str], calls: Sequence[Call], schema: Schema, now: int
) -> pl.DataFrame:
    """The row of each group, from the state of the aggregates, as elements that start now and have no end."""
    if SUMS not in frames:
        return empty(schema)
    numbers = pl.int_range(pl.len(), dtype=pl.Int64).alias(K)
    sums = frames[SUMS].with_columns(pl.lit(now, pl.Int64).alias(T), numbers)
    columns = [
        _linear(call, place, sums)
        if call.is_linear
        else _current_order(frames.get(f"order{place}:{VALUES}"), sums, keys, call, schema)
        for place, call in enumerate(calls)
    ]
    return _rows(sums, keys, columns, now).select(empty(schema).columns)


def _linear(call: Call, place: int, sums: pl.DataFrame) -> pl.Series:
    """An aggregate that is a function of its sums."""
    prefix = f"@{place}"
    return value(call, prefix, _complete(sums, prefix, ROWS if call.argument is None else None))


def _rows(sums: pl.DataFrame, keys: Sequence[str], columns: list[pl.Series], lo: int) -> pl.DataFrame:
    """Elements of the rows of groups; without keys there is a row even if nothing is aggregated."""
    copies = (sums[ROWS] > 0).cast(pl.Int64) if keys else pl.Series([1] * sums.height, dtype=pl.Int64)
    answer = sums[[*keys, T, K]].hstack([*columns, copies.alias(COPIES)])
    return pieces(answer, keys, lo)


def partial_sums(frame: pl.DataFrame, keys: Sequence[str], calls: Sequence[Call]) -> pl.DataFrame:
    """Elements that agree in group, from and to as one row with the sums of their weights.

    Only for linear aggregates without DISTINCT. A row may have no copies and sums that are not zero.
    """
    columns = [frame[N].alias(ROWS)]
    for place, call in enumerate(calls):
        columns += weights(call, f"@{place}", frame, call.argument)
    agreeing = frame.select(*keys, FROM, TO).with_columns(columns).group_by(*keys, FROM, TO)
    return agreeing.agg(pl.col(column.name).sum() for column in columns)


def _input(
    state: State,
    frame: pl.DataFrame,
    keys: Sequence[str],
    call: Call,
    place: int,
    lo: int,
    hi: int,
    ends: Closing | None,
) -> pl.DataFrame:
    """The elements that a call aggregates: the frame's or, for DISTINCT, each value of a group once."""
    if not call.needs_set or call.argument is None:
        return frame
    values = frame.select(*keys, pl.col(call.argument).alias(VALUE), FROM, TO, N)
    values = values.filter(pl.col(VALUE).is_not_null())
    part = state.part(f"set{place}:")
    return bags.distinct(part, values, [*keys, VALUE], lo, hi, ends)


def _weighed(
    frame: pl.DataFrame, keys: Sequence[str], calls: Sequence[Call]
) -> tuple[pl.DataFrame, list[str]]:
    """The elements with the weights of the linear calls, the names of these, and the values of the others."""
    columns = [frame[N].alias(ROWS)]
    for place, call in enumerate(calls):
        if call.is_linear and not call.needs_set:
            columns += weights(call, f"@{place}", frame, call.argument)
    values = [
        frame[call.argument].alias(f"{VALUE}{place}")
        for place, call in enumerate(calls)
        if not call.is_linear and not call.needs_set and call.argument is not None
    ]
    elements = frame.select(*keys, FROM, TO, N).with_columns(*columns, *values)
    return elements, [column.name for column in columns]


def _has_alike(elements: pl.DataFrame, calls: Sequence[Call]) -> bool:
    """Whether elements that start and end together can be one, and there are enough for that to pay."""
    orders = [call for call in calls if not call.is_linear and not call.needs_set]
    is_possible = all(
        call.function in ("min", "max") and not call.argument_type.is_floating for call in orders
    )
    return is_possible and elements.height >= MANY and elements[FROM].n_unique() * TOGETHER <= elements.height


def _together(
    elements: pl.DataFrame, keys: Sequence[str], calls: Sequence[Call], names: Sequence[str]
) -> pl.DataFrame:
    """Elements of a group that start and end together as one: of its values only the first or last shows."""
    values = [
        pl.col(name).min() if call.function == "min" else pl.col(name).max()
        for place, call in enumerate(calls)
        if (name := f"{VALUE}{place}") in elements.columns
    ]
    alike = elements.group_by(*keys, FROM, TO).agg(*(pl.col(name).sum() for name in names), *values)
    return alike.with_columns(pl.lit(1, pl.Int64).alias(N))


def _edges(
    elements: pl.DataFrame,
    keys: Sequence[str],
    calls: Sequence[Call],
    inputs: list[pl.DataFrame],
    names: Sequence[str],
) -> pl.DataFrame:
    parts = [edges_of(elements, keys, names)]
    for place, (call, input_) in enumerate(zip(calls, inputs, strict=True)):
        if call.is_linear and call.needs_set:
            columns = weights(call, f"@{place}", input_, VALUE)
            parts.append(edges_of(input_.with_columns(columns), keys, [column.name for column in columns]))
    return pl.concat(parts, how="diagonal")


def _values(
    elements: pl.DataFrame, frame: pl.DataFrame, keys: Sequence[str], call: Call, place: int
) -> pl.DataFrame:
    """The values that an order statistic is one of, each once for DISTINCT."""
    if not call.needs_set:
        frame = elements.rename({f"{VALUE}{place}": VALUE})
    return frame.select(*keys, VALUE, FROM, TO, N).filter(pl.col(VALUE).is_not_null())


def _complete(sums: pl.DataFrame, prefix: str, count: str | None) -> pl.DataFrame:
    """The sums with the count that `value` needs: a copy of `count`, or 0 while nothing was aggregated."""
    name = f"{prefix}:count"
    if name in sums.columns:
        return sums
    return sums.with_columns((pl.lit(0, pl.Int64) if count is None else pl.col(count)).alias(name))


def _ordered(
    state: State,
    values: pl.DataFrame,
    sums: pl.DataFrame,
    keys: Sequence[str],
    call: Call,
    lo: int,
    hi: int,
    is_final: bool,
) -> pl.Series:
    """The least, greatest or middle value of each group at each of its positions."""
    row = [*keys, VALUE]
    now = due(state, edges_of(values, row, [N]), lo, hi)
    groups = sums.select(*keys, K).unique(subset=K)
    former = state.matching(VALUES, groups)
    old = now.clear() if former is None else former.rows.with_columns(pl.lit(lo - 1, pl.Int64).alias(T))
    edges = _placed(pl.concat([old.select(now.columns), now]), sums, keys)
    never_leave = is_final and not state.has(AHEAD) and bool((now[N] > 0).all())
    if never_leave and call.function in ("min", "max"):
        return _extreme(state, _numbered(old.select(*row, N), groups, keys), edges, sums, call, row)
    remember_values(state, now, old, row)
    return _statistic(call, edges, sums, keys, *ranked(edges[VALUE]))


def _extreme(
    state: State, old: pl.DataFrame, edges: pl.DataFrame, sums: pl.DataFrame, call: Call, row: list[str]
) -> pl.Series:
    """The least or greatest of values that never leave: the state has only the best of each group."""
    ranks, values = ranked(edges[VALUE])
    rank, known = extremes(ranks, *_ranges(edges, sums), is_least=call.function == "min")
    nothing = values.clear().extend_constant(None, sums.height)
    answer = values.gather(pl.Series(rank).set(pl.Series(~known), None)) if len(values) else nothing
    last = (pl.col(K) != pl.col(K).shift(-1)).fill_null(True)
    best = sums.select(*row[:-1], K).with_columns(answer.alias(VALUE)).filter(last)
    remember_best(state, VALUES, old.select(*row, N, K), best.filter(pl.col(VALUE).is_not_null()), VALUE, K)
    return answer.alias(call.name)


def _current_order(
    values: pl.DataFrame | None, sums: pl.DataFrame, keys: Sequence[str], call: Call, schema: Schema
) -> pl.Series:
    """The same of the current values."""
    if values is None and (call.user is not None or call.function in COLLECTED):
        none = np.zeros(sums.height, np.int64)
        nothing = pl.Series(dtype=dtype(call.argument_type))
        return statistic(call, none[:0], none[:0], none, none, nothing, _shown(call, sums, keys))
    if values is None:
        return pl.Series(call.name, [None] * sums.height, dtype=dtype(schema.type_of(call.name)))
    edges = _placed(values.with_columns(pl.lit(sums[T].max(), pl.Int64).alias(T)), sums, keys)
    return _statistic(call, edges, sums, keys, *ranked(edges[VALUE]))


def _placed(edges: pl.DataFrame, sums: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The edges in the order of the positions that they are at."""
    edges = _numbered(edges, sums.select(*keys, K).unique(subset=K), keys)
    places = sums.select(K, T).with_row_index("@p")
    return edges.join(places, on=[K, T], how="inner").sort("@p")


def _numbered(edges: pl.DataFrame, groups: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The edges with the numbers of their groups."""
    if not keys:
        return edges.join(groups, how="cross")
    edges, names = with_join_columns(edges, keys)
    groups, _ = with_join_columns(groups, keys)
    return edges.join(groups.select(*names, K), on=names, how="inner", nulls_equal=True)


def remember_values(state: State, now: pl.DataFrame, former: pl.DataFrame, row: list[str]) -> None:
    """Update the number of copies of each value of a group; `former` are all values of these groups."""
    change = now.group_by(row).agg(pl.col(N).sum())
    old_numbers, numbers = number_keys([former, change], row)
    old = former.filter(pl.Series(member(old_numbers, numbers)))
    change = pl.concat([old.select(change.columns), change]).group_by(row).agg(pl.col(N).sum())
    state.add(VALUES, change.with_columns((pl.col(N) == 0).alias(GONE)), old.height)


def _statistic(
    call: Call, edges: pl.DataFrame, sums: pl.DataFrame, keys: Sequence[str], ranks: Ints, values: pl.Series
) -> pl.Series:
    return statistic(
        call, ranks, edges[N].to_numpy(), *_ranges(edges, sums), values, _shown(call, sums, keys)
    )


def _ranges(edges: pl.DataFrame, sums: pl.DataFrame) -> tuple[Ints, Ints]:
    """For each position, the range of the edges of its group up to then."""
    per_place = np.bincount(edges["@p"].to_numpy(), minlength=sums.height).astype(np.int64)
    end = np.cumsum(per_place)
    group = sums[K].to_numpy()
    is_first = np.concatenate([np.ones(min(1, len(group)), bool), group[1:] != group[:-1]])
    return np.maximum.accumulate(np.where(is_first, end - per_place, 0)), end


def _shown(call: Call, sums: pl.DataFrame, keys: Sequence[str]) -> Ints | None:
    """Where there is a group, for an aggregate that may fail for none; None for everywhere."""
    return (sums[ROWS] > 0).cast(pl.Int64).to_numpy() if call.user is not None and keys else None
