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
from slackwater.kernels.patterns.program import Program, Take, search
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
    times: list[int]
    hi: int
    masks: dict[str, list[bool]] = field(default_factory=dict)
    """Which rows the plain conditions accept."""
    failing: list[int] = field(default_factory=list)
    """How many rows after a start show that it has no match; -1 where a search has to find out."""
    matches: list[tuple[int, Candidate]] = field(default_factory=list)

    def partition(self, begin: int, start: int, end: int, number: int) -> tuple[int, int]:
        """Search the rows [start, end) of a partition; the first start not decided, and the next number."""
        decided, failing = self.times[begin], self.failing
        while start < end:
            if (after := failing[start]) >= 0:
                decided = max(decided, self.times[start + after])
                start += 1
                continue
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
        return INFINITY if within >= INFINITY else min(self.times[start] + within - 1, INFINITY)

    def _match(self, begin: int, start: int, end: int, number: int) -> tuple[list[str] | None, int]:
        """The match from a start, if there is one, and when that is decided."""
        last, latest, times = self.last(start), self.times[start], self.times

        def accepts(variable: str, mapping: list[str]) -> bool:
            nonlocal latest
            place = start + len(mapping)
            if place >= end and self.hi <= last:
                raise Undecided
            if place >= end or times[place] > last:
                latest = last
                return False
            latest = max(latest, times[place])
            if (mask := self.masks.get(variable)) is not None:
                return mask[place]
            if (condition := self.matcher.conditions.get(variable)) is None:
                return True
            return self._accepts(condition, Candidate(begin, start, [*mapping, variable], number))

        forgets = self.matcher.plain.issuperset(self.matcher.conditions)
        return search(self.matcher.program, accepts, forgets=forgets), latest

    def _accepts(self, condition: Expression, candidate: Candidate) -> bool:
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
    times = frame[FROM].to_numpy()
    one = _Search(matcher, contexts_of(frame), times.tolist(), hi)
    is_before = frame[BEFORE].to_numpy()
    masks = {name: _mask(one.contexts, matcher, name, firsts) for name in matcher.plain}
    one.masks = {name: mask.tolist() for name, mask in masks.items()}
    one.failing = _failing(matcher, masks, times, firsts).tolist()
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
    context = contexts.at_each(firsts, [condition])
    mask = context.select(matcher.predicate(condition).fill_null(False).alias("@x"))["@x"].to_numpy()
    return np.broadcast_to(mask, (firsts[-1],))


def _failing(
    matcher: Matcher, masks: Mapping[str, NDArray[np.bool_]], times: NDArray[np.int64], firsts: list[int]
) -> NDArray[np.int64]:
    """For each start, after how many rows the variables that every match begins with fail; -1 if they do not.

    A row that is missing, or that is too late for the start, says nothing: the search decides then.
    """
    count = len(times)
    places = np.arange(count)
    ends = np.repeat(np.array(firsts[1:], np.int64), np.diff(firsts))
    result, is_open = np.full(count, -1), np.ones(count, np.bool_)
    for after, step in enumerate(matcher.program):
        if not isinstance(step, Take) or (step.variable in matcher.conditions and step.variable not in masks):
            break
        there = np.minimum(places + after, count - 1)
        # Compared as a difference: the end of time plus a duration has no room.
        is_open &= (places + after < ends) & (times[there] - times < matcher.within)
        if step.variable in masks:
            fails = is_open & ~masks[step.variable][there]
            result[fails] = after
            is_open &= ~fails
    return result


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
