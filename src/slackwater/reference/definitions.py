"""The relation-to-relation operators at one instant: bags in, a bag out, as the papers define them.

The copies of a row may be negative (a change is a bag too); an operator that is linear in an input
returns the right change for a change of it, which `history` relies on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

from slackwater import algebra
from slackwater.algebra.errors import several_rows
from slackwater.algebra.expressions import Call, Column, Expression, conjuncts
from slackwater.algebra.operator import Operator
from slackwater.algebra.schema import Schema
from slackwater.base.diagnostic import EngineError
from slackwater.reference.aggregates import Accumulator, make_accumulator
from slackwater.reference.bags import Bag, Environment, Row, add, merge
from slackwater.reference.bestmatch import best_pairs
from slackwater.reference.over import over
from slackwater.reference.windowing import assigned, in_sessions

Value = Callable[[Row, Environment], Any]


class Context:
    """What a definition needs besides its input bags: values of expressions, and the enclosing scope."""

    def __init__(self, value: Callable[[Expression, Schema], Value], outer: Environment) -> None:
        self._value = value
        self.outer = outer

    def value(self, expr: Expression, schema: Schema) -> Callable[[Row], Any]:
        """The expression as a function of one row."""
        evaluate, outer = self._value(expr, schema), self.outer
        return lambda row: evaluate(row, outer)


@singledispatch
def definition(plan: Operator, context: Context, *inputs: Bag) -> Bag:
    """⟦plan⟧(t), given its inputs at t."""
    raise NotImplementedError(type(plan).__name__)


@definition.register
def _(plan: algebra.Unit, context: Context) -> Bag:
    return {(): 1}


@definition.register
def _(plan: algebra.Select, context: Context, source: Bag) -> Bag:
    accepts = context.value(plan.predicate, plan.source.schema)
    return {row: copies for row, copies in source.items() if accepts(row) is True}


@definition.register
def _(plan: algebra.Project, context: Context, source: Bag) -> Bag:
    values = [context.value(expr, plan.source.schema) for _, expr in plan.columns]
    result: Bag = {}
    for row, copies in source.items():
        add(result, tuple(value(row) for value in values), copies)
    return result


@definition.register
def _(plan: algebra.Group, context: Context, source: Bag) -> Bag:
    by = context.value(plan.by, plan.source.schema)
    member = context.value(plan.member, plan.source.schema)
    return {row: copies for row, copies in source.items() if by(row) == member(row)}


@definition.register
def _(plan: algebra.Unnest, context: Context, source: Bag) -> Bag:
    arrays = [context.value(values, plan.source.schema) for _, values in plan.arrays]
    stay = [place for place, name in enumerate(plan.source.schema.names) if name not in plan.dropped]
    result: Bag = {}
    for whole, copies in source.items():
        lists = [array(whole) or () for array in arrays]
        row = tuple(whole[place] for place in stay)
        longest = max(map(len, lists))
        for i in range(longest):
            elements = tuple(values[i] if i < len(values) else None for values in lists)
            if plan.fields:
                elements = elements[0] or (None,) * len(plan.fields)
            add(result, row + elements + ((i + 1,) if plan.ordinal else ()), copies)
        if plan.keeps and not longest:
            add(result, row + (None,) * len(plan.added), copies)
    return result


@definition.register
def _(plan: algebra.Assign, context: Context, source: Bag) -> Bag:
    return assigned(plan, context.value(plan.time, plan.source.schema), source)


@definition.register
def _(plan: algebra.Sessions, context: Context, source: Bag) -> Bag:
    time = context.value(plan.time, plan.source.schema)
    return in_sessions(plan, time, key_of_session(plan, context), source)


def key_of_session(plan: algebra.Sessions, context: Context) -> Callable[[Row], Row]:
    """The key whose sessions a row belongs to."""
    keys = [context.value(key, plan.source.schema) for key in plan.keys]
    return lambda row: tuple(key(row) for key in keys)


@definition.register
def _(plan: algebra.Product, context: Context, left: Bag, right: Bag) -> Bag:
    return {x + y: m * n for x, m in left.items() for y, n in right.items()}


@definition.register
def _(plan: algebra.Join, context: Context, left: Bag, right: Bag) -> Bag:
    accepts = context.value(plan.on, plan.pair)
    return {x + y: m * n for x, m in left.items() for y, n in right.items() if accepts(x + y) is True}


@definition.register
def _(plan: algebra.SemiJoin, context: Context, left: Bag, right: Bag) -> Bag:
    accepts = context.value(plan.on, plan.pair)
    return {x: m for x, m in left.items() if any(accepts(x + y) is True for y in right)}


@definition.register
def _(plan: algebra.AntiJoin, context: Context, left: Bag, right: Bag) -> Bag:
    accepts = context.value(plan.on, plan.pair)
    return {x: m for x, m in left.items() if not any(accepts(x + y) is True for y in right)}


@definition.register
def _(plan: algebra.OuterJoin, context: Context, left: Bag, right: Bag) -> Bag:
    accepts = context.value(plan.on, plan.pair)
    no_left, no_right = (None,) * len(plan.left.schema), (None,) * len(plan.right.schema)
    pairs = {(x, y): m * n for x, m in left.items() for y, n in right.items() if accepts(x + y) is True}
    result: Bag = {x + y: copies for (x, y), copies in pairs.items()}
    if plan.side in (algebra.Side.LEFT, algebra.Side.FULL):
        joined = {x for x, _ in pairs}
        merge(result, {x + no_right: m for x, m in left.items() if x not in joined})
    if plan.side in (algebra.Side.RIGHT, algebra.Side.FULL):
        joined = {y for _, y in pairs}
        merge(result, {no_left + y: n for y, n in right.items() if y not in joined})
    return result


@definition.register
def _(plan: algebra.DependentJoin, context: Context, source: Bag) -> Bag:
    rows = context.value(plan.query, plan.source.schema)
    nothing = {(None,) * len(plan.query.plan.schema): 1} if plan.keeps else {}
    result: Bag = {}
    for x, m in source.items():
        for y, n in (rows(x) or nothing).items():
            add(result, x + y, m * n)
    return result


@definition.register
def _(plan: algebra.BestMatch, context: Context, left: Bag, right: Bag) -> Bag:
    return {x + y: left[x] * right[y] for x, y in best_pairs(plan, context.value, left, right)}


@definition.register
def _(plan: algebra.Distinct, context: Context, source: Bag) -> Bag:
    return dict.fromkeys(source, 1)


@definition.register
def _(plan: algebra.Single, context: Context, source: Bag) -> Bag:
    key_of = by_names(plan, plan.keys)
    copies: Bag = {}
    for row, n in source.items():
        add(copies, key_of(row), n)
        if copies.get(key_of(row), 0) > 1:
            raise EngineError(several_rows(plan.origin, copies[key_of(row)]))
    return dict(source)


def by_names(plan: Operator, names: Sequence[str]) -> Callable[[Row], Row]:
    """The values of these columns of a row."""
    indexes = [plan.schema.index(name) for name in names]
    return lambda row: tuple(row[index] for index in indexes)


@definition.register
def _(plan: algebra.Union, context: Context, left: Bag, right: Bag) -> Bag:
    return merge(dict(left), right)


@definition.register
def _(plan: algebra.Except, context: Context, left: Bag, right: Bag) -> Bag:
    return {row: m - right.get(row, 0) for row, m in left.items() if m > right.get(row, 0)}


@definition.register
def _(plan: algebra.Intersect, context: Context, left: Bag, right: Bag) -> Bag:
    return {row: min(m, right[row]) for row, m in left.items() if row in right}


@definition.register
def _(plan: algebra.MaxUnion, context: Context, left: Bag, right: Bag) -> Bag:
    return {row: max(left.get(row, 0), right.get(row, 0)) for row in {**left, **right}}


@definition.register
def _(plan: algebra.StrictDifference, context: Context, left: Bag, right: Bag) -> Bag:
    return {row: m for row, m in left.items() if row not in right}


@definition.register
def _(plan: algebra.Aggregate, context: Context, source: Bag) -> Bag:
    groups = {} if plan.keys else {(): fresh(plan)}
    key_of, feed = group_of(plan, context), feeder(plan, context)
    for row, copies in source.items():
        key = key_of(row)
        if key not in groups:
            groups[key] = fresh(plan)
        feed(groups[key], row, copies)
    return {key + answer(state): 1 for key, state in groups.items()}


@definition.register
def _(plan: algebra.Over, context: Context, source: Bag) -> Bag:
    return over(plan, source)


State = list[Accumulator]


def fresh(plan: algebra.Aggregate) -> State:
    """The accumulators of an empty group."""
    return [make_accumulator(call) for _, call in plan.aggregations]


def answer(state: State) -> Row:
    return tuple(accumulator.value() for accumulator in state)


def group_of(plan: algebra.Aggregate, context: Context) -> Callable[[Row], Row]:
    """The group a row belongs to."""
    keys = [context.value(expr, plan.source.schema) for _, expr in plan.keys]
    return lambda row: tuple(key(row) for key in keys)


def feeder(plan: algebra.Aggregate, context: Context) -> Callable[[State, Row, int], None]:
    """A function that adds copies of a row to the accumulators of its group."""
    arguments = [
        (lambda _row: True) if call.argument is None else context.value(call.argument, plan.source.schema)
        for _, call in plan.aggregations
    ]

    def feed(state: State, row: Row, copies: int) -> None:
        for accumulator, argument in zip(state, arguments, strict=True):
            accumulator.add(argument(row), copies)

    return feed


def equated(plan: Operator) -> tuple[list[Expression], list[Expression]]:
    """The columns of either side that a join's condition sets equal: x.a = y.b and …"""
    lefts: list[Expression] = []
    rights: list[Expression] = []
    if isinstance(plan, algebra.Join | algebra.SemiJoin | algebra.AntiJoin | algebra.OuterJoin):
        for condition in conjuncts(plan.on):
            match condition:
                case Call(function="eq", arguments=(Column() as a, Column() as b)) if a.type == b.type:
                    if b.name in plan.left.schema and a.name in plan.right.schema:
                        a, b = b, a
                    if a.name in plan.left.schema and b.name in plan.right.schema:
                        lefts.append(a)
                        rights.append(b)
    return lefts, rights
