"""Steps: the operations that kernels implement, a closed list.

A step takes frames of elements and returns one. `lower` translates every operator of the algebra to steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slackwater.algebra.bestmatch import Dimension
from slackwater.algebra.expressions import Aggregation, Expression
from slackwater.algebra.expressions.over import OverCall, SortKey
from slackwater.algebra.patterns import Pattern, Skip
from slackwater.algebra.patterns import Read as RowRead
from slackwater.algebra.points import Points
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import Type
from slackwater.base.span import Span
from slackwater.base.time import BEGIN, INFINITY

if TYPE_CHECKING:
    from slackwater.physical.graph import Node


@dataclass(frozen=True, slots=True)
class Step:
    """One thing a kernel does."""

    origin: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Closing:
    """When nothing changes any more: no element with a value v of the column starts or ends, or is taken
    back, at v + delay or later."""

    column: str
    delay: int


@dataclass(frozen=True, slots=True)
class Read(Step):
    """the elements that arrived from a source"""

    name: str
    schema: Schema
    is_changelog: bool = False
    """Whether they are records of changes instead: rows with an op, for `Apply`."""


@dataclass(frozen=True, slots=True)
class Apply(Step):
    """a relation's elements, from the records of its changes"""

    name: str
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Since(Step):
    """a stream's elements from an instant on, for a query that was added to a run"""

    begin: int


@dataclass(frozen=True, slots=True)
class AliveSince(Step):
    """a relation's elements from an instant on; those that are alive then start then"""

    begin: int


@dataclass(frozen=True, slots=True)
class Once(Step):
    """the empty row, from the beginning of time on"""

    begin: int = BEGIN


@dataclass(frozen=True, slots=True)
class Filter(Step):
    """the elements whose row the predicate accepts"""

    predicate: Expression


@dataclass(frozen=True, slots=True)
class Map(Step):
    """each element with another row in place of its own"""

    columns: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Unnest(Step):
    """an element for each element of an array in its row"""

    arrays: tuple[tuple[str, Expression], ...]
    """Each with the name of the column of its elements."""
    ordinal: str = ""
    """The column of positions, from 1 on, if it is not empty."""
    keeps: bool = False
    dropped: tuple[str, ...] = ()
    """Columns of the input that are left out."""
    fields: tuple[str, ...] = ()
    """The columns of the fields of the array's elements, in place of that of the elements."""


@dataclass(frozen=True, slots=True)
class RangeWindow(Step):
    """a stream's elements with the time they are shown: a range, from the multiples of a slide on"""

    duration: int
    slide: int = 1
    begin: int = BEGIN


@dataclass(frozen=True, slots=True)
class SlidingWindow(Step):
    """a stream's elements, each alive for so many instants"""

    size: int


@dataclass(frozen=True, slots=True)
class FixedWindow(Step):
    """a stream's elements, each alive until the next section of that size begins"""

    size: int


@dataclass(frozen=True, slots=True)
class RowWindow(Step):
    """the newest rows of each partition of a stream"""

    count: int
    slide: int = 1
    partition: tuple[str, ...] = ()
    within: int = INFINITY


@dataclass(frozen=True, slots=True)
class NestedRowWindows(Step):
    """the newest rows of each partition of a stream, for several windows; each with its window's number"""

    windows: tuple[tuple[int, int], ...]
    """The counts, each with the most time that a row is shown."""
    slide: int
    partition: tuple[str, ...]
    column: str


@dataclass(frozen=True, slots=True)
class SessionWindow(Step):
    """the rows of each partition of a stream since nothing came for more than the gap"""

    gap: int
    partition: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assign(Step):
    """each element in each window that the time of its row is in"""

    time: Expression
    size: int
    step: int
    offset: int
    cumulates: bool
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Sessions(Step):
    """each row with the session of its key that it is in, while that has the same start and end"""

    time: Expression
    gap: int
    keys: tuple[str, ...]
    start: str
    end: str
    """Empty where rows come in the order of their times, and only the start is needed: it never changes."""
    delay: int | None = None
    """A row comes less than so much after its time, if that is known, and never leaves."""


@dataclass(frozen=True, slots=True)
class Union(Step):
    """the elements of all inputs"""


@dataclass(frozen=True, slots=True)
class Negate(Step):
    """each element taken back: n becomes -n"""


@dataclass(frozen=True, slots=True)
class Join(Step):
    """pairs of rows alive at the same instant, equal in the keys, for which the condition holds"""

    left: tuple[str, ...]
    right: tuple[str, ...]
    null_safe: bool = False
    condition: Expression | None = None
    closing: Closing | None = None
    """Of one of the left columns; the right one that is equal to it closes as well."""


@dataclass(frozen=True, slots=True)
class BestMatch(Step):
    """pairs of rows alive at the same instant that no pair of the same left row dominates"""

    left: tuple[str, ...]
    right: tuple[str, ...]
    condition: Expression | None
    """Besides the keys; the bounds of dimensions are not in it."""
    dimensions: tuple[Dimension, ...]
    """All by a value, less or more of which is better."""


@dataclass(frozen=True, slots=True)
class Best(Step):
    """the rows of each group that no row of the group dominates"""

    group: tuple[str, ...]
    dimensions: tuple[Dimension, ...]
    """All by a value of the row; bounds do not matter."""


@dataclass(frozen=True, slots=True)
class Count(Step):
    """rows with a number of copies that depends on each side's: distinct, except, intersect, …"""

    copies: str
    closing: Closing | None = None


@dataclass(frozen=True, slots=True)
class AtMostOne(Step):
    """the same elements; an error of the data where a key has more than one row"""

    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aggregate(Step):
    """one row for each group"""

    keys: tuple[str, ...]
    calls: tuple[tuple[str, Aggregation], ...]
    """Arguments are columns of the input."""
    closing: Closing | None = None
    """Of one of the keys, or of a MAX of values that never leave."""


@dataclass(frozen=True, slots=True)
class Over(Step):
    """each row with values that depend on the rows of its partition"""

    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    calls: tuple[tuple[str, OverCall], ...]
    limit: tuple[str, int] | None = None
    closing: Closing | None = None
    """Of one of the columns of the partition."""


@dataclass(frozen=True, slots=True)
class Changed(Step):
    """the stream of inserted (1) or deleted (-1) rows, or of both (0), deleted ones with negative copies"""

    sign: int


@dataclass(frozen=True, slots=True)
class Repeat(Step):
    """the stream of every row at every instant"""


@dataclass(frozen=True, slots=True)
class Ticks(Step):
    """a stream with an element at each time point, from `begin` on"""

    points: Points
    begin: int = BEGIN


@dataclass(frozen=True, slots=True)
class Stamp(Step):
    """a stream's elements with their instants as a column"""

    column: str
    type: Type


@dataclass(frozen=True, slots=True)
class When(Step):
    """the elements, for as long as a condition on the last time point is true of their row"""

    predicate: Expression
    points: Points
    begin: int = BEGIN


@dataclass(frozen=True, slots=True)
class Synchronize(Step):
    """a relation's elements, each change at the next time point: of the set, or of the second input"""

    points: Points


@dataclass(frozen=True, slots=True)
class Recursion(Step):
    """what rounds of a graph make of the first input, over the others, until a round adds nothing"""

    body: tuple[Node, ...]
    """A round: its sources are called `ITSELF`, `START` and by the places of the other inputs."""
    distinct: bool
    grows: bool = False
    """Whether insertions into the inputs only insert rows."""
    derivation: tuple[Node, ...] = ()
    """The body over rows with lifetimes, if changes can be computed by it."""


@dataclass(frozen=True, slots=True)
class Recognize(Step):
    """the matches of a pattern over the rows of each partition, when they are decided"""

    partition: tuple[str, ...]
    pattern: Pattern
    reads: tuple[tuple[str, RowRead], ...]
    conditions: tuple[tuple[str, Expression], ...]
    plain: tuple[str, ...]
    """The variables whose conditions look at the row and at rows before it, and cannot fail."""
    measures: tuple[tuple[str, Expression], ...]
    skip: Skip
    target: str
    within: int


STEPS: tuple[type[Step], ...] = (
    Read, Apply, Since, AliveSince, Once, Filter, Map, Unnest, RangeWindow, SlidingWindow, FixedWindow,
    RowWindow, NestedRowWindows, SessionWindow, Assign, Sessions, Union, Negate, Join, BestMatch, Best, Count,
    AtMostOne, Aggregate, Over, Changed, Repeat, Ticks, Stamp, When, Synchronize, Recursion, Recognize,
)  # fmt: skip
"""Every step there is."""
