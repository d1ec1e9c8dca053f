"""Join order: the cheapest tree of joins over the same inputs and conditions.

    inputs      R  S  T  U           conditions    R.a = S.a   S.a = T.a   T.b = U.b   R.c < U.c
    classes     {R.a, S.a, T.a}  {T.b, U.b}        the rest    R.c < U.c

Up to MOST inputs all trees are compared, by dynamic programming over sets of inputs (Selinger et al., SIGMOD
1979, with bushy trees). Beyond, the two parts whose join costs least are joined, again and again.

Columns that are equal are a class. One equality between two members, one on either side, is enough where two
parts are joined, since members on one side are equal already. So R and T may be joined first, by R.a = T.a.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from slackwater.algebra import Join, Operator, Product
from slackwater.algebra.expressions import Call, Column, Expression, conjunction
from slackwater.algebra.types import BOOLEAN
from slackwater.optimize.cost.estimate import Estimator
from slackwater.optimize.facts.columns import columns

MOST: Final = 8
"""The most inputs of which all trees are compared."""

Part = frozenset[int]
"""Inputs, by their numbers."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What is joined: the inputs, the classes of equal columns, and all other conditions."""

    inputs: tuple[Operator, ...]
    classes: tuple[tuple[Column, ...], ...]
    """At most one column of each input in a class."""
    rest: tuple[Expression, ...]

    def home(self, name: str) -> int:
        """The input that has the column."""
        return next(number for number, plan in enumerate(self.inputs) if name in plan.schema)

    def between(self, left: Part, right: Part) -> list[Expression]:
        """The conditions of the join of two parts: those that neither part has, and both together have."""
        conditions: list[Expression] = []
        for members in self.classes:
            ones = [member for member in members if self.home(member.name) in left]
            others = [member for member in members if self.home(member.name) in right]
            if ones and others:
                conditions.append(Call(BOOLEAN, "eq", (ones[0], others[0])))
        for condition in self.rest:
            needs = frozenset(self.home(name) for name in columns(condition))
            if needs <= left | right and not needs <= left and not needs <= right:
                conditions.append(condition)
        return conditions


def graph_of(inputs: Sequence[Operator], conditions: Iterable[Expression]) -> Graph:
    """The graph of joins of these inputs under all these conditions."""
    graph = Graph(tuple(inputs), (), ())
    classes: list[dict[str, Column]] = []
    rest: list[Expression] = []
    for condition in conditions:
        pair = _equal_columns(condition)
        if pair is None:
            rest.append(condition)
            continue
        touched = [one for one in classes if pair[0].name in one or pair[1].name in one]
        merged = {column.name: column for column in pair}
        for one in touched:
            merged = {**one, **merged}
        classes = [one for one in classes if one not in touched] + [merged]
    for members in classes:
        homes = [graph.home(name) for name in members]
        if len(set(homes)) < len(homes):
            # Two columns of one input: equalities between inputs alone would not make them equal.
            rest += [c for c in conditions if _equal_columns(c) and columns(c) <= members.keys()]
    apart = [one for one in classes if len({graph.home(name) for name in one}) == len(one)]
    return Graph(tuple(inputs), tuple(tuple(one.values()) for one in apart), tuple(rest))


def _equal_columns(condition: Expression) -> tuple[Column, Column] | None:
    match condition:
        case Call(function="eq", arguments=(Column() as one, Column() as other)) if one.type == other.type:
            return one, other
    return None


def cheapest(graph: Graph, estimator: Estimator) -> Operator:
    """The tree of joins with the least estimated cost; of equal ones the first by the order of inputs."""
    single = {frozenset((number,)): plan for number, plan in enumerate(graph.inputs)}
    if len(single) <= MOST:
        return _of_all(graph, estimator, single)
    return _greedy(graph, estimator, single)


def _of_all(graph: Graph, estimator: Estimator, best: dict[Part, Operator]) -> Operator:
    costs = dict.fromkeys(best, 0.0)
    count = len(graph.inputs)
    for mask in sorted(range(1, 1 << count), key=lambda mask: (mask.bit_count(), mask)):
        part = frozenset(number for number in range(count) if mask >> number & 1)
        for left, right in _halves(part):
            join = joined(graph, left, right, best[left], best[right])
            cost = costs[left] + costs[right] + estimator.estimate(join).cost
            if part not in costs or cost < costs[part]:
                best[part], costs[part] = join, cost
    return best[frozenset(range(count))]


def _halves(part: Part) -> Iterator[tuple[Part, Part]]:
    """The ways to cut a part in two; its first input is on the left."""
    first, *others = sorted(part)
    for mask in reversed(range((1 << len(others)) - 1)):
        left = frozenset((first, *(one for at, one in enumerate(others) if mask >> at & 1)))
        yield left, part - left


def _greedy(graph: Graph, estimator: Estimator, parts: dict[Part, Operator]) -> Operator:
    while len(parts) > 1:
        names = sorted(parts, key=min)
        pairs = [(left, right) for at, left in enumerate(names) for right in names[at + 1 :]]
        joins = [(pair, joined(graph, *pair, parts[pair[0]], parts[pair[1]])) for pair in pairs]
        (left, right), join = min(joins, key=lambda one: estimator.estimate(one[1]).cost)
        parts = {name: plan for name, plan in parts.items() if name not in (left, right)}
        parts[left | right] = join
    return next(iter(parts.values()))


def joined(graph: Graph, left: Part, right: Part, one: Operator, other: Operator) -> Operator:
    """The join of two parts, by all conditions between them."""
    condition = conjunction(graph.between(left, right))
    return Product(one, other) if condition is None else Join(one, other, condition)
