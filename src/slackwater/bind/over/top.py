"""The first rows of a relation: ORDER BY with LIMIT, OFFSET and FETCH, and DISTINCT ON, at every instant.

R ORDER BY o LIMIT n OFFSET m       σ (m < row_number ≤ m + n) (Over row_number o R)
R ORDER BY o FETCH n WITH TIES      σ (rank ≤ n) (Over rank o R)
R DISTINCT ON k ORDER BY o          σ (row_number ≤ 1) (Over row_number k o R)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Expression, Literal, column, conjunction
from slackwater.algebra.expressions.over import Placed, SortKey
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, BOOLEAN, UNKNOWN
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.nested.adapt import check_key
from slackwater.bind.over import problems
from slackwater.bind.over.calls import sort_key
from slackwater.bind.parameters.places import is_position
from slackwater.bind.scope import unique_names
from slackwater.language.cql import to_sql
from slackwater.optimize.rebuild import only

_NO_ORDER = "The answer is a bag of rows at every instant; it has no order."
_SORT_LATER = (
    "Add LIMIT to take the first rows at every instant, or remove ORDER BY and sort the answer when you read "
    "it: q.at(instant).to_polars().sort(…)."
)


class Limit(NamedTuple):
    """How many rows are skipped and taken; with ties, all rows that the order does not tell from the last."""

    offset: int = 0
    most: int | None = None
    ties: bool = False


@dataclass(slots=True)
class Outputs:
    """The columns of the select list, those that only the order needs, and which rows are taken."""

    names: Sequence[str]
    values: Sequence[Expression]
    bind: Callable[[exp.Expression], Expression]
    """Binds an expression over the columns that the select list is computed from."""
    binding: Binding
    is_distinct: bool = False
    hidden: dict[Expression, str] = field(default_factory=dict)
    order: tuple[SortKey, ...] = ()
    distinct_on: tuple[str, ...] | None = None
    limit: Limit | None = None

    @property
    def order_columns(self) -> tuple[tuple[str, Expression], ...]:
        """The columns that only the order needs."""
        return tuple((name, value) for value, name in self.hidden.items())

    def first_rows(self, plan: Operator, span: Span) -> Operator:
        """The rows that are taken of a plan with all columns, without those of the order."""
        if self.distinct_on is not None:
            plan = limited(plan, self.distinct_on, self.order, Limit(most=1), span)
        if self.limit is not None:
            plan = limited(plan, (), self.order, self.limit, span)
        pairs = zip(self.names, self.values, strict=True)
        return only(plan, Schema(tuple((name, value.type) for name, value in pairs)))

    def column(self, node: exp.Expression, clause: str) -> str | None:
        """The column that a term of ORDER BY or DISTINCT ON names or computes; None for an error."""
        if is_position(node, clause, self.binding):
            place = int(node.name)
            if 1 <= place <= len(self.names):
                return self.names[place - 1]
            span = self.binding.span(node)
            self.binding.report(errors.bad_ordinal(place, len(self.names), span, clause))
            return None
        if isinstance(node, exp.Column) and not node.table:
            for name, value in zip(self.names, self.values, strict=True):
                if name.lower() == node.name.lower():
                    check_key(value.type, self.binding.span(node), self.binding)
                    return name
        value = self.bind(node)
        check_key(value.type, self.binding.span(node), self.binding)
        if value.type is UNKNOWN:
            return None
        for name, selected in zip(self.names, self.values, strict=True):
            if selected == value:
                return name
        if value not in self.hidden:
            names = [*self.names, *self.hidden.values(), f"order {len(self.hidden) + 1}"]
            self.hidden[value] = unique_names(names)[-1]
        return self.hidden[value]

    def ordered(self, node: exp.Expression) -> None:
        """Add the columns of ORDER BY; all rows are taken, or those of DISTINCT ON or LIMIT."""
        ordered = node.args.get("order")
        if ordered is None:
            return
        if self.limit is None and self.distinct_on is None:
            span = self.binding.span(ordered)
            refusal = errors.unsupported_clause("ORDER BY without LIMIT", span, _NO_ORDER, _SORT_LATER)
            self.binding.report(refusal)
        pairs = [(self.column(term.this, "ORDER BY"), term) for term in ordered.expressions]
        if self.is_distinct and self.hidden:
            self.binding.report(problems.NOT_SELECTED.at(self.binding.span(ordered)))
        self.order = tuple(sort_key(name, term) for name, term in pairs if name is not None)


def outputs_of(
    node: exp.Expression,
    columns: Sequence[tuple[str, Expression]],
    bind: Callable[[exp.Expression], Expression],
    binding: Binding,
) -> Outputs:
    """The columns of a query, with those of its ORDER BY and DISTINCT ON, and its limit."""
    names = unique_names([name for name, _ in columns])
    outputs = Outputs(names, [value for _, value in columns], bind, binding)
    distinct = node.args.get("distinct") if isinstance(node, exp.Select) else None
    on = distinct.args.get("on") if isinstance(distinct, exp.Distinct) else None
    outputs.is_distinct = bool(distinct) and on is None
    for value in outputs.values if outputs.is_distinct else ():
        check_key(value.type, value.origin or binding.span(node), binding)
    outputs.limit = limit_of(node, binding)
    if on is not None:
        terms = on.expressions if isinstance(on, exp.Tuple) else [on]
        keys = [outputs.column(term, "DISTINCT ON") for term in terms]
        outputs.distinct_on = tuple(dict.fromkeys(name for name in keys if name is not None))
    outputs.ordered(node)
    return outputs


def limit_of(node: exp.Expression, binding: Binding) -> Limit | None:
    """LIMIT, OFFSET and FETCH of a query; None if it has none of them."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return None
    skipped = 0 if offset is None else _number(offset.expression, "OFFSET", binding)
    count, ties = (None, False) if limit is None else _count(limit, node, binding)
    for clause in (limit, offset):
        if clause is not None and clause.args.get("expressions"):
            what, hint = (
                "LIMIT … BY is not supported",
                "Write QUALIFY ROW_NUMBER() OVER (PARTITION BY …) <= n.",
            )
            binding.report(problems.LIMIT_FORM.at(binding.span(clause), what=what, instead=hint))
    return Limit(skipped, count, ties)


def _count(limit: exp.Expression, node: exp.Expression, binding: Binding) -> tuple[int | None, bool]:
    options = limit.args.get("limit_options")
    span = binding.span(limit)
    if options is not None and options.args.get("percent"):
        what, hint = "a share of the rows is not supported", "Use PERCENT_RANK or NTILE and QUALIFY."
        binding.report(problems.LIMIT_FORM.at(span, what=what, instead=hint))
    ties = options is not None and bool(options.args.get("with_ties"))
    if ties and node.args.get("order") is None:
        what, hint = "WITH TIES needs ORDER BY", "Add ORDER BY, or write ONLY."
        binding.report(problems.LIMIT_FORM.at(span, what=what, instead=hint))
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
        return (1 if count is None else _number(count, "FETCH FIRST", binding)), ties
    if isinstance(limit.expression, exp.Var) and limit.expression.name.upper() == "ALL":
        return None, False
    return _number(limit.expression, "LIMIT", binding), ties


def _number(node: exp.Expression, clause: str, binding: Binding) -> int:
    while isinstance(node, exp.Paren):
        node = node.this
    is_number = isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit()
    if is_number and int(node.name) < 2**31:
        return int(node.name)
    span = binding.span(node)
    binding.report(problems.BAD_LIMIT.at(span, clause=clause, what=to_sql(node)))
    return 0


def limited(
    plan: Operator, keys: tuple[str, ...], order: tuple[SortKey, ...], limit: Limit, span: Span
) -> Operator:
    """The rows of each key that are within the limit."""
    functions = [name for name in ("row_number", "rank") if _needs(limit, name)]
    if not functions:
        return plan
    names = unique_names([*plan.schema.names, *(f"{name}() OVER" for name in functions)])[len(plan.schema) :]
    calls = tuple((name, Placed(BIGINT, function)) for name, function in zip(names, functions, strict=True))
    columns = {call.function: column(name, BIGINT) for name, call in calls}
    conditions: list[Expression] = []
    if limit.offset:
        conditions.append(Call(BOOLEAN, "gt", (columns["row_number"], Literal(BIGINT, limit.offset))))
    if limit.most is not None:
        counted = columns["rank" if limit.ties else "row_number"]
        conditions.append(Call(BOOLEAN, "le", (counted, Literal(BIGINT, limit.offset + limit.most))))
    condition = conjunction(conditions)
    assert condition is not None
    placed = algebra.Over(plan, keys, order, calls, origin=span)
    return only(algebra.Select(placed, condition, origin=span), plan.schema)


def _needs(limit: Limit, function: str) -> bool:
    if function == "rank":
        return limit.ties
    return bool(limit.offset) or (limit.most is not None and not limit.ties)
