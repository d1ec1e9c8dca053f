"""Expressions that bind variables: FLWOR with its clauses and windows, quantified expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias

from slackwater.language.xquery.syntax.bestmatch import BestMatch
from slackwater.language.xquery.syntax.nodes import Expr, Node
from slackwater.language.xquery.syntax.paths import SequenceType, Step


@dataclass(frozen=True, slots=True)
class CountWindow(Node):
    """`|count size step slide|`: windows of `size` items, each `slide` items after the one before."""

    size: int
    slide: int


@dataclass(frozen=True, slots=True)
class DiffWindow(Node):
    """`|reference diff size step slide|`: items whose reference differs by less than `size`."""

    reference: tuple[Step, ...]
    size: Decimal
    slide: Decimal


Window: TypeAlias = CountWindow | DiffWindow


@dataclass(frozen=True, slots=True)
class For(Node):
    """`for $variable at $at in source`, or over the windows of source."""

    variable: str
    source: Expr
    at: str | None = None
    window: Window | None = None
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class Let(Node):
    variable: str
    value: Expr
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class Where(Node):
    condition: Expr


@dataclass(frozen=True, slots=True)
class OrderKey(Node):
    """`key descending empty greatest`; `empty_greatest` is None where the query leaves it open."""

    key: Expr
    descending: bool = False
    empty_greatest: bool | None = None


@dataclass(frozen=True, slots=True)
class OrderBy(Node):
    keys: tuple[OrderKey, ...]
    stable: bool = False


Clause: TypeAlias = For | Let | Where | OrderBy | BestMatch


def best_match_at(clauses: Sequence[Clause]) -> int | None:
    """The place of the best-match join whose first loop is the first of the clauses.

    Its two loops have only `let` and `where` between them and before the join. Where only one of them is
    among the clauses, the other variable has a single item: see `rewrite.bestmatch`.
    """
    loops: list[str] = []
    for place, clause in enumerate(clauses):
        match clause:
            case For(variable, window=None):
                loops.append(variable)
            case Let() | Where() if place > 0:
                pass
            case BestMatch():
                joined = clause.variables.issuperset(loops) and len(loops) == len({*loops}) > 0
                return place if joined else None
            case _:
                return None
    return None


@dataclass(frozen=True, slots=True)
class Flwor(Expr):
    """Clauses in their order, the first a For or a Let; `for $a in x, $b in y` is two clauses."""

    clauses: tuple[Clause, ...]
    result: Expr

    def __post_init__(self) -> None:
        if not self.clauses or not isinstance(self.clauses[0], For | Let):
            raise ValueError("a FLWOR expression begins with for or let")


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """`$variable as type in source` of a quantified expression."""

    variable: str
    source: Expr
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class Quantified(Expr):
    kind: OneOf["some", "every"]
    bindings: tuple[Binding, ...]
    condition: Expr
