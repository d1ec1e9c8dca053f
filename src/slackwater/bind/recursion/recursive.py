"""Binding WITH RECURSIVE: the rows it starts with, and a round, whose sources become inputs.

WITH RECURSIVE r AS (SELECT a FROM s UNION SELECT e.b FROM r, e WHERE e.a = r.a)

Recursion
├─ Project s.a                               start
├─ Relation e                                source 0
└─ round: Project e.b over @recursive ⋈ @0   body
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.outer import outer_columns
from slackwater.algebra.recursion import ITSELF, Body, input_name, not_monotone, reads_itself
from slackwater.algebra.rows import renamed
from slackwater.algebra.schema import Schema
from slackwater.algebra.sources import Relation, Unit
from slackwater.algebra.types import Type, common
from slackwater.base.diagnostic import Diagnostic
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN, Binding
from slackwater.bind.expressions import Expressions
from slackwater.bind.recursion import problems
from slackwater.bind.scope import unique_names
from slackwater.bind.set_operations import cast_columns
from slackwater.optimize.rebuild import with_below

if TYPE_CHECKING:
    from slackwater.bind.query import Queries

_MOST_WIDENINGS = 50
"""A decimal has at most 38 digits, so that types stop widening before."""
_PLACES: dict[type[Operator], str] = {
    algebra.Aggregate: "an aggregate",
    algebra.OuterJoin: "the side of an outer join that is filled with NULLs",
    algebra.AntiJoin: "the right side of an anti-join",
    algebra.Except: "a query behind EXCEPT",
    algebra.StrictDifference: "a query behind EXCEPT",
    algebra.BestMatch: "a best-match join",
    algebra.DependentJoin: "a LATERAL query",
    algebra.Recursion: "another recursive query",
}


def is_recursive(definition: exp.CTE) -> bool:
    """Whether the query of a name in WITH reads that name."""
    name = definition.alias.lower()
    return any(table.name.lower() == name and not table.db for table in definition.this.find_all(exp.Table))


def needs_recursive(definition: exp.CTE, binding: Binding) -> Diagnostic:
    """A query of WITH that reads its own name, which only a recursive one does."""
    name = definition.alias
    tables = definition.this.find_all(exp.Table)
    itself = next(table for table in tables if table.name.lower() == name.lower())
    return problems.NEEDS_RECURSIVE.at(binding.span(itself), name=name)


def recursion(queries: Queries, definition: exp.CTE, outer: list[Expressions]) -> Operator:
    """The plan of a recursive query of WITH, with the columns that its name lists."""
    binding, query = queries.binding, definition.this
    name = definition.alias
    if not _has_form(query, definition, binding):
        return BROKEN
    columns = [column.name for column in definition.args["alias"].args.get("columns") or []]
    start = queries.with_columns(queries.relation(query.this, outer), columns, definition)
    if start is BROKEN:
        return BROKEN
    start = renamed(start, tuple(unique_names(list(start.schema.names))))
    types = _types(queries, query.expression, start, name, outer)
    itself = Relation(ITSELF, Schema(tuple(zip(start.schema.names, types, strict=True))), append_only=True)
    step = _step(queries, query.expression, itself, name, outer)
    if step is BROKEN or not _is_allowed(step, query, name, binding):
        return BROKEN
    start = cast_columns(start, start.schema.names, types)
    sources: dict[Operator, Relation] = {}
    body = _closed(cast_columns(step, start.schema.names, types), sources)
    span = binding.span(query.expression)
    if outer_columns(body) or outer_columns(start):
        what = "it uses columns of an enclosing query"
        binding.report(problems.RECURSIVE_FORM.at(span, name=name, what=what))
        return BROKEN
    distinct = bool(query.args.get("distinct"))
    return algebra.Recursion(start, tuple(sources), Body(body), distinct, origin=span)


def _has_form(query: exp.Expression, definition: exp.CTE, binding: Binding) -> bool:
    name = definition.alias
    what = ""
    if not isinstance(query, exp.Union) or type(query) is not exp.Union:
        what = "not a UNION"
    elif any(table.name.lower() == name.lower() for table in query.this.find_all(exp.Table)):
        what, query = "it reads itself before the last UNION", query.this
    elif any(query.args.get(clause) for clause in ("order", "limit", "offset")):
        what = "its UNION has ORDER BY, LIMIT or OFFSET"
    if what:
        binding.report(problems.RECURSIVE_FORM.at(binding.span(query), name=name, what=what))
    return not what


def _step(
    queries: Queries, query: exp.Expression, itself: Relation, name: str, outer: list[Expressions]
) -> Operator:
    """The plan of the part behind UNION, in which the name is the rows so far."""
    saved = dict(queries.local)
    queries.local[name.lower()] = itself
    plan = queries.relation(query, outer)
    queries.local = saved
    if plan is not BROKEN and len(plan.schema) != len(itself.schema):
        span, counts = queries.binding.span(query), (len(itself.schema), len(plan.schema))
        queries.binding.report(errors.column_counts("UNION", *counts, span))
        return BROKEN
    return plan


def _types(
    queries: Queries, query: exp.Expression, start: Operator, name: str, outer: list[Expressions]
) -> list[Type]:
    """Types in which both parts have room: that of `n + 1` may be wider than that of n."""
    types = list(start.schema.types)
    for _ in range(_MOST_WIDENINGS):
        itself = Relation(ITSELF, Schema(tuple(zip(start.schema.names, types, strict=True))))
        quiet = replace(queries, binding=Binding(queries.binding.text, queries.binding.catalog))
        step = _step(quiet, query, itself, name, outer)
        if quiet.binding.errors or step is BROKEN:
            break
        wider = [common(one, other) for one, other in zip(types, step.schema.types, strict=True)]
        for one, other, type_ in zip(types, step.schema.types, wider, strict=True):
            if type_ is None:
                span = queries.binding.span(query)
                queries.binding.report(
                    errors.type_mismatch("columns of UNION of the types", one, other, span)
                )
                return types
        if wider == types:
            break
        types = [type_ for type_ in wider if type_ is not None]
    return types


def _is_allowed(step: Operator, query: exp.Union, name: str, binding: Binding) -> bool:
    span = binding.span(query.expression)
    if wrong := not_monotone(step, ITSELF):
        is_subquery = any(reads_itself(subplan) for subplan in wrong.subplans)
        is_lateral = isinstance(wrong, algebra.DependentJoin)
        place = "a subquery of an expression" if is_subquery and not is_lateral else ""
        place = place or _PLACES.get(type(wrong), "a place where its rows are ordered, or become a stream")
        binding.report(problems.NOT_MONOTONE.at(wrong.origin or span, name=name, place=place))
        return False
    count = _readings(step)
    if count > 1 and not query.args.get("distinct"):
        binding.report(problems.NOT_LINEAR.at(span, name=name, count=count))
        return False
    return not binding.errors


def _readings(plan: Operator) -> int:
    """At how many places a plan reads the recursion's rows."""
    if isinstance(plan, Relation):
        return int(plan.name == ITSELF)
    return sum(_readings(source) for source in plan.inputs)


def _closed(plan: Operator, sources: dict[Operator, Relation]) -> Operator:
    """The plan over relations only: what does not read the recursion's rows becomes a source."""
    if isinstance(plan, Unit) or (isinstance(plan, Relation) and plan.name == ITSELF):
        return plan
    if not reads_itself(plan) and not outer_columns(plan):
        if plan not in sources:
            sources[plan] = Relation(input_name(len(sources)), plan.schema, append_only=True)
        return sources[plan]
    below = tuple(_closed(inner, sources) for inner in (*plan.inputs, *plan.subplans))
    return with_below(plan, below)
