"""Windows: the part of a stream that is alive at an instant.

time    1   2   3   4   5   6      now = 6
events  a       b   c       d

Range 3        [b   c       d]     stamped in [3, 6]: CQL closes both ends
Sliding 3          [c       d]     stamped in (3, 6]: PIPES' element lives 3 instants
Fixed 4            [c       d]     stamped since the section [4, 8) began
Rows 2             [c       d]     the last two, however old
Session 1                  [d]     since nothing came for more than 1
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operator import Kind, Unary, demand, demand_kind, once
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT
from slackwater.base.time import INFINITY


@dataclass(frozen=True, slots=True)
class Range(Unary):
    """⟦ω r S⟧(t) = [ x | (x, u) ∈ S, t - r ≤ u ≤ t ]      CQL 6.1.1

    r = 0 is `Now`, r = ∞ is `Unbounded`. With a slide l > 1 (CQL 6.1.4) the window moves only at
    multiples of l: ⟦ω r l S⟧(t) = [ x | (x, u) ∈ S, s - r ≤ u ≤ s ], s = ⌊t / l⌋ · l, and nothing
    before t = l - 1.
    """

    duration: int
    slide: int = 1

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "Range")
        demand(self.duration >= 0, "a range is not negative")
        demand(self.slide >= 1, "a slide is positive")

    @property
    def is_now(self) -> bool:
        return self.duration == 0 and self.slide == 1

    @property
    def is_unbounded(self) -> bool:
        return self.duration >= INFINITY


@dataclass(frozen=True, slots=True)
class Sliding(Unary):
    """⟦ω w S⟧(t) = [ x | (x, u) ∈ S, t - w < u ≤ t ]      PIPES 3.2.9 (1)"""

    size: int

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "Sliding")
        demand(self.size >= 1, "a sliding window is not empty")


@dataclass(frozen=True, slots=True)
class Fixed(Unary):
    """⟦ω w S⟧(t) = [ x | (x, u) ∈ S, ⌊t / w⌋ · w ≤ u ≤ t ]      PIPES 3.2.9 (2)"""

    size: int

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "Fixed")
        demand(self.size >= 1, "a section is not empty")


@dataclass(frozen=True, slots=True)
class Rows(Unary):
    """⟦ω n S⟧(t) = the n newest rows of S up to t      CQL 6.1.2, 6.1.3

    Newer is later in time and, at one instant, greater as a row (NULL least, columns from left to
    right): a stream is a bag, so nothing else could break the tie the same way every time. With
    `partition` there is one such window for each combination of those columns' values. With a
    slide m it moves only when m further rows of the partition have come: of the first ⌊c / m⌋ · m
    of the c rows up to t, the newest n. `within` also requires t - within ≤ u.
    """

    count: int
    slide: int = 1
    partition: tuple[str, ...] = ()
    within: int = INFINITY

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "Rows")
        demand(self.count >= 1, "a row window holds a row")
        demand(self.slide >= 1, "a slide is positive")
        demand(self.within >= 0, "a range is not negative")
        demand(all(name in self.source.schema for name in self.partition), "partitions by its columns")


@dataclass(frozen=True, slots=True)
class Session(Unary):
    """⟦ω session g S⟧(t) = [ x | (x, u) ∈ S, u ≤ t, ∀ v ∈ [u, t]: ∃ (y, w) ∈ S: v - g ≤ w ≤ v ]

    The rows of the session that goes on at t: since the last instant at which nothing had come for more than
    the gap g. A session ends, and all its rows leave, where Range g of the stream becomes empty. With
    `partition` each combination of those columns' values has its own sessions.
    """

    gap: int
    partition: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "Session")
        demand(self.gap >= 0, "a gap is not negative")
        demand(all(name in self.source.schema for name in self.partition), "partitions by its columns")


@dataclass(frozen=True, slots=True)
class NestedRows(Unary):
    """⟦ω ⟨n₀ n₁ …⟩ S⟧(t) = ⊎ [ x ∘ i | x ∈ ⟦ω nᵢ S⟧(t) ]

    Several row windows over one stream, each row with the number of its window: ω nᵢ S = π (σ i (ω ⟨n⟩ S)).
    They have partition and slide in common, and each its own count and `within`. The rows of a shorter window
    are among those of a longer one, so that the rows of the longest are all that is kept.
    """

    windows: tuple[tuple[int, int], ...]
    """The counts, each with its `within`."""
    slide: int = 1
    partition: tuple[str, ...] = ()
    column: str = "window:"

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "NestedRows")
        demand(len(self.windows) > 0, "there is a row window")
        demand(self.column not in self.source.schema, "the number of a window is a new column")
        _ = self.rows  # each is a valid window

    @property
    @once
    def rows(self) -> tuple[Rows, ...]:
        """The windows one by one."""
        return tuple(Rows(self.source, n, self.slide, self.partition, within) for n, within in self.windows)

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema + Schema(((self.column, BIGINT),))
