"""PIVOT: aggregates of the rows of each value, side by side.

R PIVOT (f(x) FOR c IN (u, v))      γ keys, f(x) FILTER (WHERE c = u) AS u, f(x) FILTER (WHERE c = v) AS v (R)

The keys are the columns that neither the aggregates nor FOR name, or those of GROUP BY. NULL in the list is
the rows without a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra import Operator
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.functions import aggregate_call
from slackwater.bind.pivots import problems
from slackwater.language.cql import nodes
from slackwater.language.cql.pivots import value_name

if TYPE_CHECKING:
    from slackwater.bind.tables import Tables

_SOURCE = "@pivoted"


def pivoted(tables: Tables, node: nodes.Pivoted, source: Operator, alias: str) -> Operator:
    """The plan of PIVOT over a relation, which its expressions name by the alias."""
    queries = tables.queries
    if source is BROKEN or not _is_valid(node, queries.binding):
        return BROKEN
    keys = node.keys or _keys(node, source.schema.names)
    items = [*(key.copy() for key in keys), *_columns(node)]
    table = exp.Table(this=exp.to_identifier(_SOURCE, quoted=True))
    table.set("alias", exp.TableAlias(this=exp.to_identifier(alias or _SOURCE, quoted=True)))
    group = exp.Group(expressions=[key.copy() for key in keys]) if keys else None
    select = exp.Select(expressions=items, from_=exp.From(this=table), group=group)
    # The errors of what has no place of its own are at that of PIVOT.
    select.parent = node
    saved = dict(queries.local)
    queries.local[_SOURCE] = source
    plan = queries.query(select, tables.outer)
    queries.local = saved
    return plan


def _is_valid(node: nodes.Pivoted, binding: Binding) -> bool:
    """Whether aggregates and values are what they have to be; if not, that is reported."""
    before = len(binding.errors)
    for item in node.expressions:
        inner = item.unalias()
        if aggregate_call(inner.this if isinstance(inner, exp.Filter) else inner) is None:
            binding.report(problems.NOT_AN_AGGREGATE.at(binding.span(item)))
    for field in node.fields:
        count = len(_parts(field.this))
        for value in field.expressions:
            parts = _parts(value.unalias())
            if len(parts) != count or any(part.find(exp.Column, exp.Query) for part in parts):
                plural = "" if count == 1 else "s"
                wrong = problems.NOT_A_VALUE.at(binding.span(value), count=count if plural else "a", s=plural)
                binding.report(wrong)
    return len(binding.errors) == before


def _parts(node: exp.Expression) -> list[exp.Expression]:
    if isinstance(node, exp.Paren):
        return [node.this]
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def _keys(node: nodes.Pivoted, names: tuple[str, ...]) -> list[exp.Expression]:
    used = {
        column.name.lower()
        for part in (*node.expressions, *(field.this for field in node.fields))
        for column in part.find_all(exp.Column)
    }
    return [exp.Column(this=exp.to_identifier(n, quoted=True)) for n in names if n.lower() not in used]


def _columns(node: nodes.Pivoted) -> Iterator[exp.Expression]:
    """The aggregates of each value; with several of them, named by both, as in Spark."""
    for values in product(*(field.expressions for field in node.fields)):
        conditions = [
            exp.NullSafeEQ(this=column.copy(), expression=part.copy())
            for field, value in zip(node.fields, values, strict=True)
            for column, part in zip(_parts(field.this), _parts(value.unalias()), strict=True)
        ]
        name = "_".join(map(value_name, values))
        for item in node.expressions:
            full = name if len(node.expressions) == 1 else f"{name}_{_name_of(item)}"
            yield exp.Alias(
                this=_filtered(item.unalias(), conditions), alias=exp.to_identifier(full, quoted=True)
            )


def _name_of(item: exp.Expression) -> str:
    if item.alias:
        return str(item.alias)
    call = aggregate_call(item.this if isinstance(item, exp.Filter) else item)
    return call.name if call is not None else ""


def _filtered(aggregate: exp.Expression, conditions: Sequence[exp.Expression]) -> exp.Expression:
    own = [aggregate.expression.this.copy()] if isinstance(aggregate, exp.Filter) else []
    call = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    condition = exp.and_(*own, *(part.copy() for part in conditions), copy=False)
    return exp.Filter(this=call.copy(), expression=exp.Where(this=condition))
