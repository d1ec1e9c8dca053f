"""Values of subqueries as columns, joined to the rows they are evaluated for.

For a source R and a subquery Q, columns are joined to R that Q's value can be computed from:

    R ⟕ d (α …(D ⋉→ Q))      D the combinations of R's columns that Q looks at

`around` is the operator that Q stands in: new columns must not have the names of its columns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from slackwater.algebra import Aggregate, Distinct, Operator, OuterJoin, Product, Project, Side, Single
from slackwater.algebra.expressions import (
    Aggregation,
    Case,
    Column,
    Exists,
    Expression,
    Quantified,
    Scalar,
    column,
)
from slackwater.algebra.rows import renamed
from slackwater.algebra.types import BIGINT
from slackwater.optimize.build import (
    FALSE,
    TRUE,
    UNKNOWN,
    call,
    compared,
    counted,
    not_null,
    of_none,
    positive,
)
from slackwater.optimize.decorrelate.dependent_join import Domain, dependent, domain_of, seen
from slackwater.optimize.facts.columns import fresh
from slackwater.optimize.facts.failing import calls_user
from slackwater.optimize.facts.keys import has_one_row, keys
from slackwater.optimize.rebuild import columns_of, substituted, with_expressions, without_outer


class Valued(NamedTuple):
    """A plan with every row of the source, once, and further columns; and the value on such a row."""

    plan: Operator
    value: Expression


def exists_value(source: Operator, node: Exists, around: Operator) -> Valued:
    """Whether there is a row: a mark beside those d that have one, or a count of all rows."""
    mark = fresh("exists", around)
    domain = domain_of(source, node.plan, around)
    if domain is None:
        count = Aggregate(node.plan, (), ((mark, Aggregation(BIGINT, "count")),))
        return Valued(Product(source, count), positive(column(mark, BIGINT)))
    rows = Distinct(Project(dependent(domain, node.plan), columns_of(domain.schema)))
    marked = Project(rows, (*columns_of(domain.schema), (mark, TRUE)))
    return Valued(_beside(source, domain, marked), not_null(column(mark, TRUE.type)))


def quantified_value(source: Operator, node: Quantified, around: Operator) -> Valued:
    """x θ ANY Q from the rows of Q for which x θ y is true, and unknown; ALL from false, and unknown.

    Where Q has no rows there is nothing to join, the counts are NULL, and the last branch holds.
    """
    source, operands = _with_operands(source, node, around)
    names = (*(operand.name for operand in operands), *seen(source, node.plan))
    domain = Domain.of(source, tuple(dict.fromkeys(names)), (source, around), is_loose=False)
    plan, own = _with_fresh_names(node.plan, around)
    xs = [domain.values[operand.name] for operand in operands]
    holds = compared(node.comparison, xs, own)
    decides = counted(call("not", holds) if node.every else holds)
    some, open_ = (fresh(name, around) for name in ("decided", "unknown"))
    calls = ((some, decides), (open_, counted(call("is_null", holds))))
    answers = Aggregate(dependent(domain, plan), columns_of(domain.schema), calls)
    early, late = (FALSE, TRUE) if node.every else (TRUE, FALSE)
    branches = (
        (positive(column(some, BIGINT)), early),
        (positive(column(open_, BIGINT)), UNKNOWN),
    )
    return Valued(_beside(source, domain, answers), Case(node.type, branches, late))


def scalar_value(source: Operator, node: Scalar, around: Operator) -> Valued:
    """The one value of the one row, NULL of none."""
    if has_one_row(node.plan) and not seen(source, node.plan):
        plan, (value,) = _with_fresh_names(node.plan, around)
        return Valued(Product(source, plan), value)
    if isinstance(node.plan, Project) and _is_global(node.plan.source):
        return _aggregate_value(source, node.plan, around)
    plan, (value,) = _with_fresh_names(node.plan, around)
    domain = domain_of(source, plan, around)
    if domain is None:
        return Valued(OuterJoin(source, Single(plan, origin=node.origin), TRUE, Side.LEFT), value)
    rows = dependent(domain, plan)
    if not any(key <= set(domain.schema.names) for key in keys(rows)):
        # For values of d that no row has, Single must not fail.
        domain = replace(domain, is_loose=False)
        rows = Single(dependent(domain, plan), domain.schema.names, origin=node.origin)
    return Valued(_beside(source, domain, rows), value)


def _is_global(plan: Operator) -> bool:
    return isinstance(plan, Aggregate) and not plan.keys


def _aggregate_value(source: Operator, plan: Project, around: Operator) -> Valued:
    """Of no rows an aggregate is NULL, which is what the outer join gives it, or what `of_none` says."""
    aggregate = plan.source
    assert isinstance(aggregate, Aggregate)
    outside = {name: column(name, source.schema.type_of(name)) for name in seen(source, plan)}
    names = {name: fresh(name, around) for name, _ in aggregate.aggregations}
    size = fresh("rows of the group", around)
    values = {
        name: of_none(made, column(names[name], made.type), column(size, BIGINT))
        for name, made in aggregate.aggregations
    }
    value = without_outer(substituted(plan.columns[0][1], values), outside)
    calls = tuple((names[name], made) for name, made in aggregate.aggregations)
    if calls_user(aggregate):
        calls += ((size, Aggregation(BIGINT, "count")),)
    domain = domain_of(source, aggregate, around)
    if domain is None:
        return Valued(Product(source, replace(aggregate, aggregations=calls)), value)
    rows = dependent(domain, aggregate.source)
    grouped = replace(aggregate, source=rows, keys=columns_of(domain.schema), aggregations=calls)
    inside = with_expressions(grouped, lambda expr: without_outer(expr, domain.values))
    return Valued(_beside(source, domain, inside), value)


def _beside(source: Operator, domain: Domain, rows: Operator) -> Operator:
    return OuterJoin(source, rows, domain.joins(rows), Side.LEFT)


def _with_operands(source: Operator, node: Quantified, around: Operator) -> tuple[Operator, list[Column]]:
    """The source with a column for each operand that is not one."""
    columns: list[Column] = []
    added: list[tuple[str, Expression]] = []
    for number, operand in enumerate(node.operands, start=1):
        if isinstance(operand, Column):
            columns.append(operand)
        else:
            name = fresh(f"operand {number}", around)
            added.append((name, operand))
            columns.append(column(name, operand.type))
    if not added:
        return source, columns
    return Project(source, (*columns_of(source.schema), *added)), columns


def _with_fresh_names(plan: Operator, around: Operator) -> tuple[Operator, list[Expression]]:
    names = tuple(fresh(name, around) for name in plan.schema.names)
    return renamed(plan, names), [column(*pair) for pair in zip(names, plan.schema.types, strict=True)]
