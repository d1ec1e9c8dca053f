"""The best-match join of two loops (thesis, chapter 4).

    for $t in /w/temp for $h in /w/hum
    where $t left outer bestmatch join $h on (abs($t/@at - $h/@at)) min 10, ($t/tag, $h/tag) subset
    return …

For each tuple of the clauses before the first loop: a *pair* is a tuple of the two loops that all conditions
before the join let through, a *candidate* a pair that has a value within its bound in every dimension. A
candidate dominates another of its group if it is at least as good in every dimension and better in one; the
join passes the candidates that none of their group dominates, in the order of the loops.

    bestmatch join          one group
    left outer …            a group for each item of $t        best for its $t
    right outer …           a group for each item of $h        best for its $h
    full outer …            the candidates of either           best for its $t, or for its $h
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from slackwater.language.xquery.syntax.nodes import Expr, Node
from slackwater.language.xquery.syntax.paths import Variable

Kind: TypeAlias = OneOf["inner", "left", "right", "full"]

EXTREMES = ("min", "max")
"""Orders of numbers (type I in the thesis): the dimension has one expression, and may have a bound."""
SETS = ("subset", "superset")
"""Orders of sets (type II): the dimension has one expression for each side."""


@dataclass(frozen=True, slots=True)
class Dimension(Node):
    """`(values) order bound`; other orders than those above are functions of two pairs.

    The bound is the greatest value for `min`, the least for `max`.
    """

    values: tuple[Expr, ...]
    order: str
    bound: Expr | None = None


@dataclass(frozen=True, slots=True)
class BestMatch(Node):
    """`where $left … bestmatch join $right on dimensions`."""

    left: Variable
    right: Variable
    kind: Kind
    dimensions: tuple[Dimension, ...]

    @property
    def variables(self) -> frozenset[str]:
        return frozenset({self.left.name, self.right.name})

    @property
    def groups(self) -> tuple[Variable, ...]:
        """The variables whose items have a group each; none if all pairs are in one group."""
        match self.kind:
            case "inner":
                return ()
            case "left":
                return (self.left,)
            case "right":
                return (self.right,)
            case "full":
                return (self.left, self.right)
