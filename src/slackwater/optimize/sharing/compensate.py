"""A match as a plan: what is done on top of the view, and how to say it."""

from __future__ import annotations

from slackwater.algebra import Aggregate, Operator, Project, Relation, Synchronize
from slackwater.algebra.expressions import Expression, column
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.points import Points
from slackwater.optimize.build import selected, zero_for_null
from slackwater.optimize.phases import optimized
from slackwater.optimize.rebuild import with_inputs
from slackwater.optimize.sharing.blocks import RIGHT, Times, aggregate_column, key_column
from slackwater.optimize.sharing.match import Match

VIEW = "@view"


def compensated(match: Match) -> Operator:
    """The query over a relation named `VIEW` that stands for the view, optimized by itself.

    The view is not part of what is optimized: a condition that went into it would make it another plan.
    """
    return synchronized(optimized(_unsynchronized(match, _view(match))), match)


def plain(match: Match) -> tuple[Operator, Operator]:
    """The query over a relation that stands for the view, as it is to be estimated, and that relation."""
    view = _view(match)
    return synchronized(_unsynchronized(match, view), match), view


def _view(match: Match) -> Relation:
    return Relation(VIEW, match.view.root.schema)


def _unsynchronized(match: Match, plan: Operator) -> Operator:
    for partner in match.partners:
        right = Project(
            partner.right,
            tuple((RIGHT + name, column(name, type_)) for name, type_ in partner.right.schema),
        )
        plan = partner.kind(plan, right, partner.on)
    plan = selected(plan, match.conditions)
    block = match.query.block
    outputs = match.outputs
    if match.keys is not None:
        plan = selected(_grouped(plan, match), block.having)
        outputs = tuple(block.columns.items())
    return Project(plan, outputs)


def synchronized(plan: Operator, match: Match) -> Operator:
    """The plan at the query's points; where these are the view's, it changes at them already.

    But before the first of them an aggregate without keys has a row, and the query has none.
    """
    times = match.query.block.times
    has_row = match.keys == () and match.regrouped is not None
    if times.is_always or (times == match.view.block.times and not has_row):
        return plan
    return Synchronize(plan, times.points, times.events)


def _grouped(plan: Operator, match: Match) -> Operator:
    assert match.keys is not None
    keys = tuple((f"k:{at}", key) for at, key in enumerate(match.keys))
    if match.regrouped is None:
        return Project(plan, (*keys, *((f"f:{at}", value) for at, value in enumerate(match.values))))
    calls = tuple((f"f:{at}", one.call) for at, one in enumerate(match.regrouped))
    grouped = Aggregate(plan, keys, calls)
    if match.keys or all(one.zero is None for one in match.regrouped):
        return grouped
    values: list[tuple[str, Expression]] = [(n, key_column(at, e.type)) for at, (n, e) in enumerate(keys)]
    for at, one in enumerate(match.regrouped):
        value: Expression = aggregate_column(at, one.call.type)
        values.append((f"f:{at}", value if one.zero is None else zero_for_null(value)))
    return Project(grouped, tuple(values))


def over(plan: Operator, view: Operator) -> Operator:
    """The plan with the view in the place of `VIEW`."""
    if isinstance(plan, Relation) and plan.name == VIEW:
        return view
    return with_inputs(plan, tuple(over(source, view) for source in plan.inputs))


def words(match: Match) -> str:
    """What is done on top of the view, for a person: `with temperature > 100 on top`; empty for nothing."""
    parts: list[str] = []
    if match.conditions:
        parts.append(f"with {' AND '.join(map(text_of, match.conditions))} on top")
    parts += [f"with {_half_join(partner.kind.__name__)} on top" for partner in match.partners]
    if match.regrouped is not None:
        keys = ", ".join(text_of(key) for key in match.keys or ())
        again = " again" if match.view.block.grouping is not None else ""
        parts.append(f"grouped{again} by {keys}" if keys else f"aggregated{again}")
    if match.query.block.having != match.view.block.having and match.query.block.having:
        parts.append("with HAVING on top")
    if match.query.block.times != match.view.block.times:
        parts.append(f"refreshed {_when(match.query.block.times)}")
    return ", ".join(parts)


def law(match: Match) -> str:
    """What is done on top of the view, as an equation: `Q = ℜ P (α g f (σ p V))`."""
    text = "V"
    for partner in match.partners:
        text = f"({text} {'⋉' if partner.kind.__name__ == 'SemiJoin' else '▷'} q R)"
    for sign, is_there in (
        ("σ p", bool(match.conditions)),
        ("α g f", match.regrouped is not None),
        ("σ h", bool(match.query.block.having)),
        ("π f", match.keys is None or match.regrouped is None),
        ("ℜ P", match.query.block.times != match.view.block.times),
    ):
        if is_there:
            text = f"{sign} ({text})" if text != "V" else f"{sign} V"
    return f"Q = {text}"


def _half_join(kind: str) -> str:
    return "a semi-join" if kind == "SemiJoin" else "an anti-join"


def _when(times: Times) -> str:
    shown = str(times.points) if times.points != Points() else ""
    by = "by events" if times.events is not None else ""
    return " or ".join(part for part in (shown, by) if part)
