"""Skylines over time: when a member of a group is alive and no member that is alive then dominates it.

    b dominates a      a  [────────────────────)
                       b       [──────)
    a is best          [──)           [────────)

If the members of a group all live at the same times, these are the members of its skyline. Otherwise each
member loses the lifetimes of the members that dominate it. A member that is dominated for all its life by one
other is dropped first, in rounds as for a skyline, so that few are compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from slackwater.kernels.bestmatch.rounds import Ints
from slackwater.kernels.bestmatch.skyline import Dimension, skyline, starts, sums
from slackwater.kernels.overlaps import ranges

_ROUNDS = 16
"""How many of the best members of each group are compared with all others, before all are with all."""
_MOST_PAIRS = 1 << 22
"""About how many comparisons are made at a time."""


@dataclass(frozen=True, slots=True)
class Members:
    """Members of groups with their lifetimes [begin, end); a group's members are adjacent."""

    groups: Ints
    dimensions: tuple[Dimension, ...]
    begin: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, places: Ints) -> Members:
        dimensions = tuple(dimension[places] for dimension in self.dimensions)
        return Members(self.groups[places], dimensions, self.begin[places], self.end[places])


Pieces = tuple[Ints, Ints, Ints]
"""Places of members, and the begin and end of a time at which each is best; adjacent times are one."""


def best_times(members: Members) -> Pieces:
    """When each member is not dominated by any that is alive."""
    live = np.flatnonzero(members.begin < members.end)
    members = members[live]
    if _live_together(members):
        best = skyline(members.groups, members.dimensions)
        return live[best], members.begin[best], members.end[best]
    left = _not_outlived(members)
    places, begin, end = _uncovered(members[left])
    return live[left[places]], begin, end


def _live_together(members: Members) -> bool:
    """Whether the members of each group live at the same times."""
    same = members.groups[1:] == members.groups[:-1]
    times = (members.begin, members.end)
    return not any((same & (time[1:] != time[:-1])).any() for time in times)


def _not_outlived(members: Members) -> Ints:
    """The places of members, without some that one other member dominates for all their life."""
    places, left = np.arange(len(members)), members
    score = sums(members.dimensions)
    for _ in range(_ROUNDS):
        first = starts(left.groups)
        lengths = np.diff(np.append(first, len(left)))
        if lengths.max(initial=0) <= 1:
            break
        best = np.flatnonzero(score == np.repeat(np.minimum.reduceat(score, first), lengths))
        best = best[starts(left.groups[best])]
        score[best] = np.inf  # the next round takes another one
        other = np.repeat(best, lengths)
        covered = np.flatnonzero((left.begin[other] <= left.begin) & (left.end[other] >= left.end))
        stays = np.ones(len(left), np.bool_)
        stays[covered[_dominates(left, other[covered], covered)]] = False
        remaining = np.flatnonzero(stays)
        places, left, score = places[remaining], left[remaining], score[remaining]
    return places


def _dominates(members: Members, one: Ints, other: Ints) -> np.ndarray:
    """Whether one member is nowhere worse and somewhere better than the other, for places of both."""
    nowhere_worse = np.ones(len(other), np.bool_)
    better = np.zeros(len(other), np.bool_)
    for dimension in members.dimensions:
        mine, theirs = dimension[one], dimension[other]
        nowhere_worse &= mine <= theirs
        better |= mine < theirs
    return nowhere_worse & better


def _uncovered(members: Members) -> Pieces:
    """The parts of the lifetimes that no lifetime of a dominating member covers."""
    covered = [np.stack(part) for part in _covers(members)]
    places = np.arange(len(members))
    # A cover of no length at the end of each lifetime gives the last part.
    rows = np.concatenate([np.stack([places, members.end, members.end]), *covered], axis=1)
    instants = np.unique(np.concatenate([rows[1], rows[2], members.begin]))
    owner, begin, end = rows[0], np.searchsorted(instants, rows[1]), np.searchsorted(instants, rows[2])
    order = np.lexsort((end, begin, owner))
    owner, begin, end = owner[order], begin[order], end[order]
    # The largest end so far, of each member: members are numbered, so a later one's are larger.
    many = len(instants) + 1
    start = np.searchsorted(instants, members.begin)
    is_first = np.concatenate([[True], owner[1:] != owner[:-1]])[: len(owner)]
    reached = np.maximum.accumulate(owner * many + np.maximum(end, start[owner])) % many
    since = np.where(is_first, start[owner], np.concatenate([[0], reached[:-1]])[: len(owner)])
    gaps = np.flatnonzero(since < begin)
    return owner[gaps], instants[since[gaps]], instants[begin[gaps]]


def _covers(members: Members) -> Iterator[tuple[Ints, Ints, Ints]]:
    """For members, lifetimes of others of their group that dominate them, cut to their own."""
    first = starts(members.groups)
    lengths = np.diff(np.append(first, len(members)))
    begin, end = np.repeat(first, lengths), np.repeat(first + lengths, lengths)
    total = np.cumsum(end - begin)
    cuts = np.searchsorted(total, np.arange(_MOST_PAIRS, total[-1] if len(total) else 0, _MOST_PAIRS))
    bounds = [0, *np.unique(cuts + 1).tolist(), len(members)]
    for low, high in pairwise(bounds):
        number, other = ranges(begin[low:high], end[low:high])
        place = number + low
        since = np.maximum(members.begin[place], members.begin[other])
        until = np.minimum(members.end[place], members.end[other])
        meet = np.flatnonzero(since < until)
        place, other, since, until = place[meet], other[meet], since[meet], until[meet]
        hits = np.flatnonzero(_dominates(members, other, place))
        yield place[hits], since[hits], until[hits]


def concatenated(parts: Sequence[Members]) -> Members:
    """Members of several lists as one, with the members of each group adjacent, in order of the groups."""
    groups = np.concatenate([part.groups for part in parts])
    every = Members(
        groups,
        tuple(np.concatenate(values) for values in zip(*(part.dimensions for part in parts), strict=True)),
        np.concatenate([part.begin for part in parts]),
        np.concatenate([part.end for part in parts]),
    )
    return every[np.argsort(groups, kind="stable")]
