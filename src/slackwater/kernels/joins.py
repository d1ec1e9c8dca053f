"""The join: pairs of rows that are alive at the same instant.      PIPES, algorithm 5

x  [────────)
y       [────────)        x ∘ y lives in the intersection, n · m times
x∘y     [───)
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, N, concatenated
from slackwater.kernels.keys import joinable, member, numbered
from slackwater.kernels.state import Kept, State
from slackwater.kernels.sweep import K, T, edges_of, running

LEFT, RIGHT = "left", "right"
KEPT = {LEFT: Kept(due=TO), RIGHT: Kept(due=TO)}
_OTHER = {name: f"{name}:right" for name in (FROM, TO, N)}


@dataclass(frozen=True, slots=True)
class On:
    """What makes a pair: equal columns, NULLs equal too where asked, and a condition on the pair."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    null_safe: bool = False
    condition: pl.Expr | None = None


def joined(state: State, left: pl.DataFrame, right: pl.DataFrame, on: On, lo: int, hi: int) -> pl.DataFrame:
    """Δ(L ⋈ R) = ΔL ⋈ (R + ΔR) + L ⋈ ΔR

    Kept: the elements of both sides that are still alive at hi. What matters of them from then on is
    when they end, so equal ones are added up, and a row and its deletion cancel out.
    """
    old_left, old_right = _live(state, LEFT, left, lo), _live(state, RIGHT, right, lo)
    first = _pairs(left, closed(concatenated([right, old_right])), on)
    second = _pairs(old_left, right, on)
    _keep(state, LEFT, left, hi)
    _keep(state, RIGHT, right, hi)
    return concatenated([first, second])


def closed(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows at the same times, without deletions: each row's elements end where it goes.

    A row and its deletion, both open, would each meet everything that comes later, to cancel out.
    """
    if not frame.select((pl.col(N) < 0).any()).item():
        return frame
    row = _row(frame)
    [numbers] = numbered([frame], row)
    touched = member(numbers, numbers[(frame[N] < 0).to_numpy()])
    edges = edges_of(frame.filter(pl.Series(touched)), row, [N])
    [numbers] = numbered([edges], row)
    found = running(edges, numbers, row)
    end = pl.when(pl.col(K) == pl.col(K).shift(-1)).then(pl.col(T).shift(-1)).otherwise(INFINITY)
    pieces = found.select(*row, pl.col(T).alias(FROM), end.fill_null(INFINITY).alias(TO), N)
    return pl.concat([frame.filter(pl.Series(~touched)), pieces.filter(pl.col(N) != 0).select(frame.columns)])


def _live(state: State, side: str, like: pl.DataFrame, lo: int) -> pl.DataFrame:
    frame = state.get(side)
    if frame is None:
        return like.clear()
    return frame.filter(pl.col(TO) > lo).with_columns(pl.lit(lo, pl.Int64).alias(FROM)).select(like.columns)


def _keep(state: State, side: str, new: pl.DataFrame, hi: int) -> None:
    alive = new.filter(pl.col(TO) > hi).drop(FROM)
    state.add(side, alive)
    frame = state.get(side)
    if frame is not None and alive.height and _worth_adding_up(frame):
        row = [name for name in frame.columns if name != N]
        added = frame.group_by(row).agg(pl.col(N).sum()).filter(pl.col(N) != 0)
        state.replace(side, added.select(frame.columns))


def _worth_adding_up(frame: pl.DataFrame) -> bool:
    """Deletions pile up only where there are any, and adding up is paid for by what they are."""
    deletions = frame.select((pl.col(N) < 0).sum()).item()
    return bool(deletions * 4 > frame.height)


def _pairs(left: pl.DataFrame, right: pl.DataFrame, on: On) -> pl.DataFrame:
    names = [*_row(left), *_row(right), FROM, TO, N]
    other = right.rename(_OTHER)
    if on.left:
        left, lefts = joinable(left, on.left)
        other, rights = joinable(other, on.right)
        found = left.join(
            other, left_on=lefts, right_on=rights, how="inner", coalesce=False,
            nulls_equal=on.null_safe, maintain_order="none", suffix=":other",
        )  # fmt: skip
    else:
        found = left.join(other, how="cross")
    found = found.with_columns(
        pl.max_horizontal(FROM, _OTHER[FROM]).alias(FROM),
        pl.min_horizontal(TO, _OTHER[TO]).alias(TO),
        pl.col(N) * pl.col(_OTHER[N]),
    ).filter(pl.col(FROM) < pl.col(TO))
    if on.condition is not None:
        found = found.filter(on.condition)
    return found.select(names)


def _row(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name not in (FROM, TO, N)]
