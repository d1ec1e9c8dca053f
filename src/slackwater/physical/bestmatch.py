"""Best matches by a value in each dimension: steps for the best pairs of each row, and of all rows.

R ⊠ left S    =  BestMatch (R, S)                               the best pairs of each row of R
R ⊠ right S   =  BestMatch (S, R)                               of S
R ⊠ full S    =  (R ⊠ left S) max-union (R ⊠ right S)           copies of a pair are as many in both
R ⊠ S         =  Best () (R ⊠ left S)                           what dominates a pair of all pairs, or a pair
                                                                that dominates that one, is best for its row
R ⊠ S         =  Best () (Best k (R ⊠ left S))                  with columns k, whatever they are

A best match with equal columns is partitioned by these; without, by a bounded distance (`strips`).
"""

from __future__ import annotations

from collections.abc import Collection

from slackwater import algebra
from slackwater.algebra.expressions import Call, Expression, column
from slackwater.algebra.orders import MIN
from slackwater.algebra.types import DOUBLE, Type
from slackwater.optimize.facts.columns import columns
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.partners import Side, split
from slackwater.physical.strips import ONE, SEVERAL, Strips


def best_matches(plan: algebra.BestMatch, graph: Graph, left: Side, right: Side) -> int:
    """Put the steps of a best match into the graph; the place of the last."""
    match plan.side:
        case algebra.Side.LEFT:
            return _of_each(plan, graph, left, right)
        case algebra.Side.RIGHT:
            return _of_each(plan, graph, right, left)
        case algebra.Side.FULL:
            both = (_of_each(plan, graph, left, right), _of_each(plan, graph, right, left))
            return graph.add(steps.Count("max_union", origin=plan.origin), both, plan.schema)
        case None:
            best = steps.Best((), plan.dimensions, origin=plan.origin)
            return graph.add(best, (_of_each(plan, graph, left, right, in_groups=True),), plan.schema)


def _of_each(
    plan: algebra.BestMatch, graph: Graph, here: Side, there: Side, *, in_groups: bool = False
) -> int:
    """The best pairs of each row of one side; or only the best ones of each partition key."""
    condition = split(plan.on, here.schema, there.schema)
    keys, rest = (condition.lefts, condition.rights), condition.rest
    if condition.null_safe:
        keys, rest = ((), ()), plan.on
    if not keys[0] and (strips := _strips(plan, here, there)) is not None:
        here, there = strips.one(graph, here), strips.several(graph, there)
        keys = ((ONE,), (SEVERAL,))
    step = steps.BestMatch(*keys, rest, plan.dimensions, origin=plan.origin)
    schema = here.schema + there.schema
    place = graph.add(step, (here.place, there.place), schema)
    if in_groups and keys[0]:
        place = graph.add(steps.Best(keys[0], plan.dimensions, origin=plan.origin), (place,), schema)
    if schema.names == plan.schema.names:
        return place
    columns = tuple((name, column(name, type_)) for name, type_ in plan.schema)
    return graph.add(steps.Map(columns), (place,), plan.schema)


def _strips(plan: algebra.BestMatch, here: Side, there: Side) -> Strips | None:
    """Strips of the first bounded distance, if there is one."""
    for dimension in plan.dimensions:
        sides = distance(dimension, here.schema.names, there.schema.names)
        if sides is not None and dimension.bound is not None and dimension.bound.value > 0:
            return Strips(*sides, float(dimension.bound.value))
    return None


def distance(
    dimension: algebra.Dimension, left: Collection[str], right: Collection[str]
) -> tuple[Expression, Expression] | None:
    """The values of the left and of the right side whose distance |a - b| a dimension is, if it is one."""
    value = dimension.operands[0]
    if dimension.order != MIN or not _is_number(value.type):
        return None
    match value:
        case Call(
            function="abs", arguments=(Call(function="subtract", arguments=(one, other)) as inner,)
        ) if _is_number(inner.type):
            for a, b in ((one, other), (other, one)):
                if _is_of(a, left) and _is_of(b, right):
                    return a, b
    return None


def _is_of(expr: Expression, side: Collection[str]) -> bool:
    seen = columns(expr)
    return bool(seen) and seen <= set(side) and _is_number(expr.type)


def _is_number(type_: Type) -> bool:
    """Whether differences of values of the type are differences of integers or doubles."""
    return type_.is_integer or type_ == DOUBLE
