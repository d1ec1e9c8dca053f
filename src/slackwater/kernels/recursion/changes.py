"""Recursion by changes: an epoch costs what it changes, however many instants it has and rows there are.

    UNION       1. what loses its last derivation from rows of earlier rounds goes, and so on
                2. of that, what has a derivation left comes back, with all that inputs gain
    UNION ALL   copies of a row in a round are a sum of products: changes of either sign pass through it

Both phases are rounds over lifetimes: rows that are new or removed, from when to when. A row is derived from
rows of rounds before its own, so that rows of a cycle do not support each other. In the first phase all
changes are negative, in the second positive, so that none hides another at the same instant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from slackwater.algebra.recursion import ITSELF
from slackwater.kernels.frames import FROM, TIMES, TO, N, concatenated
from slackwater.kernels.keys import member, number_keys
from slackwater.kernels.recursion.rounds import Derivations, Rounds, check
from slackwater.kernels.state import Retention, State
from slackwater.kernels.sweep import stretches
from slackwater.physical.lifetimes import ROUND

ROWS, LATER = "rows", "later"
_SUPPORT = "support"
_SLACK = 10_000
"""What is computed from a state is made anew when it was given so many rows more than twice the state's."""
_HAS, _CHANGE = "@has", "@change"
_IS_GONE = (pl.col(_HAS) > 0) & (pl.col(_CHANGE) < 0)
_IS_NEW = (pl.col(_HAS) == 0) & (pl.col(_CHANGE) > 0)
_IS_ALONE = (pl.col(_HAS) > 0) & (pl.col(_CHANGE) == 0)
_FIRST = pl.lit(0, pl.Int64).alias(ROUND)
_UNDERIVED = pl.lit(-1, pl.Int64).alias(ROUND)
_KEY = "@key"


def state_layout(count: int) -> dict[str, Retention]:
    """The elements of each input until they end, the rows of the recursion, and those that start later."""
    inputs = {input_frame(place): Retention(due=TO, by=(), summed=N) for place in range(count)}
    return {**inputs, ROWS: Retention(due=TO, by=(), summed=N), LATER: Retention(due=FROM)}


def input_frame(place: int) -> str:
    """The frame of a state that has the elements of an input."""
    return f"input {place}"


@dataclass(frozen=True, slots=True)
class Form:
    """A recursion: how to make its machine, the names of its inputs in a round, and its columns."""

    make: Callable[[], Rounds]
    names: Sequence[str]
    """Of what it starts with, then of the others."""
    distinct: bool
    row: tuple[str, ...]


@dataclass(slots=True)
class Known:
    """What is computed from a state, and found again from it: derivations, and rows by their values."""

    form: Form
    derivations: Derivations
    index: State
    """The rows with their lifetimes and, if anything was deleted since it was made, what supports them."""
    has_support: bool

    def rows(self, like: pl.DataFrame) -> pl.DataFrame:
        """At least the rows that are among these."""
        return self._matching(ROWS, like)

    def support(self, like: pl.DataFrame) -> pl.DataFrame:
        """At least the derivations of these rows, each with the last round of what it is derived from."""
        return self._matching(_SUPPORT, like)

    def _matching(self, name: str, like: pl.DataFrame) -> pl.DataFrame:
        candidates = self.index.candidates(name, like, self.form.row)
        if candidates is not None:
            return candidates
        return like.clear() if ROUND in like.columns else like.clear().with_columns(_FIRST)

    def add(self, change: pl.DataFrame) -> None:
        self._put(ROWS, change)

    def add_support(self, change: pl.DataFrame) -> None:
        if self.has_support:
            self._put(_SUPPORT, change)

    def _put(self, name: str, change: pl.DataFrame) -> None:
        self.index.add(name, change.select(*self.form.row, ROUND, *TIMES))
        self.index.changes.clear()


def recursion(state: State, inputs: Sequence[pl.DataFrame], form: Form, lo: int, hi: int) -> pl.DataFrame:
    """The changes of the recursion's rows in the epoch [lo, hi).

    State: the inputs' elements until they end; the rows until they end, and what starts after the epoch.
    """
    losses, gains = _signed(inputs) if form.distinct else ([], list(inputs))
    known = _known(state, inputs, form, loses=bool(losses), lo=lo)
    for place, frame in enumerate(inputs):
        state.add(input_frame(place), frame.filter(pl.col(TO) >= hi).drop(FROM))
    if form.distinct:
        lost = _lost(known, losses, lo) if losses else []
        parts = [*lost, *_gained(known, gains, lost)]
    else:
        parts = _all_rounds(known, gains)
    due = state.falling_due(LATER, lo, hi)
    none = inputs[0].clear().with_columns(_FIRST)
    changes = concatenated(_alike([none, *parts, *([] if due is None else [due])]))
    now = changes.filter(pl.col(FROM) < hi)
    state.add(LATER, changes.filter(pl.col(FROM) >= hi))
    state.add(ROWS, now.filter(pl.col(TO) >= hi).drop(FROM))
    state.memo = known
    return _shown(now.drop(ROUND), form.row, hi)


def _alike(frames: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """The frames with their columns in the same order."""
    return [frame.select(frames[0].columns) for frame in frames]


def _shown(changes: pl.DataFrame, row: Sequence[str], hi: int) -> pl.DataFrame:
    """The changes, added up by stretches of time, or, if one would start after the epoch, by lifetimes."""
    columns = changes.columns
    net = stretches(changes, row).select(columns)
    if (net[FROM] < hi).all():
        return net
    alike = [name for name in columns if name != N]
    return changes.group_by(alike).agg(pl.col(N).sum()).filter(pl.col(N) != 0).select(columns)


def _signed(inputs: Sequence[pl.DataFrame]) -> tuple[list[pl.DataFrame], list[pl.DataFrame]]:
    """What the inputs lose, if any does, and what they gain, at each instant."""
    if not any((frame[N] < 0).any() for frame in inputs):
        return [], list(inputs)
    nets = [stretches(frame, [name for name in frame.columns if name not in TIMES]) for frame in inputs]
    return [net.filter(pl.col(N) < 0) for net in nets], [net.filter(pl.col(N) > 0) for net in nets]


def _known(state: State, inputs: Sequence[pl.DataFrame], form: Form, *, loses: bool, lo: int) -> Known:
    """What is computed from the state before the epoch: as it is, or anew if that is missing or too large."""
    known, state.memo = state.memo, None
    supports = loses or (isinstance(known, Known) and known.has_support)
    if isinstance(known, Known) and known.has_support == supports:
        known.index.expire(lo)
        if known.derivations.rows <= 2 * state.rows + _SLACK:
            return known
    by_row = Retention(due=TO, by=form.row, summed=N)
    sources = [_stored(state, input_frame(place), frame, lo) for place, frame in enumerate(inputs)]
    rows = _stored(state, ROWS, inputs[0].clear().with_columns(_FIRST), lo)
    later = state.get(LATER)
    if later is not None:
        rows = concatenated(_alike([rows, later]))
    last = rows[ROUND].max()
    derivations = Derivations(form.make, 1 + last if isinstance(last, int) else 0)
    known = Known(form, derivations, State({ROWS: by_row, _SUPPORT: by_row}), supports)
    made = derivations.change({ITSELF: rows, **dict(zip(form.names[1:], sources[1:], strict=True))})
    if form.distinct:
        known.add(rows)
        known.add_support(concatenated(_alike([made, sources[0].with_columns(_UNDERIVED)])))
    return known


def _stored(state: State, name: str, like: pl.DataFrame, lo: int) -> pl.DataFrame:
    """The elements of a frame that are alive at lo."""
    old = state.get(name)
    if old is None:
        return like.clear()
    now = pl.lit(lo, pl.Int64).alias(FROM)
    return old.filter(pl.col(TO) > lo).with_columns(now).select(like.columns)


def _lost(known: Known, losses: Sequence[pl.DataFrame], lo: int) -> list[pl.DataFrame]:
    """Take from the rows what loses its last derivation from earlier rounds, by rounds."""
    lost, rounds = _derived(known, losses), list[pl.DataFrame]()
    while lost.height:
        known.add_support(lost)
        removed = _unsupported(known, lost, lo).with_columns(-pl.col(N))
        if not removed.height:
            break
        check(len(rounds))
        rounds.append(removed)
        known.add(removed)
        lost = known.derivations.change({ITSELF: removed})
    return rounds


def _unsupported(known: Known, lost: pl.DataFrame, lo: int) -> pl.DataFrame:
    """The rows among the lost that have no derivation from rows of rounds before their own, from lo on."""
    row = list(known.form.row)
    candidates = known.rows(lost)
    mine, sought = number_keys([candidates, lost], row)
    rows = stretches(candidates.filter(pl.Series(member(mine, sought))), [*row, ROUND])
    rows = rows.with_columns(pl.max_horizontal(FROM, lo)).filter(pl.col(FROM) < pl.col(TO))
    support = known.support(lost)
    mine, theirs = number_keys([rows, support], row)
    pairs = rows.with_columns(pl.Series(_KEY, mine)).join(
        support.select(ROUND, *TIMES).with_columns(pl.Series(_KEY, theirs)), on=_KEY, suffix=":other"
    )
    supported = pairs.filter(pl.col(f"{ROUND}:other") < pl.col(ROUND)).select(
        *row,
        ROUND,
        pl.max_horizontal(FROM, f"{FROM}:other").alias(FROM),
        pl.min_horizontal(TO, f"{TO}:other").alias(TO),
        pl.col(f"{N}:other").alias(N),
    )
    return _compared(rows, supported.filter(pl.col(FROM) < pl.col(TO)), _IS_ALONE)


def _gained(known: Known, gains: Sequence[pl.DataFrame], lost: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """Add to the rows what is derived with something new, or was lost and is derived otherwise, by rounds."""
    made, rounds = _derived(known, gains), list[pl.DataFrame]()
    known.add_support(made)
    made = made.drop(ROUND)
    if lost:
        removed = concatenated(lost).drop(ROUND)
        made = concatenated(_alike([made, _compared(known.support(removed), removed, _IS_GONE)]))
    while made.height:
        new = _compared(known.rows(made), made, _IS_NEW)
        if not new.height:
            break
        check(len(rounds))
        new = new.with_columns(pl.lit(known.derivations.number, pl.Int64).alias(ROUND))
        rounds.append(new)
        known.add(new)
        made = known.derivations.change({ITSELF: new})
        known.add_support(made)
        made = made.drop(ROUND)
    return rounds


def _derived(known: Known, changes: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The change of derivations with a change of the inputs; what the recursion starts with is one itself."""
    start, *others = changes
    made = known.derivations.change(dict(zip(known.form.names[1:], others, strict=True)))
    return concatenated(_alike([made, start.with_columns(_UNDERIVED)]))


def _compared(rows: pl.DataFrame, change: pl.DataFrame, value: pl.Expr) -> pl.DataFrame:
    """Where a value of the number of copies in `rows` and in `change` is true."""
    none = pl.lit(0, pl.Int64)
    sides = [
        change.with_columns(none.alias(_HAS), pl.col(N).alias(_CHANGE)),
        rows.with_columns(pl.col(N).alias(_HAS), none.alias(_CHANGE)),
    ]
    row = [name for name in change.columns if name not in TIMES]
    return stretches(concatenated(_alike(sides)), row, value.cast(pl.Int64), (_HAS, _CHANGE))


def _all_rounds(known: Known, changes: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """The changes of the rounds, each row with its round."""
    start, *others = changes
    rows = start.with_columns(_FIRST)
    rounds = [rows]
    made = known.derivations.change({ITSELF: rows, **dict(zip(known.form.names[1:], others, strict=True))})
    while made.height:
        rows = stretches(made, [*known.form.row, ROUND]).with_columns(pl.col(ROUND) + 1)
        if not rows.height:
            break
        check(len(rounds))
        rounds.append(rows.select(rounds[0].columns))
        made = known.derivations.change({ITSELF: rows})
    return rounds
