"""Window functions: conditions on the partition go below them, and conditions on a place bound them."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra import Operator, Over, Select
from slackwater.algebra.expressions import Call, Column, Expression, Literal, conjuncts
from slackwater.algebra.over import LIMITS
from slackwater.base.rules import rule
from slackwater.optimize.build import selected
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.failing import may_fail

_MIRRORED = {"le": "ge", "lt": "gt", "ge": "le", "gt": "lt", "eq": "eq"}


@rule
def push_select_below_over(plan: Select) -> Operator | None:
    """σ p (Over k o f R) = Over k o f (σ p R), if p is on k only and cannot fail

    A partition stays or goes as a whole. On any other column p would change the places of the rows
    that are left: of 1, 2 the row number of 2 is 2, but after σ (x > 1) it would be 1.
    """
    match plan:
        case Select(source=Over() as over) if over.partition:
            names = set(over.partition)
            parts = conjuncts(plan.predicate)
            below = [part for part in parts if columns(part) <= names and not may_fail(part)]
            if below:
                rest = [part for part in parts if part not in below]
                return selected(over.over(selected(over.source, below)), rest)
    return None


@rule
def limit_over(plan: Select) -> Operator | None:
    """σ (c ≤ n) (Over k o f R) = Over k o f limit (c, n) R, if c is a ROW_NUMBER or RANK and f looks back

    Only the first rows of a partition are ordered and shown. A call that looks at later rows (LEAD, a
    frame that ends behind the row) would miss them: there the condition stays above.
    """
    match plan:
        case Select(source=Over() as over) if all(call.looks_back for _, call in over.calls):
            parts = conjuncts(plan.predicate)
            for place, part in enumerate(parts):
                bound = _bound(part, over)
                if bound is not None and (over.limit is None or _is_within(bound, over.limit)):
                    rest = parts[:place] + parts[place + 1 :]
                    if not any(map(may_fail, rest)):
                        above = [part] if _is_equation(part) and bound[1] > 1 else []
                        if above and bound == over.limit:
                            return None
                        return selected(replace(over, limit=bound), [*above, *rest])
    return None


def _is_within(bound: tuple[str, int], limit: tuple[str, int]) -> bool:
    return bound[0] == limit[0] and bound[1] <= limit[1]


def _is_equation(part: Expression) -> bool:
    return isinstance(part, Call) and part.function == "eq"


def _bound(part: Expression, over: Over) -> tuple[str, int] | None:
    """The column and the greatest number, for c ≤ n, c < n, c = n and the same mirrored."""
    match part:
        case Call(function=name, arguments=(Column() as column, Literal(value=int() as most))):
            pass
        case Call(function=name, arguments=(Literal(value=int() as most), Column() as column)):
            name = _MIRRORED.get(name, "")
        case _:
            return None
    call = dict(over.calls).get(column.name)
    if getattr(call, "function", "") not in LIMITS or isinstance(most, bool):
        return None
    if name in ("le", "eq"):
        return column.name, most
    return (column.name, most - 1) if name == "lt" else None


RULES = (push_select_below_over, limit_over)
