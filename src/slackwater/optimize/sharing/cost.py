"""What it costs to keep a block up to date, from rates and selectivities that are assumed.

One function, `work`, is all that the rest asks. The unit is a change of a row that is looked at once. The
assumptions: each leaf has one change in a unit of time; a condition keeps a third of the rows, an equality a
tenth; a group changes half as often as its rows; ordering a row into a group or finding its partner costs
six times as much as looking at it. What is refreshed at points changes at most as often as there are points,
and at least a tenth as often as before.
"""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Expression
from slackwater.optimize.sharing.blocks import Times, is_source
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.match import Match

LOOK, FIND = 1.0, 6.0
_SELECTED, _EQUAL, _GROUPED, _LEAST = 1 / 3, 1 / 10, 1 / 2, 1 / 10


def work(form: Form, match: Match | None = None) -> float:
    """What it costs to keep the block up to date, by itself or over the view of a match."""
    if match is None:
        rows = sum(map(_leaf_rate, form.block.leaves))
        operators = sum(not is_source(leaf) for leaf in form.block.leaves)
        joins = (len(form.block.leaves) - 1 + len(form.block.partners) + operators) * FIND
        groups = FIND * _selectivity(form.block.conditions) if form.block.grouping is not None else 0.0
        return rows * (LOOK + joins + groups)
    rows = rate(match.view)
    groups = FIND * _selectivity(match.conditions) if match.regrouped is not None else 0.0
    return rows * (LOOK + len(match.partners) * FIND + groups)


def rate(form: Form) -> float:
    """How often a row of the block changes."""
    rows = sum(map(_leaf_rate, form.block.leaves)) * _selectivity(form.block.conditions)
    return rows * (_GROUPED if form.block.grouping is not None else 1.0) * density(form.block.times)


def density(times: Times) -> float:
    """Which part of the changes is left at these points."""
    if times.events is not None:
        return 1.0
    return max(_LEAST, min(1.0, sum(1 / one.period for one in times.points.classes)))


def _leaf_rate(leaf: Operator) -> float:
    return max(_LEAST, 1 / leaf.slide) if isinstance(leaf, algebra.Range) else 1.0


def _selectivity(conditions: tuple[Expression, ...]) -> float:
    part = 1.0
    for condition in conditions:
        is_equal = isinstance(condition, Call) and condition.function == "eq"
        part *= _EQUAL if is_equal else _SELECTED
    return max(part, 1e-6)
