"""What is estimated of an operator, and the formulas that several operators share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

BYTE: Final = 0.005
"""The work of exchanging a byte: 40 bytes are sent in a fifth of the time of a sweep (decision 0037)."""
LOOK: Final = 0.05
"""The work of looking at an element, as a selection does, by that of ordering it into a group or a window."""
VALUES: Final = 3.0
"""The work of an aggregate that keeps the values of a group (MIN, MEDIAN), by that of one that keeps sums."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What leaves an operator, and what it does for that; rates are per chronon."""

    rate: float
    """Elements that begin."""
    ends: float
    """Rows that end. Elements carry their end if it is known when they begin, at no cost."""
    retracted: float
    """Rows that end by an element of their own, a retraction (Nile's negative tuple)."""
    alive: float
    """Rows at an instant."""
    distinct: Mapping[str, float]
    """Different values, by column."""
    width: float
    """Bytes of an element."""
    work: float = 0.0
    """Elements touched: taken, compared, expired or given."""
    weight: float = 1.0
    """What touching an element costs here."""
    state: float = 0.0
    """Elements that are kept."""
    state_bytes: float = 0.0
    moved: float = 0.0
    """Bytes of inputs that are exchanged, if they are not placed as needed already."""
    period: float = 1.0
    """How many chronons the instants are apart at which elements begin: more than 1 after a slide."""
    end_period: float = 1.0
    """How many chronons the instants are apart at which rows end."""
    is_default: bool = field(default=False, compare=False)
    """Whether it rests on defaults."""

    @property
    def elements(self) -> float:
        """All elements that leave."""
        return self.rate + self.retracted

    @property
    def flow(self) -> float:
        """Bytes that leave."""
        return self.elements * self.width

    @property
    def cost(self) -> float:
        """The work of the operator itself, by its weight, with that of exchanges."""
        return self.weight * self.work + BYTE * self.moved

    @property
    def future_ends(self) -> float:
        """Ends that elements carry, and that what counts them keeps until they come."""
        return self.alive * (1.0 - self.retracted / self.ends) if self.ends else 0.0

    def passing(self, work: float, **changes: Any) -> Estimate:
        """The same elements after an operator that keeps nothing and looks at each, but for changes."""
        return replace(self, work=work, weight=LOOK, state=0.0, state_bytes=0.0, moved=0.0, **changes)

    def plus(self, other: Estimate) -> Estimate:
        """This and another that has rows of the same columns."""
        return replace(
            self, rate=self.rate + other.rate, ends=self.ends + other.ends,
            retracted=self.retracted + other.retracted, alive=self.alive + other.alive,
            work=self.work + other.work, state=self.state + other.state,
            state_bytes=self.state_bytes + other.state_bytes, moved=self.moved + other.moved,
        )  # fmt: skip

    def distinct_of(self, name: str) -> float:
        return max(1.0, self.distinct.get(name, 1.0))


def occupied(values: float, draws: float) -> float:
    """How many of so many values occur among so many draws: v (1 - (1 - 1/v)^n).

    A. F. Cardenas: Analysis and performance of inverted data base structures, CACM 18 (5), 1975.
    """
    if values <= 1.0:
        return min(1.0, draws)
    return values * -math.expm1(draws * math.log1p(-1.0 / values))


def combinations(values: Iterable[float], most: float = 1e300) -> float:
    """How many combinations of values there are, up to a number."""
    product = 1.0
    for count in values:
        product = min(product * max(count, 1.0), most)
    return product
