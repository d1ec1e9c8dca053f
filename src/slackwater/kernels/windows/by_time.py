"""Time windows: when a stream's elements are in the window. Only `@from` and `@to` change."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from slackwater.base.time import BEGIN, INFINITY
from slackwater.kernels.frames import FROM, TO
from slackwater.kernels.state import Retention, State

WAITING = "waiting"
STATE_LAYOUT = {WAITING: Retention(due=FROM)}


@dataclass(frozen=True, slots=True)
class Slide:
    """A range that moves at the multiples of a slide, from `begin` on."""

    duration: int
    slide: int
    begin: int = BEGIN


def range_window(state: State, stream: pl.DataFrame, window: Slide, lo: int, hi: int) -> pl.DataFrame:
    """An element stamped u is in the window from the first multiple of the slide at or after u until the
    one after the last multiple at or before u + duration, but not before the first slide is over.

    State: elements whose first multiple is in a later epoch.
    """
    duration, slide = window.duration, window.slide
    u = pl.col(FROM)
    if slide == 1:
        return stream.with_columns(moved(after(u, duration), 1).alias(TO))
    first = multiple(u, slide)
    start = pl.max_horizontal(first, pl.lit(window.begin + slide - 1, pl.Int64))
    until = after(u, duration)
    last = pl.when(until == INFINITY).then(INFINITY).otherwise(until // slide * slide)
    end = moved(last, slide)
    shown = stream.filter((last >= first) & (start < end)).with_columns(start.alias(FROM), end.alias(TO))
    return starting(state, shown, lo, hi)


def sliding_window(stream: pl.DataFrame, size: int) -> pl.DataFrame:
    """An element lives `size` instants."""
    return stream.with_columns(after(pl.col(FROM), size).alias(TO))


def fixed_window(stream: pl.DataFrame, size: int) -> pl.DataFrame:
    """An element lives until the next section of time begins."""
    return stream.with_columns(moved(pl.col(FROM) // size * size, size).alias(TO))


def since(stream: pl.DataFrame, begin: int) -> pl.DataFrame:
    """The elements from an instant on."""
    return stream.filter(pl.col(FROM) >= begin)


def starting(state: State, shown: pl.DataFrame, lo: int, hi: int) -> pl.DataFrame:
    """The elements that start in the epoch; later ones are added to the state."""
    ready = state.falling_due(WAITING, lo, hi)
    state.add(WAITING, shown.filter(pl.col(FROM) >= hi))
    now = shown.filter(pl.col(FROM) < hi)
    return now if ready is None else pl.concat([now, ready.select(now.columns)])


def after(instant: pl.Expr, duration: int) -> pl.Expr:
    """instant + duration, at most ∞."""
    if duration >= INFINITY:
        return pl.lit(INFINITY, pl.Int64)
    return moved(instant, duration)


def moved(instant: pl.Expr, chronons: int) -> pl.Expr:
    """instant + chronons, at most ∞; before the instant 0 there may be as many chronons as up to ∞."""
    return pl.when(instant > INFINITY - chronons).then(INFINITY).otherwise(instant + chronons)


def multiple(instant: pl.Expr, slide: int) -> pl.Expr:
    """The first multiple of the slide at or after the instant; ∞ where there is none."""
    below = instant // slide * slide
    return pl.when(below == instant).then(instant).otherwise(moved(below, slide))
