"""The matches of a pattern in an epoch, partition by partition.

    rows of a partition    h  h │ s  x  x  x │ new rows
                        history │ start       not decided yet

State: the rows from the first start on that is not decided, and as many before it as PREV looks back. A start
is decided when its search ends without a row that may still come; WITHIN bounds how long that takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.algebra.expressions import Expression
from slackwater.algebra.patterns import Skip
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TIMES, TO, N, columns_of, concatenated
from slackwater.kernels.keys import number_keys
from slackwater.kernels.patterns.contexts import Candidate, Compiled, Contexts
from slackwater.kernels.patterns.program import Program, search
from slackwater.kernels.state import Retention, State

ROWS, NUMBERS = "rows", "numbers"
BEFORE, MATCHES = "@before", "@matches"


ContextsOf = Callable[[pl.DataFrame], Contexts]


class EndlessSkip(Exception):
    """After a match the search would find it again."""


class Undecided(Exception):
    """The search needs a row that may still come."""


def state_layout(partition: tuple[str, ...]) -> dict[str, Retention]:
    """The rows of starts that are not decided, and the number of matches of each partition."""
    return {ROWS: Retention(due=TO), NUMBERS: Retention(key=partition)}


@dataclass(frozen=True, slots=True)
class Matcher:
    """A pattern, compiled."""

    program: Program
    partition: tuple[str, ...]
    conditions: Mapping[str, Expression]
    plain: frozenset[str]
    """The variables whose conditions look at the row itself, and at rows before it, and cannot fail."""
    measures: tuple[tuple[str, Expression], ...]
    skip: Skip
    target: str
    within: int
    history: int
    counts: bool
    """Whether matches are numbered."""
    predicate: Compiled


@dataclass(slots=True)
class _Search:
    """The search in the rows of one epoch and of the state, sorted by partition and time."""

    matcher: Matcher
    contexts: Contexts
    times: NDArray[np.int64]
    hi: int
    masks: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    matches: list[tuple[int, Candidate]] = field(default_factory=list)

    def partition(self, begin: int, start: int, end: int, number: int) -> tuple[int, int]:
        """Search the rows [start, end) of a partition; the first start not decided, and the next number."""
        decided = int(self.times[begin])
        while start < end:
            try:
                mapping, at = self._match(begin, start, end, number)
            except Undecided:
                break
            decided = max(decided, at)
            if mapping is None:
                start += 1
                continue
            self.matches.append((decided, Candidate(begin, start, mapping, number)))
            start, number = start + self._skipped(mapping), number + 1
        return start, number

    def last(self, start: int) -> int:
        """The last instant of a row in a match from there; then it is decided."""
        within = self.matcher.within
        return INFINITY if within >= INFINITY else min(int(self.times[start]) + within - 1, INFINITY)

    def _match(self, begin: int, start: int, end: int, number: int) -> tuple[list[str] | None, int]:
        """The match from a start, if there is one, and when that is decided."""
        first = int(self.times[start])
        last = self.last(start)
        latest = first

        def accepts(variable: str, mapping: list[str]) -> bool:
            nonlocal latest
            place = start + len(mapping)
            if place >= end and self.hi <= last:
                raise Undecided
            if place >= end or self.times[place] > last:
                latest = last
                return False
            latest = max(latest, int(self.times[place]))
            return self._accepts(variable, Candidate(begin, start, [*mapping, variable], number), place)

        forgets = self.matcher.plain.issuperset(self.matcher.conditions)
        return search(self.matcher.program, accepts, forgets=forgets), latest

    def _accepts(self, variable: str, candidate: Candidate, place: int) -> bool:
        condition = self.matcher.conditions.get(variable)
        if condition is None:
            return True
        if variable in self.matcher.plain:
            return bool(self.masks[variable][place])
        context = self.contexts.of([candidate], [condition])
        return context.filter(self.matcher.predicate(condition)).height > 0

    def _skipped(self, mapping: list[str]) -> int:
        match self.matcher.skip:
            case Skip.PAST_LAST:
                return len(mapping)
            case Skip.TO_NEXT:
                return 1
        places = [at for at, name in enumerate(mapping) if name == self.matcher.target]
        at = (places[0] if self.matcher.skip is Skip.TO_FIRST else places[-1]) if places else 0
        if not at:
            raise EndlessSkip
        return at


def recognize(
    state: State, new: pl.DataFrame, matcher: Matcher, contexts_of: ContextsOf, lo: int, hi: int
) -> pl.DataFrame:
    """The matches that are decided in the epoch [lo, hi)."""
    frame, firsts = _in_order(state, new, matcher)
    numbers = _numbers(state, frame[firsts[:-1]], matcher)
    one = _Search(matcher, contexts_of(frame), frame[FROM].to_numpy(), hi)
    is_before = frame[BEFORE].to_numpy()
    for name in matcher.plain:
        one.masks[name] = _mask(one.contexts, matcher, name, firsts)
    stays = np.zeros(frame.height, np.bool_)
    before = np.zeros(frame.height, np.bool_)
    due = np.full(frame.height, INFINITY)
    for at, (begin, end) in enumerate(pairwise(firsts)):
        start = begin + int(is_before[begin:end].sum())
        start, numbers[at] = one.partition(begin, start, end, numbers[at])
        oldest = max(begin, start - matcher.history)
        stays[oldest:end], before[oldest:start] = True, True
        due[oldest:end] = one.last(start) if start < end else INFINITY
    rows = frame.with_columns(pl.Series(BEFORE, before), pl.Series(TO, due)).filter(pl.Series(stays))
    _store(state, rows, frame[firsts[:-1]], numbers, matcher)
    return _measured(one, frame, matcher)


def _in_order(state: State, new: pl.DataFrame, matcher: Matcher) -> tuple[pl.DataFrame, list[int]]:
    """The rows that are searched, each copy by itself, by partition and time, and where partitions begin."""
    copies = new[np.repeat(np.arange(new.height), new[N].to_numpy())].drop(N, TO)
    rows = copies.with_columns(pl.lit(False).alias(BEFORE))
    old = state.get(ROWS)
    if old is not None:
        rows = concatenated([old.select(rows.columns), rows])
    [numbers] = number_keys([rows], matcher.partition)
    own = [name for name in columns_of(rows) if name not in TIMES]
    rows = rows.with_columns(pl.Series("@k", numbers)).sort("@k", FROM, *own, nulls_last=False)
    keys = rows["@k"].to_numpy()
    firsts = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)] if len(keys) else [0]
    return rows.drop("@k"), firsts


def _numbers(state: State, parts: pl.DataFrame, matcher: Matcher) -> list[int]:
    """The number of the next match of each partition."""
    if not matcher.counts:
        return [1] * parts.height
    former = state.get(NUMBERS)
    if former is None:
        return [1] * parts.height
    if not matcher.partition:
        return [1 + int(former[MATCHES][0])] * parts.height
    known = parts.select(matcher.partition).join(
        former, on=list(matcher.partition), how="left", nulls_equal=True, maintain_order="left"
    )
    return [1 + (count or 0) for count in known[MATCHES].to_list()]


def _mask(contexts: Contexts, matcher: Matcher, variable: str, firsts: list[int]) -> NDArray[np.bool_]:
    """Which rows a condition accepts that looks at no other rows of the match."""
    condition = matcher.conditions[variable]
    ones = [
        Candidate(begin, place, [variable], 0)
        for begin, end in pairwise(firsts)
        for place in range(begin, end)
    ]
    context = contexts.of(ones, [condition])
    mask = context.select(matcher.predicate(condition).fill_null(False).alias("@x"))["@x"].to_numpy()
    return np.broadcast_to(mask, (len(ones),))


def _store(
    state: State, rows: pl.DataFrame, parts: pl.DataFrame, numbers: list[int], matcher: Matcher
) -> None:
    if rows.height or state.has(ROWS):
        state.replace(ROWS, rows)
    if matcher.counts and parts.height:
        counts = pl.Series(MATCHES, [number - 1 for number in numbers], pl.Int64)
        state.add(NUMBERS, pl.DataFrame([*parts.select(matcher.partition), counts]))


def _measured(one: _Search, frame: pl.DataFrame, matcher: Matcher) -> pl.DataFrame:
    """A row for each match."""
    candidates = [candidate for _, candidate in one.matches]
    exprs = [expr for _, expr in matcher.measures]
    context = one.contexts.of(candidates, exprs)
    own = frame[[candidate.start for candidate in candidates]].select(matcher.partition)
    values = context.select(
        *(one.contexts.column(expr).alias(name) for name, expr in matcher.measures),
        pl.col("@m"),
    ).drop("@m")
    stamps = pl.DataFrame(
        {FROM: [at for at, _ in one.matches], TO: [INFINITY] * len(candidates), N: [1] * len(candidates)},
        schema=dict.fromkeys(TIMES, pl.Int64()),
    )
    return pl.DataFrame([*own, *values, *stamps])
