"""The dependent join D ⋉→ Q = [ d ∘ q | d ∈ D, q ∈ Q(d) ], pushed down until nothing depends.

Q(d) is a subquery for the values d of the enclosing row's columns that it looks at; D holds each
combination of such values once. Pushed through every operator, D arrives where Q no longer looks
outside, and is a product there (Neumann, Kemper: Unnesting Arbitrary Queries, 2015):

    D ⋉→ σ p R      = σ p (D ⋉→ R)
    D ⋉→ α g f R    = α (d, g) f (D ⋉→ R)
    D ⋉→ (R op S)   = (D ⋉→ R) op (D ⋉→ S), on equal d where op is a join
    D ⋉→ R          = D × R, if R looks at nothing outside

NULL is a value of d like any other: D holds it once, and rows meet where their d are not distinct. Only
k = d refuses it, so that under k rows with a NULL are left out. An aggregate without keys has a row also
for the d without rows: COUNT is 0 there, and every other function NULL.

Every operator treats the rows of one d by themselves, so rows for values of d that are not in D do no
harm: the result is joined with D's own rows. A *loose* domain uses that: where the subquery says k = d, the
rows of R under their own k stand for all of D ⋉→ σ (k = d) R.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from slackwater.algebra import (
    Aggregate,
    AntiJoin,
    Assign,
    BestMatch,
    Distinct,
    Group,
    Join,
    Operator,
    OuterJoin,
    Over,
    Product,
    Project,
    Schema,
    Select,
    SemiJoin,
    Sessions,
    Side,
    Single,
    Unnest,
)
from slackwater.algebra.bags import Counted
from slackwater.algebra.expressions import Aggregation, Call, Column, Expression, Outer, column, conjuncts
from slackwater.algebra.joins import Conditional
from slackwater.algebra.outer import outer_columns
from slackwater.algebra.types import BIGINT
from slackwater.base.diagnostic import Bug
from slackwater.optimize.bestmatch import as_joins
from slackwater.optimize.build import call, every, not_null, of_none, same, selected
from slackwater.optimize.facts.columns import fresh
from slackwater.optimize.facts.failing import calls_user, plan_may_fail
from slackwater.optimize.facts.nulls import never_null
from slackwater.optimize.rebuild import columns_of, only, with_expressions, without_outer


@dataclass(frozen=True)
class Domain:
    """D: the combinations of values that the enclosing rows have in some of their columns."""

    plan: Operator
    outer: tuple[str, ...]
    """What the columns of D are called in the enclosing row, in order."""
    is_loose: bool

    @staticmethod
    def of(source: Operator, names: tuple[str, ...], around: tuple[Operator, ...], is_loose: bool) -> Domain:
        """The domain of these columns of `source`, under names that no plan around uses."""
        pairs = ((fresh(f"outer {name}", *around), name) for name in names)
        values = tuple((own, column(name, source.schema.type_of(name))) for own, name in pairs)
        return Domain(Distinct(Project(source, values)), names, is_loose)

    @property
    def schema(self) -> Schema:
        return self.plan.schema

    @cached_property
    def values(self) -> dict[str, Expression]:
        """D's column for each column of the enclosing row."""
        return dict(zip(self.outer, (expr for _, expr in columns_of(self.schema)), strict=True))

    def is_seen_by(self, plan: Operator) -> bool:
        return not outer_columns(plan).isdisjoint(self.outer)

    def inside(self, plan: Operator) -> Operator:
        """The operator, with D's columns in its input, looking at them instead of outside."""
        return with_expressions(plan, lambda expr: without_outer(expr, self.values))

    def joins(self, right: Operator) -> Expression:
        """The condition that an enclosing row meets its own rows of D ⋉→ Q."""
        known = never_null(right)
        return every(
            call("eq" if own.name in known else "is_not_distinct_from", column(name, own.type), own)
            for name, own in self.values.items()
            if isinstance(own, Column)
        )


def dependent(domain: Domain, plan: Operator) -> Operator:
    """D ⋉→ Q: D's columns, then Q's."""
    if not domain.is_seen_by(plan):
        return Product(domain.plan, plan)
    match plan:
        case Select():
            return _by_equality(domain, plan) or domain.inside(plan.over(dependent(domain, plan.source)))
        case Group() | Distinct() | Unnest():
            return domain.inside(plan.over(dependent(domain, plan.source)))
        case Project():
            columns = (*columns_of(domain.schema), *plan.columns)
            return domain.inside(Project(dependent(domain, plan.source), columns, origin=plan.origin))
        case Assign():
            return domain.inside(replace(plan, source=dependent(domain, plan.source)))
        case Sessions():
            keys = tuple(expr for _, expr in columns_of(domain.schema))
            return domain.inside(replace(plan, source=dependent(domain, plan.source), keys=keys + plan.keys))
        case Single():
            return replace(plan, source=dependent(domain, plan.source), keys=domain.schema.names + plan.keys)
        case Aggregate():
            return _aggregate(domain, plan)
        case Over():
            partition = domain.schema.names + plan.partition
            return replace(plan, source=dependent(domain, plan.source), partition=partition)
        case Counted():
            return plan.over(dependent(domain, plan.left), dependent(domain, plan.right))
        case Product() | Join() | SemiJoin() | AntiJoin() | OuterJoin():
            return _join(domain, plan)
        case BestMatch():
            return dependent(domain, as_joins(plan))
        case _:
            raise Bug(f"{type(plan).__name__} cannot depend on a row outside")


def _by_equality(domain: Domain, plan: Select) -> Operator | None:
    """D ⋉→ σ (k = d ∧ p) R ⊆ π (k as d, R) (σ p R), and no more rows for any d of D."""
    if not domain.is_loose or domain.is_seen_by(plan.source):
        return None
    keys: dict[str, Column] = {}
    rest: list[Expression] = []
    for condition in conjuncts(plan.predicate):
        pair = _equated(condition)
        if pair is None or pair[0].name in keys or pair[0].name not in domain.values:
            rest.append(condition)
            continue
        keys[pair[0].name] = pair[1]
        if pair[2]:
            rest.append(not_null(pair[1]))
    if set(keys) != set(domain.outer):
        return None
    rows = selected(plan.source, (without_outer(condition, keys) for condition in rest))
    own = tuple(zip(domain.schema.names, (keys[name] for name in domain.outer), strict=True))
    return Project(rows, own + columns_of(plan.source.schema))


def _equated(condition: Expression) -> tuple[Outer, Column, bool] | None:
    """The two sides of d = k, and whether NULLs are not equal."""
    match condition:
        case (
            Call(function="eq" | "is_not_distinct_from", arguments=(Column() as k, Outer() as d))
            | Call(function="eq" | "is_not_distinct_from", arguments=(Outer() as d, Column() as k))
        ) if k.type == d.type:
            return d, k, condition.function == "eq"
    return None


def _aggregate(domain: Domain, plan: Aggregate) -> Operator:
    """A group for each d; without keys also for the d that have no rows: SQL's one row of none."""
    keys = (*columns_of(domain.schema), *plan.keys)
    size = fresh("rows of the group", domain.plan, plan)
    counted = ((size, Aggregation(BIGINT, "count")),) if calls_user(plan) and not plan.keys else ()
    source, calls = dependent(domain, plan.source), plan.aggregations + counted
    grouped = domain.inside(replace(plan, source=source, keys=keys, aggregations=calls))
    if plan.keys:
        return grouped
    right, met = _apart(domain, grouped)
    both = OuterJoin(domain.plan, right, met, Side.LEFT)
    values = (
        (name, of_none(made, column(name, made.type), column(size, BIGINT)))
        for name, made in plan.aggregations
    )
    return Project(both, (*columns_of(domain.schema), *values))


def _apart(domain: Domain, plan: Operator, *beside: Operator) -> tuple[Operator, Expression]:
    """D ⋉→ Q under other names for D's columns, and that they equal D's."""
    names = {name: fresh(name, domain.plan, plan, *beside) for name in domain.schema.names}
    columns = tuple((names.get(name, name), expr) for name, expr in columns_of(plan.schema))
    met = every(same(column(name, type_), column(names[name], type_)) for name, type_ in domain.schema)
    return Project(plan, columns), met


def _join(domain: Domain, plan: Product | Conditional) -> Operator:
    """D on the preserved side, and on the other one as well where that looks outside."""
    side = plan.side if isinstance(plan, OuterJoin) else None
    leading = Side.RIGHT if side is Side.RIGHT or _only_right(domain, plan) else Side.LEFT
    first, second = (plan.left, plan.right) if leading is Side.LEFT else (plan.right, plan.left)
    first = dependent(domain, first)
    met: Expression | None = None
    if side is Side.FULL or domain.is_seen_by(second):
        second, met = _apart(domain, dependent(domain, second), first)
    left, right = (first, second) if leading is Side.LEFT else (second, first)
    joined = domain.inside(_with_condition(plan.over(left, right), met))
    if side is Side.FULL and met is not None:
        return _either(domain, plan, joined, second)
    return only(joined, domain.schema + plan.schema)


def _only_right(domain: Domain, plan: Product | Conditional) -> bool:
    is_inner = isinstance(plan, Product | Join)
    return is_inner and domain.is_seen_by(plan.right) and not domain.is_seen_by(plan.left)


def _with_condition(plan: Product | Conditional, met: Expression | None) -> Operator:
    if met is None:
        return plan
    if isinstance(plan, Conditional):
        return replace(plan, on=every((met, *conjuncts(plan.on))))
    return Join(plan.left, plan.right, met)


def _either(domain: Domain, plan: Operator, joined: Operator, right: Operator) -> Operator:
    """Of a full join: d from whichever side has it."""
    own, other = columns_of(domain.schema), columns_of(right.schema)
    pairs = zip(own, other, strict=False)
    values = ((name, Call(expr.type, "coalesce", (expr, again))) for (name, expr), (_, again) in pairs)
    return Project(joined, (*values, *columns_of(plan.schema)))


def domain_of(source: Operator, query: Operator, around: Operator | None = None) -> Domain | None:
    """The domain of what the query looks at in rows of `source`; None if it looks at nothing there.

    It is loose if nothing in the query may fail for values that no row has.
    """
    names = seen(source, query)
    plans = (source, query) if around is None else (source, query, around)
    return Domain.of(source, names, plans, not plan_may_fail(query)) if names else None


def seen(source: Operator, query: Operator) -> tuple[str, ...]:
    """The columns of an enclosing row of `source` that the query looks at."""
    outer = outer_columns(query)
    return tuple(name for name in source.schema.names if name in outer)
