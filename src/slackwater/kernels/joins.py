"""The join: pairs of rows that are alive at the same instant.      PIPES, algorithm 5

x  [────────)
y       [────────)        x ∘ y lives in the intersection, with n · m copies
x∘y     [───)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from slackwater.algebra.schema import Schema
from slackwater.kernels.closing import closes_at
from slackwater.kernels.frames import FROM, TO, N, concatenated, empty
from slackwater.kernels.keys import member, number_keys, with_join_columns
from slackwater.kernels.overlaps import Side, overlapping
from slackwater.kernels.state import Retention, State
from slackwater.kernels.sweep import stretches
from slackwater.physical.stages.plan import SIDES
from slackwater.physical.steps import Closing

LEFT, RIGHT = SIDES
UNTIL = "@until"
_OTHER = {name: f"{name}:right" for name in (FROM, TO, N)}
_CROWDED = 6
"""From so many pairs with equal keys per element on, pairs are searched by time first: at about six the two
ways cost the same (100,000 elements a side; at 32, time first is four times as fast)."""
_SAMPLE = 2048
"""How many rows of either side are sampled for that: of half a million a side, at the threshold, some
hundred pairs of the sample have equal keys."""


@dataclass(frozen=True, slots=True)
class On:
    """The join condition: equal columns (NULLs too if `null_safe`), and a predicate on the pair.

    `closing` is of one of the left columns: an element needs no partners that start then.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    null_safe: bool = False
    condition: pl.Expr | None = None
    closing: Closing | None = None

    def until(self, side: str) -> pl.Expr:
        """Until when an element of a side may have new partners."""
        if self.closing is None:
            return pl.col(TO)
        place = self.left.index(self.closing.column)
        column = (self.left if side == LEFT else self.right)[place]
        return pl.min_horizontal(pl.col(TO), closes_at(self.closing, column))


def state_layout(left: Sequence[str], right: Sequence[str], *, closes: bool = False) -> dict[str, Retention]:
    """The elements of both sides, looked up by the columns that are to be equal."""
    due = UNTIL if closes else TO
    return {
        LEFT: Retention(due=due, by=tuple(left), summed=N),
        RIGHT: Retention(due=due, by=tuple(right), summed=N),
    }


def join(state: State, left: pl.DataFrame, right: pl.DataFrame, on: On, lo: int, hi: int) -> pl.DataFrame:
    """Δ(L ⋈ R) = ΔL ⋈ (R + ΔR) + L ⋈ ΔR

    State: the elements of both sides that are still alive at hi and may have new partners. From then on only
    their ends matter, so equal ones are added up, and a row and its deletion cancel out.
    """
    old_left = _live(state.candidates(LEFT, right, on.right), left, lo)
    old_right = _live(state.candidates(RIGHT, left, on.left), right, lo)
    first = _pairs(left, closed(concatenated([right, old_right])), on)
    second = _pairs(old_left, right, on)
    for side, new in ((LEFT, left), (RIGHT, right)):
        if new.height:
            held = new if on.closing is None else new.with_columns(on.until(side).alias(UNTIL))
            state.add(side, held.filter(on.until(side) > hi).drop(FROM))
    return concatenated([first, second])


def closed(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows at the same times, without deletions: an element ends where its row is deleted.

    Left open, a row and its deletion would both be joined with every later element, only to cancel out.
    """
    if not frame.height or not (frame[N] < 0).any():
        return frame
    row = _row(frame)
    [numbers] = number_keys([frame], row)
    touched = member(numbers, numbers[(frame[N] < 0).to_numpy()])
    pieces = stretches(frame.filter(pl.Series(touched)), row)
    return pl.concat([frame.filter(pl.Series(~touched)), pieces.select(frame.columns)])


def _live(old: pl.DataFrame | None, like: pl.DataFrame, lo: int) -> pl.DataFrame:
    """Those of the old elements that are alive at lo; only their ends matter from then on."""
    if old is None:
        return like.clear()
    return old.filter(pl.col(TO) > lo).with_columns(pl.lit(lo, pl.Int64).alias(FROM)).select(like.columns)


def _pairs(left: pl.DataFrame, right: pl.DataFrame, on: On) -> pl.DataFrame:
    """The pairs that are alive together. Looked up by key, or by key and time where a key has many rows."""
    names = [*_row(left), *_row(right), FROM, TO, N]
    if not left.height or not right.height:
        return left.clear().select(_row(left)).hstack(right.clear().select(*_row(right), FROM, TO, N))
    renamed = right.rename(_OTHER)
    crowded = _candidates(left, right, on) > _CROWDED * (left.height + right.height)
    pairs = _by_time(left, renamed, on) if crowded else _by_key(left, renamed, on)
    pairs = pairs.with_columns(
        pl.max_horizontal(FROM, _OTHER[FROM]).alias(FROM),
        pl.min_horizontal(TO, _OTHER[TO]).alias(TO),
        pl.col(N) * pl.col(_OTHER[N]),
    ).filter(pl.col(FROM) < pl.col(TO))
    if on.condition is not None:
        pairs = pairs.filter(on.condition)
    return pairs.select(names)


def _candidates(left: pl.DataFrame, right: pl.DataFrame, on: On) -> float:
    """About how many pairs have equal keys, estimated from a sample of either side."""
    if not on.left or not left.height or not right.height:
        return left.height * right.height
    hashes, counts = zip(*(_sampled(left, on.left), _sampled(right, on.right)), strict=True)
    _, lefts, rights = np.intersect1d(*hashes, assume_unique=True, return_indices=True)
    equal = np.dot(counts[0][lefts], counts[1][rights])
    return float(equal * (left.height / counts[0].sum()) * (right.height / counts[1].sum()))


def _sampled(frame: pl.DataFrame, key: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The hashes of the keys of a sample, and the number of rows with each."""
    rows = _key(frame, key)
    if rows.height > _SAMPLE:
        # Drawn at random, not every n-th: keys may alternate.
        rows = rows[np.random.default_rng(0).integers(rows.height, size=_SAMPLE)]
    return np.unique(rows.hash_rows().to_numpy(), return_counts=True)


def _by_key(left: pl.DataFrame, other: pl.DataFrame, on: On) -> pl.DataFrame:
    if not on.left:
        return left.join(other, how="cross")
    left, lefts = with_join_columns(left, on.left)
    other, rights = with_join_columns(other, on.right)
    return left.join(
        other, left_on=lefts, right_on=rights, how="inner", coalesce=False,
        nulls_equal=on.null_safe, maintain_order="none", suffix=":other",
    )  # fmt: skip


def _by_time(left: pl.DataFrame, other: pl.DataFrame, on: On) -> pl.DataFrame:
    if on.left and not on.null_safe:
        left, other = left.drop_nulls(on.left), other.drop_nulls(on.right)
    if on.left:
        keys = [_key(left, on.left), _key(other, on.right)]
        numbers, others = number_keys(keys, keys[0].columns)
    else:
        numbers, others = number_keys([left, other], ())
    mine = Side(numbers, left[FROM].to_numpy(), left[TO].to_numpy())
    theirs = Side(others, other[_OTHER[FROM]].to_numpy(), other[_OTHER[TO]].to_numpy())
    lefts, rights = overlapping(mine, theirs)
    return pl.concat([left[lefts], other[rights]], how="horizontal")


def _key(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """A side's key under names that both sides share; a column may be in it twice, as in a = b AND a = c."""
    return frame.select(pl.col(name).alias(str(place)) for place, name in enumerate(columns))


def _row(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name not in (FROM, TO, N)]


def current_pairs(frames: Mapping[str, pl.DataFrame], on: On, schema: Schema, now: int) -> pl.DataFrame:
    """The pairs that are alive at `now`, from the state of the join."""
    if LEFT not in frames or RIGHT not in frames:
        return empty(schema)
    left, right = (frames[side].with_columns(pl.lit(now, pl.Int64).alias(FROM)) for side in SIDES)
    return _pairs(left.filter(pl.col(TO) > now), right.filter(pl.col(TO) > now), on)
