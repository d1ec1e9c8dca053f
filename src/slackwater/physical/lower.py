"""From the algebra to steps: what each operator is made of.

L ⋉ R  =  L ⋈ δ(π key R)                               when the condition is only that keys are equal
       =  L ⋈ row= δ(π L (δ(L) ⋈ p R))                 in general
L ▷ R  =  L - (L ⋉ R)                                  a difference that never goes below zero:
                                                       the semi-join's elements, taken back
L ⟕ R  =  (L ⋈ R) ∪ ((L ▷ R) × [NULL …])
"""

from __future__ import annotations

from functools import singledispatch

from slackwater import algebra
from slackwater.algebra.expressions import Call, Column, Expression, Literal, column, conjunction, conjuncts
from slackwater.algebra.operator import Operator
from slackwater.algebra.schema import Schema
from slackwater.base.diagnostic import Bug
from slackwater.physical import steps
from slackwater.physical.graph import Graph


def lowered(plans: dict[str, Operator]) -> Graph:
    """One graph for all the plans, by the names of their outputs."""
    graph = Graph()
    for name, plan in plans.items():
        graph.outputs[name] = lower(plan, graph)
    return graph


@singledispatch
def lower(plan: Operator, graph: Graph) -> int:
    """Put the plan's steps into the graph; the place of the last."""
    raise Bug(f"no steps for {type(plan).__name__}")


@lower.register(algebra.Stream)
@lower.register(algebra.Relation)
def _(plan: algebra.Stream | algebra.Relation, graph: Graph) -> int:
    return graph.add(steps.Read(plan.name, plan.schema, origin=plan.origin), (), plan.schema)


@lower.register
def _(plan: algebra.Unit, graph: Graph) -> int:
    return graph.add(steps.Once(origin=plan.origin), (), plan.schema)


@lower.register
def _(plan: algebra.Select, graph: Graph) -> int:
    step = steps.Filter(plan.predicate, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Project, graph: Graph) -> int:
    step = steps.Map(plan.columns, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Group, graph: Graph) -> int:
    same = Call(algebra.types.BOOLEAN, "is_not_distinct_from", (plan.by, plan.member))
    return graph.add(steps.Filter(same, origin=plan.origin), (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Range, graph: Graph) -> int:
    step = steps.Live(plan.duration, plan.slide, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Sliding, graph: Graph) -> int:
    step = steps.LiveFor(plan.size, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Fixed, graph: Graph) -> int:
    step = steps.LiveUntilNext(plan.size, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Rows, graph: Graph) -> int:
    step = steps.Newest(plan.count, plan.slide, plan.partition, plan.within, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Union, graph: Graph) -> int:
    sides = (lower(plan.left, graph), lower(plan.right, graph))
    return graph.add(steps.Together(origin=plan.origin), sides, plan.schema)


@lower.register(algebra.Distinct)
def _(plan: algebra.Distinct, graph: Graph) -> int:
    return graph.add(steps.Count("distinct", origin=plan.origin), (lower(plan.source, graph),), plan.schema)


_COPIES = {
    algebra.Except: "except",
    algebra.Intersect: "intersect",
    algebra.MaxUnion: "max_union",
    algebra.StrictDifference: "strict_difference",
}


@lower.register(algebra.Except)
@lower.register(algebra.Intersect)
@lower.register(algebra.MaxUnion)
@lower.register(algebra.StrictDifference)
def _(plan: algebra.Except, graph: Graph) -> int:
    sides = (lower(plan.left, graph), lower(plan.right, graph))
    return graph.add(steps.Count(_COPIES[type(plan)], origin=plan.origin), sides, plan.schema)


@lower.register
def _(plan: algebra.Single, graph: Graph) -> int:
    step = steps.AtMostOne(plan.keys, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Aggregate, graph: Graph) -> int:
    """The keys and arguments become columns first, so that the aggregation only sums and groups."""
    source = lower(plan.source, graph)
    columns: dict[Expression, str] = {}
    pairs = list(plan.keys)
    calls = []
    for name, call in plan.aggregations:
        if call.argument is None:
            calls.append((name, call))
            continue
        if call.argument not in columns:
            columns[call.argument] = f"{len(columns)}: {name}"
            pairs.append((columns[call.argument], call.argument))
        argument = column(columns[call.argument], call.argument.type)
        calls.append(
            (
                name,
                algebra.expressions.Aggregation(
                    call.type, call.function, argument, call.distinct, call.origin
                ),
            )
        )
    inside = Schema(tuple((name, expr.type) for name, expr in pairs))
    mapped = graph.add(steps.Map(tuple(pairs), origin=plan.origin), (source,), inside)
    step = steps.Aggregate(tuple(name for name, _ in plan.keys), tuple(calls), origin=plan.origin)
    return graph.add(step, (mapped,), plan.schema)


@lower.register(algebra.Istream)
@lower.register(algebra.Dstream)
def _(plan: algebra.Istream | algebra.Dstream, graph: Graph) -> int:
    sign = 1 if isinstance(plan, algebra.Istream) else -1
    return graph.add(steps.Changed(sign, origin=plan.origin), (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Rstream, graph: Graph) -> int:
    return graph.add(steps.Repeat(origin=plan.origin), (lower(plan.source, graph),), plan.schema)


@lower.register
def _(plan: algebra.Product, graph: Graph) -> int:
    sides = (lower(plan.left, graph), lower(plan.right, graph))
    return graph.add(steps.Match((), (), origin=plan.origin), sides, plan.schema)


@lower.register
def _(plan: algebra.Join, graph: Graph) -> int:
    return _matched(plan, graph, lower(plan.left, graph), lower(plan.right, graph))


@lower.register
def _(plan: algebra.SemiJoin, graph: Graph) -> int:
    left = lower(plan.left, graph)
    return _partnered(graph, left, lower(plan.right, graph), plan, plan.left.schema, plan.right.schema)


@lower.register
def _(plan: algebra.AntiJoin, graph: Graph) -> int:
    left = lower(plan.left, graph)
    semi = _partnered(graph, left, lower(plan.right, graph), plan, plan.left.schema, plan.right.schema)
    return _without(graph, left, semi, plan.left.schema)


@lower.register
def _(plan: algebra.OuterJoin, graph: Graph) -> int:
    left, right = lower(plan.left, graph), lower(plan.right, graph)
    parts = [_matched(plan, graph, left, right)]
    sides = ((left, right, plan.left.schema, plan.right.schema, "right"),
             (right, left, plan.right.schema, plan.left.schema, "left"))  # fmt: skip
    for here, there, mine, others, other_side in sides:
        if plan.side != other_side:
            semi = _partnered(graph, here, there, plan, mine, others)
            alone = _without(graph, here, semi, mine)
            nulls = {name: Literal(type_, None) for name, type_ in others}
            kept = {name: column(name, type_) for name, type_ in mine}
            columns = tuple((name, {**nulls, **kept}[name]) for name in plan.schema.names)
            parts.append(graph.add(steps.Map(columns), (alone,), plan.schema))
    return graph.add(steps.Together(origin=plan.origin), tuple(parts), plan.schema)


def _matched(plan: algebra.Join | algebra.OuterJoin, graph: Graph, left: int, right: int) -> int:
    keys, null_safe, rest = split(plan.on, plan.left.schema, plan.right.schema)
    lefts, rights = tuple(a for a, _ in keys), tuple(b for _, b in keys)
    step = steps.Match(lefts, rights, null_safe, rest, origin=plan.origin)
    return graph.add(step, (left, right), plan.left.schema + plan.right.schema)


def _partnered(
    graph: Graph, here: int, there: int, plan: algebra.joins.Conditional, mine: Schema, others: Schema
) -> int:
    """The elements of one side at the times at which they have a partner on the other."""
    keys, null_safe, rest = split(plan.on, mine, others)
    if rest is None and keys:
        return _keyed_partner(graph, here, there, keys, null_safe, mine, others)
    rows = graph.add(steps.Count("distinct"), (here,), mine)
    lefts, rights = tuple(a for a, _ in keys), tuple(b for _, b in keys)
    step = steps.Match(lefts, rights, null_safe, rest, origin=plan.origin)
    pairs = graph.add(step, (rows, there), mine + others)
    back = graph.add(steps.Map(tuple((name, column(name, type_)) for name, type_ in mine)), (pairs,), mine)
    existing = graph.add(steps.Count("distinct"), (back,), mine)
    return _rejoined(graph, here, existing, mine, mine.names)


def _keyed_partner(
    graph: Graph,
    here: int,
    there: int,
    keys: list[tuple[str, str]],
    null_safe: bool,
    mine: Schema,
    others: Schema,
) -> int:
    names = tuple(dict.fromkeys(b for _, b in keys))
    schema = Schema(tuple((name, others.type_of(name)) for name in names))
    only = graph.add(steps.Map(tuple((n, column(n, t)) for n, t in schema)), (there,), schema)
    existing = graph.add(steps.Count("distinct"), (only,), schema)
    step = steps.Match(tuple(a for a, _ in keys), tuple(b for _, b in keys), null_safe)
    pairs = graph.add(step, (here, existing), mine + schema)
    return graph.add(steps.Map(tuple((n, column(n, t)) for n, t in mine)), (pairs,), mine)


def _rejoined(graph: Graph, here: int, existing: int, mine: Schema, names: tuple[str, ...]) -> int:
    """The elements whose row is among the existing ones, NULLs equal."""
    other = Schema(tuple((f"{name}'", type_) for name, type_ in mine))
    primed = graph.add(steps.Map(tuple((f"{n}'", column(n, t)) for n, t in mine)), (existing,), other)
    step = steps.Match(names, other.names, null_safe=True)
    pairs = graph.add(step, (here, primed), mine + other)
    return graph.add(steps.Map(tuple((n, column(n, t)) for n, t in mine)), (pairs,), mine)


def _without(graph: Graph, here: int, some: int, schema: Schema) -> int:
    taken = graph.add(steps.Negate(), (some,), schema)
    return graph.add(steps.Together(), (here, taken), schema)


def split(
    on: Expression, left: Schema, right: Schema
) -> tuple[list[tuple[str, str]], bool, Expression | None]:
    """A join's condition as keys that are equal (left, right), whether NULLs are, and the rest.

    Keys of one kind only can be matched together: where there are null-safe ones and plain ones, the
    plain ones are keys and the others stay in the rest.
    """
    plain: list[tuple[str, str, Expression]] = []
    safe: list[tuple[str, str, Expression]] = []
    rest: list[Expression] = []
    for condition in conjuncts(on):
        pair = _key_pair(condition, left, right)
        if pair is None:
            if not (isinstance(condition, Literal) and condition.value is True):
                rest.append(condition)
        elif isinstance(condition, Call) and condition.function == "eq":
            plain.append((*pair, condition))
        else:
            safe.append((*pair, condition))
    if plain:
        rest += [condition for _, _, condition in safe]
    keys = dict.fromkeys((a, b) for a, b, _ in plain or safe)
    return list(keys), not plain and bool(safe), conjunction(rest)


def _key_pair(condition: Expression, left: Schema, right: Schema) -> tuple[str, str] | None:
    match condition:
        case Call(function="eq" | "is_not_distinct_from", arguments=(Column() as a, Column() as b)):
            if a.type != b.type:
                return None
            if a.name in left and b.name in right:
                return a.name, b.name
            if b.name in left and a.name in right:
                return b.name, a.name
    return None
