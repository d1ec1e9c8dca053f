"""Partners: steps for the pairs of two sides, for what has a partner, and for what has none.

L ⋉ R  =  L ⋈ δ(π key R)                               when the condition is only that keys are equal
       =  L ⋈ row= δ(π L (δ(L) ⋈ p R))                 in general
L ▷ R  =  L ⋈ key= (π key L without π key R)           when the condition is only that keys are equal
       =  L - (L ⋉ R)                                  in general: a difference that never goes below
                                                       zero, the semi-join's elements retracted
L ⟕ R  =  (L ⋈ R) ∪ ((L ▷ R) × [NULL …])

With keys, an element that always has a partner costs nothing beyond its key; retracted, it would be kept
twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater import algebra
from slackwater.algebra.expressions import Call, Column, Expression, Literal, column, conjunction, conjuncts
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BOOLEAN
from slackwater.physical import steps
from slackwater.physical.graph import Graph


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a join: the step that gives its elements, and their columns."""

    place: int
    schema: Schema


@dataclass(frozen=True, slots=True)
class Condition:
    """A join's condition as pairs of equal columns (left, right), whether NULLs are equal, and the rest."""

    keys: tuple[tuple[str, str], ...]
    null_safe: bool
    rest: Expression | None

    @property
    def lefts(self) -> tuple[str, ...]:
        return tuple(left for left, _ in self.keys)

    @property
    def rights(self) -> tuple[str, ...]:
        return tuple(right for _, right in self.keys)

    def match(self, plan: algebra.joins.Conditional, closing: steps.Closing | None = None) -> steps.Join:
        return steps.Join(self.lefts, self.rights, self.null_safe, self.rest, closing, origin=plan.origin)


def matched(
    plan: algebra.Join | algebra.OuterJoin,
    graph: Graph,
    left: int,
    right: int,
    closing: steps.Closing | None = None,
) -> int:
    """The pairs for which the condition holds; `closing` is of a left column that is equal to a right one."""
    condition = split(plan.on, plan.left.schema, plan.right.schema)
    step = condition.match(plan, closing)
    return graph.add(step, (left, right), plan.left.schema + plan.right.schema)


def partnered(graph: Graph, here: Side, there: Side, plan: algebra.joins.Conditional) -> int:
    """The elements of one side at the times at which they have a partner on the other."""
    condition = split(plan.on, here.schema, there.schema)
    if condition.rest is None and condition.keys:
        return _keyed_partner(graph, here, there, condition)
    rows = graph.add(steps.Count("distinct"), (here.place,), here.schema)
    pairs = graph.add(condition.match(plan), (rows, there.place), here.schema + there.schema)
    back = _only(graph, pairs, here.schema)
    existing = graph.add(steps.Count("distinct"), (back,), here.schema)
    return _matching(graph, here, Side(existing, here.schema), here.schema.names)


def alone(graph: Graph, here: Side, there: Side, plan: algebra.joins.Conditional) -> int:
    """The elements of one side at the times at which they have no partner on the other."""
    condition = split(plan.on, here.schema, there.schema)
    if condition.rest is None and condition.keys:
        return _keyed_alone(graph, here, there, condition)
    retracted = graph.add(steps.Negate(), (partnered(graph, here, there, plan),), here.schema)
    return graph.add(steps.Union(), (here.place, retracted), here.schema)


def _keyed_partner(graph: Graph, here: Side, there: Side, condition: Condition) -> int:
    names = tuple(dict.fromkeys(condition.rights))
    schema = Schema(tuple((name, there.schema.type_of(name)) for name in names))
    existing = graph.add(steps.Count("distinct"), (_keys(graph, there, names, schema),), schema)
    step = steps.Join(condition.lefts, condition.rights, condition.null_safe)
    pairs = graph.add(step, (here.place, existing), here.schema + schema)
    return _only(graph, pairs, here.schema)


def _keyed_alone(graph: Graph, here: Side, there: Side, condition: Condition) -> int:
    """What matches a key that only this side has.

    The keys are compared as rows, NULLs equal: a NULL that equals nothing is left out on the other side.
    """
    mine, others = condition.lefts, condition.rights
    schema = Schema(tuple((name, here.schema.type_of(name)) for name in dict.fromkeys(mine)))
    if len(schema.names) < len(mine):  # a = b AND a = c
        schema = Schema(tuple((f"{at}: {name}", here.schema.type_of(name)) for at, name in enumerate(mine)))
    known = _keys(graph, there, others, schema)
    if not condition.null_safe:
        missing = [Call(BOOLEAN, "is_null", (column(name, type_),)) for name, type_ in schema]
        present = conjunction([Call(BOOLEAN, "not", (is_null,)) for is_null in missing])
        assert present is not None
        known = graph.add(steps.Filter(present), (known,), schema)
    absent = graph.add(steps.Count("without"), (_keys(graph, here, mine, schema), known), schema)
    return _matching(graph, here, Side(absent, schema), mine)


def _keys(graph: Graph, side: Side, names: tuple[str, ...], schema: Schema) -> int:
    """The keys a side has, in any number of copies, under the names of the schema.

    Of groups only whether they have rows matters, which changes less often than their aggregates:
    π k (γ k, f (S)) and γ k (S) have the same keys.
    """
    place = side.place
    groups = _grouping(graph, place, names)
    if groups is not None:
        source, names = groups
        grouped = Schema(tuple((name, source.schema.type_of(name)) for name in dict.fromkeys(names)))
        place = graph.add(steps.Aggregate(grouped.names, ()), (source.place,), grouped)
    pairs = zip(schema, names, strict=True)
    columns = tuple((to, column(name, type_)) for (to, type_), name in pairs)
    return graph.add(steps.Map(columns), (place,), schema)


def _grouping(graph: Graph, place: int, names: tuple[str, ...]) -> tuple[Side, tuple[str, ...]] | None:
    """What an aggregation groups and by which columns, if the named columns are keys of its groups."""
    node = graph.nodes[place]
    match node.step:
        case steps.Map(columns=columns):
            sources = {name: expr.name for name, expr in columns if isinstance(expr, Column)}
            if all(name in sources for name in names):
                return _grouping(graph, node.inputs[0], tuple(sources[name] for name in names))
        case steps.Aggregate(keys=keys) if set(names) <= set(keys):
            return Side(node.inputs[0], graph.nodes[node.inputs[0]].schema), names
    return None


def _matching(graph: Graph, here: Side, rows: Side, names: tuple[str, ...]) -> int:
    """The elements whose columns of those names are among the rows, NULLs equal."""
    primed = Schema(tuple((f"{name}'", type_) for name, type_ in rows.schema))
    renamed = tuple((f"{name}'", column(name, type_)) for name, type_ in rows.schema)
    other = graph.add(steps.Map(renamed), (rows.place,), primed)
    step = steps.Join(names, primed.names, null_safe=True)
    pairs = graph.add(step, (here.place, other), here.schema + primed)
    return _only(graph, pairs, here.schema)


def _only(graph: Graph, place: int, schema: Schema) -> int:
    """The elements with only those columns."""
    return graph.add(steps.Map(tuple((n, column(n, t)) for n, t in schema)), (place,), schema)


def split(on: Expression, left: Schema, right: Schema) -> Condition:
    """A join's condition as keys and the rest.

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
    return Condition(tuple(keys), not plain and bool(safe), conjunction(rest))


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
