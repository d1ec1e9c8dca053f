"""ASOF joins: of each left row the nearest row on the right that is not after it, or not before it.

trades AS a ASOF JOIN quotes AS b MATCH_CONDITION (a.ts >= b.ts) ON a.symbol = b.symbol
trades AS a ASOF LEFT JOIN quotes AS b ON a.symbol = b.symbol AND a.ts >= b.ts

    R ⊠ left (S ▷ S),      by the dimension s.t MAX (or MIN for <= and <), among the pairs of the condition

The anti-join leaves, of rows of S that are equal in keys and time, the greatest, so that each row of R has
at most one partner. Other systems take any of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from slackwater import algebra
from slackwater.algebra import BestMatch, Dimension, Operator, Side
from slackwater.algebra.expressions import (
    Call,
    Cast,
    Column,
    Expression,
    Literal,
    column,
    conjunction,
    conjuncts,
)
from slackwater.algebra.orders import MAX, MIN
from slackwater.algebra.rows import renamed
from slackwater.algebra.types import BOOLEAN
from slackwater.base.span import Span
from slackwater.bind.asof import problems
from slackwater.bind.bestmatch.join import with_unmatched
from slackwater.bind.binding import Binding
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.keys import is_distinct, keys
from slackwater.optimize.rebuild import substituted

_MIRRORED = {"ge": "le", "gt": "lt", "le": "ge", "lt": "gt"}


class Nearest(NamedTuple):
    """The condition of an ASOF join: the comparison of times, equations, and conditions on one side."""

    comparison: Call
    time: Expression
    """The time of the right row."""
    is_latest: bool
    equal: tuple[Expression, ...]
    """The values of the right row that equal one of the left."""
    rest: tuple[Expression, ...]
    """The equations, and conditions on left rows."""
    own: tuple[Expression, ...]
    """Conditions on right rows."""


def nearest_of(
    match: Expression | None,
    on: Expression | None,
    left: Operator,
    right: Operator,
    binding: Binding,
    span: Span,
) -> Nearest | None:
    """The condition of an ASOF join of two relations; None for errors, which are reported."""
    here, there = set(left.schema.names), set(right.schema.names)
    comparisons = [] if match is None else [match]
    equal: list[Expression] = []
    rest: list[Expression] = []
    own: list[Expression] = []
    for part in [] if on is None else conjuncts(on):
        used = columns(part)
        sides = _sides(part, here, there)
        if used <= there and used:
            own.append(part)
        elif used <= here:
            rest.append(part)
        elif sides is not None and sides[0] == "eq":
            rest.append(part)
            equal.append(sides[2])
        elif match is None and sides is not None:
            comparisons.append(part)
        else:
            binding.report(problems.NOT_AN_EQUATION.at(part.origin or span))
            return None
    if len(comparisons) != 1:
        where = comparisons[1].origin or span if comparisons else span
        two, none = problems.TWO_INEQUALITIES.at(where), problems.NO_INEQUALITY.at(where)
        binding.report(two if comparisons else none)
        return None
    (comparison,) = comparisons
    sides = _sides(comparison, here, there)
    if sides is None or sides[0] == "eq" or not isinstance(comparison, Call):
        binding.report(problems.NO_INEQUALITY.at(comparison.origin or span))
        return None
    is_latest = sides[0] in ("ge", "gt")
    return Nearest(comparison, sides[2], is_latest, tuple(equal), tuple(rest), tuple(own))


def _sides(part: Expression, here: set[str], there: set[str]) -> tuple[str, Expression, Expression] | None:
    """A comparison as one of a value of the left row with one of the right."""
    match part:
        case Call(function="eq" | "ge" | "gt" | "le" | "lt" as function, arguments=(one, other)):
            seen = columns(one), columns(other)
            if seen[0] and seen[1] and seen[0] <= here and seen[1] <= there:
                return function, one, other
            if seen[0] and seen[1] and seen[0] <= there and seen[1] <= here:
                return _MIRRORED.get(function, function), other, one
    return None


def nearest_join(left: Operator, right: Operator, match: Nearest, keeps: bool, span: Span) -> Operator:
    """The left rows with their nearest partners; with `keeps` those without one, too."""
    condition = conjunction(list(match.own))
    rows = right if condition is None else algebra.Select(right, condition, origin=span)
    rows = without_ties(rows, (*match.equal, match.time))
    dimension = Dimension((match.time,), MAX if match.is_latest else MIN)
    on = conjunction([*match.rest, match.comparison]) or Literal(BOOLEAN, True)
    plan = BestMatch(left, rows, on, (dimension,), Side.LEFT, origin=span)
    return with_unmatched(plan, left, rows) if keeps else plan


def without_ties(rows: Operator, by: tuple[Expression, ...]) -> Operator:
    """Of rows that agree in these values the greatest, by the columns from left to right, NULL least.

    Rows in which one of the values is NULL stay as they are.
    """
    rows = rows if is_distinct(rows) else algebra.Distinct(rows, origin=rows.origin)
    plain = {value.name for value in map(_uncast, by) if isinstance(value, Column)}
    if any(key <= plain for key in keys(rows)):
        return rows
    others = {name: f"other {name}" for name in rows.schema.names}
    renaming = {name: column(others[name], type_) for name, type_ in rows.schema}
    rival = renamed(rows, tuple(others.values()))
    same = [Call(BOOLEAN, "eq", (value, substituted(value, dict(renaming)))) for value in by]
    pairs = ((column(name, type_), renaming[name]) for name, type_ in rows.schema if name not in plain)
    on = conjunction([*same, _greater(pairs)])
    assert on is not None
    return algebra.AntiJoin(rows, rival, on, origin=rows.origin)


def _uncast(value: Expression) -> Expression:
    """The value without a cast between types of integers, which keeps values apart."""
    if isinstance(value, Cast) and value.type.is_integer and value.operand.type.is_integer:
        return value.operand
    return value


def _greater(pairs: Iterable[tuple[Expression, Expression]]) -> Expression:
    """Whether the second row is greater: in the first column in which the two differ; NULL is least."""
    result: Expression = Literal(BOOLEAN, False)
    for one, other in reversed(list(pairs)):
        is_null = Call(BOOLEAN, "is_null", (one,))
        is_value = Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (other,)),))
        later = Call(BOOLEAN, "gt", (other, one))
        is_more = Call(BOOLEAN, "or", (Call(BOOLEAN, "and", (is_null, is_value)), later))
        same = Call(BOOLEAN, "is_not_distinct_from", (one, other))
        result = Call(BOOLEAN, "or", (is_more, Call(BOOLEAN, "and", (same, result))))
    return result
