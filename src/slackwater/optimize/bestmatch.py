"""Best matches as joins: the candidates, without those that another one dominates.

R ⊠ S        =  C ▷ (c ~ c' ∧ c' ≺ c) C'        C = R ⋈ q S, C' = C under other names
R ⊠ full S   =  C - (C ⋉ (x = x' ∧ c' ≺ c) C' ⋉ (y = y' ∧ c' ≺ c) C')

Nested loops over pairs, and right for any order, at every instant and under retractions. Two rows of a side
are the same if they are equal in the columns that a condition or dimension looks at: these have the same
candidates, equally good.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra import AntiJoin, BestMatch, Except, Join, Operator, Project, SemiJoin, Side
from slackwater.algebra.expressions import Call, Expression, Literal, Preferred, column, conjunction
from slackwater.algebra.orders import MIN
from slackwater.algebra.types import BOOLEAN
from slackwater.optimize.facts.columns import columns


def as_joins(plan: BestMatch) -> Operator:
    """The best match by joins and an anti-join."""
    measured = _Measured(plan)
    match plan.side:
        case Side.FULL:
            left, right = (measured.dominated(side) for side in (plan.left, plan.right))
            worse = SemiJoin(SemiJoin(measured.pairs, *left), *right)
            best: Operator = Except(measured.pairs, worse)
        case Side.LEFT:
            best = AntiJoin(measured.pairs, *measured.dominated(plan.left))
        case Side.RIGHT:
            best = AntiJoin(measured.pairs, *measured.dominated(plan.right))
        case None:
            best = AntiJoin(measured.pairs, *measured.dominated(None))
    return Project(
        best, tuple((name, column(name, type_)) for name, type_ in plan.schema), origin=plan.origin
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """The candidates with the operands of their dimensions as columns."""

    plan: BestMatch

    @property
    def names(self) -> list[tuple[str, ...]]:
        """The columns of each dimension."""
        sizes = (len(dimension.operands) for dimension in self.plan.dimensions)
        return [tuple(f"{at}.{place}: dimension" for place in range(size)) for at, size in enumerate(sizes)]

    @property
    def pairs(self) -> Operator:
        plan = self.plan
        candidates = Join(plan.left, plan.right, plan.admits, origin=plan.origin)
        own = tuple((name, column(name, type_)) for name, type_ in plan.schema)
        operands = (operand for dimension in plan.dimensions for operand in dimension.operands)
        listed = (name for names in self.names for name in names)
        return Project(candidates, (*own, *zip(listed, operands, strict=True)))

    def dominated(self, side: Operator | None) -> tuple[Operator, Expression]:
        """The other candidates, and that one of them competes on that side and dominates."""
        pairs = self.pairs
        keys = [] if side is None else self._keys(side)
        shown = [*keys, *(name for names in self.names for name in names)]
        others = Project(pairs, tuple((_primed(name), self._column(name)) for name in shown))
        same = [
            Call(BOOLEAN, "is_not_distinct_from", (self._column(name), self._column(name, is_other=True)))
            for name in keys
        ]
        condition = conjunction([*same, *self._dominates])
        assert condition is not None
        return others, condition

    def _keys(self, side: Operator) -> list[str]:
        """The columns of a side that the candidates and their dimensions depend on."""
        seen = frozenset[str]().union(*map(columns, self.plan.expressions))
        return [name for name in side.schema.names if name in seen]

    @property
    def _dominates(self) -> list[Expression]:
        """c' ≺ c: in every dimension at least as good, and not the other way round."""
        forth = [self._at_least(at, from_other=True) for at in range(len(self.names))]
        back = conjunction([self._at_least(at, from_other=False) for at in range(len(self.names))])
        assert back is not None
        # NULL, not comparable, is not at least as good.
        worse = Call(BOOLEAN, "not", (Call(BOOLEAN, "coalesce", (back, Literal(BOOLEAN, False))),))
        return [*forth, worse]

    def _at_least(self, at: int, *, from_other: bool) -> Expression:
        """Whether the other candidate is at least as good as this one in a dimension; or this one as it."""
        one = [self._column(name, is_other=from_other) for name in self.names[at]]
        other = [self._column(name, is_other=not from_other) for name in self.names[at]]
        order, origin = self.plan.dimensions[at].order, self.plan.dimensions[at].operands[0].origin
        if order.is_total:
            return Call(BOOLEAN, "le" if order == MIN else "ge", (*one, *other))
        return Preferred(BOOLEAN, order, (*one, *other), origin=origin)

    def _column(self, name: str, *, is_other: bool = False) -> Expression:
        types = dict(self.plan.schema)
        for names, dimension in zip(self.names, self.plan.dimensions, strict=True):
            types |= dict(zip(names, (operand.type for operand in dimension.operands), strict=True))
        return column(_primed(name) if is_other else name, types[name])


def _primed(name: str) -> str:
    return f"{name}'"
