"""The share of rows that a condition accepts, from the numbers of different values.

P. G. Selinger et al.: Access path selection in a relational database management system, SIGMOD 1979, table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from slackwater.algebra.expressions import Call, Column, Expression, Literal, conjuncts
from slackwater.algebra.expressions.text import text_of
from slackwater.optimize.cost.statistics import Statistics

COMPARISON: Final = 1 / 3
"""Of <, <=, > and >=."""
PATTERN: Final = 1 / 10
"""Of LIKE, IS NULL, and equality with a value of unknown distribution."""

Distinct = Callable[[str], float]
"""How many different values a column has."""


def selectivity(condition: Expression, distinct: Distinct, statistics: Statistics) -> float:
    """The share of rows for which the condition is true; its parts are taken to be independent."""
    share = 1.0
    for part in conjuncts(condition):
        share *= statistics.selectivities.get(text_of(part), _share(part, distinct, statistics))
    return share


def _share(condition: Expression, distinct: Distinct, statistics: Statistics) -> float:
    def inner(part: Expression) -> float:
        return selectivity(part, distinct, statistics)

    match condition:
        case Literal(value=value):
            return 1.0 if value is True else 0.0
        case Column():
            return 0.5
        case Call(function="eq" | "is_not_distinct_from", arguments=(one, other)):
            return _equal(one, other, distinct)
        case Call(function="ne", arguments=(one, other)):
            return 1.0 - _equal(one, other, distinct)
        case Call(function="lt" | "le" | "gt" | "ge"):
            return COMPARISON
        case Call(function="in_list", arguments=(operand, *items)):
            return min(1.0, len(items) * _equal(operand, operand, distinct))
        case Call(function="or", arguments=parts):
            rest = 1.0
            for part in parts:
                rest *= 1.0 - inner(part)
            return 1.0 - rest
        case Call(function="not", arguments=(part,)):
            return 1.0 - inner(part)
        case _:
            return PATTERN


def _equal(one: Expression, other: Expression, distinct: Distinct) -> float:
    counts = [distinct(side.name) for side in (one, other) if isinstance(side, Column)]
    return 1.0 / max(counts) if counts else PATTERN
