"""FOR SYSTEM_TIME AS OF: each row of a stream joins with the relation as of the row's time.

FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency

    ω (Rstream (ω now S ⋈ R)),      ⟦Rstream (ω now S ⋈ R)⟧ = [ (x ∘ y, u) | (x, u) ∈ S, y ∈ R(u), p(x ∘ y) ]

ω is the window of the stream. Later changes of the relation do not change the pairs.
"""

from __future__ import annotations

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import Column, Expression
from slackwater.algebra.monotonic import is_monotonic
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.time import INFINITY
from slackwater.bind.asof import problems
from slackwater.bind.asof.proctime import is_proctime
from slackwater.bind.catalog import Catalog, Source
from slackwater.bind.expressions import Expressions

Window = algebra.Range | algebra.Sliding | algebra.Fixed


def stream_of(plan: Operator) -> tuple[Operator, Window] | None:
    """The stream that a relation is a window of, and the window; None if it is no such relation.

    A relation that never loses a row is all of the stream of its rows.
    """
    match plan:
        case algebra.Range(slide=1) | algebra.Sliding() | algebra.Fixed():
            return plan.source, plan
        case algebra.Select() | algebra.Project() | algebra.Assign() if not plan.subplans:
            below = stream_of(plan.source)
            return None if below is None else (plan.over(below[0]), below[1])
        case _ if plan.kind is Kind.RELATION and is_monotonic(plan):
            stream = algebra.Istream(plan, origin=plan.origin)
            return stream, algebra.Range(stream, INFINITY, origin=plan.origin)
    return None


def wrong_time(node: exp.Expression, stream: Operator, binder: Expressions) -> Diagnostic | None:
    """The error of an AS OF whose time is not that of the stream's row; None if it is."""
    if is_proctime(node):
        return None
    value, span = binder.bind(node), binder.binding.span(node)
    if isinstance(value, Column) and is_its_time(stream, value.name, binder.binding.catalog):
        return None
    return problems.NOT_ITS_TIME.at(span)


def is_its_time(plan: Operator, name: str, catalog: Catalog) -> bool:
    """Whether each row comes at the instant in the column."""
    match plan:
        case algebra.Stream():
            entry = catalog.get(plan.name)
            time = entry.time if isinstance(entry, Source) else None
            return time is not None and time.lower() == name.lower()
        case algebra.Stamp() if name == plan.column:
            return True
        case algebra.Project():
            value: Expression = dict(plan.columns)[name]
            return isinstance(value, Column) and is_its_time(plan.source, value.name, catalog)
        case algebra.Join() | algebra.OuterJoin() | algebra.Product():
            return name in plan.left.schema and is_its_time(plan.left, name, catalog)
        case (
            algebra.Stamp()
            | algebra.Select()
            | algebra.Assign()
            | algebra.Range(slide=1)
            | algebra.Sliding()
            | algebra.Fixed()
            | algebra.Istream()
        ):
            return name in plan.inputs[0].schema and is_its_time(plan.inputs[0], name, catalog)
        case algebra.Rstream(source=algebra.Join() | algebra.OuterJoin() as pairs):
            # Rows of a stream at their own instants, with what they met there.
            now = isinstance(pairs.left, algebra.Range) and pairs.left.is_now
            return now and is_its_time(pairs, name, catalog)
    return False
