"""A subquery's conditions on the row outside, pulled up into the condition of a join.

    EXISTS (π f (σ (p ∧ q) R)), p on both rows, q on R's     ⇝     R' = σ q R, condition p, values f

This is what most subqueries need: no domain, no second copy of the enclosing rows. It holds for
questions about existence only, since copies are not counted: δ falls away. Of a condition that is pulled up
only its truth matters: unknown is false there, as it is in WHERE. A comparison with all rows
(θ ALL) is therefore refuted by rows for which it is unknown, too: see `turn_all_into_anti_joins`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from slackwater.algebra import AntiJoin, Distinct, Join, Operator, Product, Project, Select, SemiJoin
from slackwater.algebra.expressions import Expression, Outer, changed, column, conjuncts
from slackwater.algebra.outer import outer_columns
from slackwater.algebra.rows import renamed
from slackwater.optimize.build import every, selected
from slackwater.optimize.decorrelate.dependent_join import dependent, domain_of
from slackwater.optimize.facts.columns import columns, fresh
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.rebuild import substituted


@dataclass(frozen=True, slots=True)
class Partner:
    """Rows that exist where the subquery has rows; the expressions are on an enclosing row and one."""

    plan: Operator
    conditions: tuple[Expression, ...]
    values: tuple[tuple[str, Expression], ...]
    """The subquery's columns."""


def partner(source: Operator, query: Operator) -> Partner:
    """The rows that a semi- or anti-join of `source` needs in place of the subquery."""
    pulling = _Pulling(source, query)
    return pulling.pulled(query) or pulling.of_domain()


@dataclass(frozen=True, slots=True)
class _Pulling:
    source: Operator
    query: Operator

    def of_domain(self) -> Partner:
        """The rows of D ⋉→ Q: for a subquery that aggregates or takes differences."""
        domain = domain_of(self.source, self.query)
        assert domain is not None
        own = self._with_own_names(dependent(domain, self.query))
        return replace(own, conditions=(domain.joins(own.plan),), values=own.values[len(domain.schema) :])

    def pulled(self, plan: Operator) -> Partner | None:
        if self._is_inside(plan):
            return self._with_own_names(plan)
        match plan:
            case Distinct():
                return self.pulled(plan.source)
            case Project():
                below = self.pulled(plan.source)
                return below and replace(
                    below, values=tuple((name, self._over(expr, below)) for name, expr in plan.columns)
                )
            case Select():
                below = self.pulled(plan.source)
                return below and self._narrowed(below, plan.predicate)
            case Product() | Join():
                return self._join(plan)
            case SemiJoin() | AntiJoin() if self._is_inside(plan.right):
                return self._half_join(plan)
            case _:
                return None

    def _is_inside(self, plan: Operator) -> bool:
        """Whether the plan looks at no column of the enclosing row."""
        return outer_columns(plan).isdisjoint(self.source.schema.names)

    def _with_own_names(self, plan: Operator) -> Partner:
        """The plan with columns that are not called as the enclosing row's: views repeat names."""
        outer = self.source.schema.names
        names = tuple(
            fresh(name, self.source, self.query) if name in outer else name for name in plan.schema.names
        )
        values = zip(plan.schema.names, map(column, names, plan.schema.types), strict=True)
        return Partner(renamed(plan, names), (), tuple(values))

    def _over(self, expr: Expression, below: Partner) -> Expression:
        """The expression on the pulled row and the enclosing one."""
        names = self.source.schema.names

        def enclosing(node: Expression) -> Expression | None:
            return column(node.name, node.type) if isinstance(node, Outer) and node.name in names else None

        return changed(substituted(expr, dict(below.values)), enclosing)

    def _narrowed(self, below: Partner, condition: Expression) -> Partner:
        """What of the condition is on the pulled rows alone selects them; the rest is pulled up.

        A condition that may fail is pulled up too: there it sees no rows that it did not see before.
        """
        inside: list[Expression] = []
        up: list[Expression] = []
        for part in conjuncts(condition):
            here = self._over(part, below)
            is_own = columns(here) <= set(below.plan.schema.names) and not may_fail(here)
            (inside if is_own else up).append(here)
        if isinstance(below.plan, Product) and inside:
            rows: Operator = Join(below.plan.left, below.plan.right, every(inside))
        else:
            rows = selected(below.plan, inside)
        return replace(below, plan=rows, conditions=(*below.conditions, *up))

    def _join(self, plan: Product | Join) -> Partner | None:
        left, right = self.pulled(plan.left), self.pulled(plan.right)
        if left is None or right is None or set(left.plan.schema.names) & set(right.plan.schema.names):
            return None
        rows = Product(left.plan, right.plan)
        both = Partner(rows, left.conditions + right.conditions, left.values + right.values)
        return self._narrowed(both, plan.on) if isinstance(plan, Join) else both

    def _half_join(self, plan: SemiJoin | AntiJoin) -> Partner | None:
        below = self.pulled(plan.left)
        if below is None:
            return None
        on = self._over(plan.on, below)
        if not columns(on) <= {*below.plan.schema.names, *plan.right.schema.names}:
            return None
        return replace(below, plan=replace(plan, left=below.plan, on=on))
