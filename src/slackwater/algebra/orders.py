"""Orders of pairs: when one pair of values matches at least as well as another.      thesis 4.2.1

    MIN, MAX             of one value of each pair: type I, a total order
    subset, superset     of two sets of each pair, r and s: type II, a partial order
    of a user            a Python function over four columns, found by its import path

An order is reflexive and transitive. Of two pairs neither may be at least as good as the other: they are not
comparable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Order:
    """An order by its name; that of a user has the import path of its function, `module:function`."""

    name: str
    path: str = ""

    @property
    def is_total(self) -> bool:
        """Whether it orders pairs by one value."""
        return self in (MIN, MAX)

    def __str__(self) -> str:
        return self.name.upper() if self.is_total else self.name


MIN: Final = Order("min")
"""(r, s) ≤ (r', s') ⇔ f(r, s) ≤ f(r', s')"""
MAX: Final = Order("max")
"""(r, s) ≤ (r', s') ⇔ f(r, s) ≥ f(r', s')"""
SUBSET: Final = Order("subset")
"""(r, s) ≤ (r', s') ⇔ r' ∩ s' ⊆ r ∩ s      thesis, definition 4.2.2"""
SUPERSET: Final = Order("superset")
"""(r, s) ≤ (r', s') ⇔ r ∩ s ⊆ r' ∩ s'"""
ORDERS: Final = {order.name: order for order in (MIN, MAX, SUBSET, SUPERSET)}
