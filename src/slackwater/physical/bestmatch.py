"""Best matches by a value in each dimension: steps for the best pairs of each row, and of all rows.

R ⊠ left S    =  BestMatch (R, S)                               the best pairs of each row of R
R ⊠ right S   =  BestMatch (S, R)                               of S
R ⊠ full S    =  (R ⊠ left S) max-union (R ⊠ right S)           copies of a pair are as many in both
R ⊠ S         =  Best () (R ⊠ left S)                           what dominates a pair of all pairs, or a pair
                                                                that dominates that one, is best for its row
R ⊠ S         =  Best () (Best k (R ⊠ left S))                  with columns k, whatever they are

A best match with equal columns is partitioned by these; without, by a bounded distance (`strips`). If there
is none either, the rows of one side are spread in groups, and the other side is in every partition: the best
pairs of a group are found where its rows are.
"""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra.expressions import Call, Cast, Expression, Literal, column
from slackwater.algebra.types import DOUBLE
from slackwater.optimize.facts.distances import distance, is_number
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.partners import Side, split
from slackwater.physical.strips import ONE, SEVERAL, Strips, with_column

GROUP = "group of left"
"""The column with the group of a row that is spread."""
_GROUPS = 64.0
"""More than partitions in most clusters; with more groups, more pairs remain to be compared at the end."""


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
    group = keys[0]
    if in_groups and not group:
        here, group = _grouped(graph, here)
    step = steps.BestMatch(*keys, rest, plan.dimensions, origin=plan.origin)
    schema = here.schema + there.schema
    place = graph.add(step, (here.place, there.place), schema)
    if in_groups and group:
        place = graph.add(steps.Best(group, plan.dimensions, origin=plan.origin), (place,), schema)
    if schema.names == plan.schema.names:
        return place
    columns = tuple((name, column(name, type_)) for name, type_ in plan.schema)
    return graph.add(steps.Map(columns), (place,), plan.schema)


def _grouped(graph: Graph, side: Side) -> tuple[Side, tuple[str, ...]]:
    """The side with a column of few different values, and its name; none for a side without numbers."""
    numbers = [(name, type_) for name, type_ in side.schema if is_number(type_)]
    if not numbers:
        return side, ()
    # Of doubles the digits after the point are spread, too.
    name, type_ = min(numbers, key=lambda one: one[1] == DOUBLE)
    value: Expression = column(name, type_)
    if type_ == DOUBLE:
        value = Call(DOUBLE, "floor", (Call(DOUBLE, "multiply", (value, Literal(DOUBLE, 1048576.0))),))
    number = Call(DOUBLE, "modulo", (Cast(DOUBLE, value), Literal(DOUBLE, _GROUPS)))
    return with_column(graph, side, GROUP, number), (GROUP,)


def _strips(plan: algebra.BestMatch, here: Side, there: Side) -> Strips | None:
    """Strips of the first bounded distance, if there is one."""
    for dimension in plan.dimensions:
        sides = distance(dimension, here.schema.names, there.schema.names)
        if sides is not None and dimension.bound is not None and dimension.bound.value > 0:
            return Strips(*sides, float(dimension.bound.value))
    return None
