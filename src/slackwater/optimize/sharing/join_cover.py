"""Joins of the same inputs by the same columns, computed once for queries none of which contains another.

    σ p (ω 5 S ⋈ k ω 9 T)                C = σ r (ω 7 (τ S) ⋈ k ω 9 (τ T)),     p ⇒ r, q ⇒ r
    σ q (ω 7 S ⋈ k ω 2 T)        ═►      σ p (C when NOW ≤ u + 5),   σ q (C when NOW ≤ v + 2)

A row of ω 7 S is one of ω 5 S for as long as it is at most 5 old, and a pair is there while both rows are: so
the condition on the pair's stamps u and v is the narrower windows. The cover has the conditions that all
members imply, and the columns that any of them needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Column, Expression, Literal, Now, column
from slackwater.algebra.types import BIGINT, BOOLEAN, Type
from slackwater.optimize.build import every, selected
from slackwater.optimize.cost.order import cheapest, graph_of
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.rebuild import substituted
from slackwater.optimize.sharing.blocks import Block, leaf_column
from slackwater.optimize.sharing.compensate import compensated, over, words
from slackwater.optimize.sharing.cost import MARGIN, Costs
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.match import Match, matched
from slackwater.optimize.sharing.streams import TIME

LAW = "σ p (ω r S ⋈ k T) = σ p (σ q (ω R (τ S) ⋈ k T) when NOW <= u + r), r ≤ R, p ⇒ q, u the stamp"


@dataclass(frozen=True)
class Joined:
    """A join of several inputs: what is below their windows, and how long these are."""

    form: Form
    bases: tuple[Operator, ...]
    lengths: tuple[int | None, ...]
    """How old a row of a window may be; None for an input that is no window of time."""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for joins of the same inputs by the same columns."""
        windows = tuple(length is not None for length in self.lengths)
        return tuple(map(id, self.bases)), windows, frozenset(self.form.facts.classes.items())

    @cached_property
    def used(self) -> dict[str, Type]:
        """The columns of leaves that it uses."""
        block = self.form.block
        exprs: list[Expression] = [*block.conditions]
        if block.grouping is None:
            exprs += block.columns.values()
        else:
            calls = block.grouping.aggregations
            exprs += [*block.grouping.keys, *(call.argument for call in calls if call.argument is not None)]
        parts = (part for expr in exprs for part in expr.walk())
        return {part.name: part.type for part in parts if isinstance(part, Column)}


def joined(form: Form, numbers: dict[int, int]) -> Joined | None:
    """The block as a join that others can share; its leaves in one order for all, that of their numbers."""
    block = form.block
    if len(block.leaves) < 2 or block.partners:
        return None
    inputs = [_window(leaf) for leaf in block.leaves]
    for base, _ in inputs:
        numbers.setdefault(id(base), len(numbers))
    order = sorted(range(len(inputs)), key=lambda at: (numbers[id(inputs[at][0])], at))
    moved = form.moved({old: new for new, old in enumerate(order)})
    bases, lengths = zip(*(inputs[old] for old in order), strict=True)
    return Joined(moved, bases, lengths)


def _window(leaf: Operator) -> tuple[Operator, int | None]:
    match leaf:
        case algebra.Range(slide=1):
            return leaf.source, leaf.duration
        case algebra.Sliding():
            return leaf.source, leaf.size - 1
    return leaf, None


class JoinCover:
    """The join that contains those of all members, and the members over it."""

    def __init__(self, members: Sequence[Joined], costs: Costs) -> None:
        self.members, self._costs = members, costs
        self.bases = members[0].bases
        several = list(zip(*(member.lengths for member in members), strict=True))
        self._lengths = [max((one for one in ones if one is not None), default=None) for ones in several]
        self._timed = [len(set(ones)) > 1 for ones in several]
        self._leaves = tuple(algebra.Relation(f"@{at}", base.schema) for at, base in enumerate(self.bases))
        candidates = dict.fromkeys(c for member in members for c in member.form.block.conditions)
        facts = [member.form.facts for member in members]
        self.conditions = [c for c in candidates if all(one.implies(c) for one in facts)]

    @property
    def title(self) -> str:
        """What to call it."""
        names = dict.fromkeys(
            node.name
            for base in self.bases
            for node in base.walk()
            if isinstance(node, algebra.Stream | algebra.Relation)
        )
        return f"a join of {' and '.join(names)} that {len(self.members)} queries share"

    @cached_property
    def _columns(self) -> dict[str, Expression]:
        """What a row of the cover has, by its name."""
        used: dict[str, Type] = {}
        for member in self.members:
            used |= member.used
        used |= {f"{at}:{TIME}": BIGINT for at, is_timed in enumerate(self._timed) if is_timed}
        plain = [name.partition(":")[2] for name in used]
        names = [
            short if plain.count(short) == 1 and short != TIME else f"{short.lstrip('@')}:{_place(name)}"
            for name, short in zip(used, plain, strict=True)
        ]
        return {name: column(leaf, used[leaf]) for name, leaf in zip(names, used, strict=True)}

    @cached_property
    def plan(self) -> Operator:
        """The join, in the cheapest order."""
        conditions = [one for one in self.conditions if len(_places(one)) > 1]
        graph = graph_of([self._input(at) for at in range(len(self.bases))], conditions)
        return algebra.Project(cheapest(graph, self._costs.estimator), tuple(self._columns.items()))

    def _input(self, at: int) -> Operator:
        """An input with the conditions on it alone, and the columns that are used."""
        plan, length = self.bases[at], self._lengths[at]
        own = [one for one in self.conditions if _places(one) == {at}]
        names = frozenset[str]().union(*map(columns, (*self._columns.values(), *self.conditions)))
        mine = {name: name.partition(":")[2] for name in sorted(names) if _place(name) == at}
        if f"{at}:{TIME}" in mine:
            plan = algebra.Stamp(plan, TIME)
        inside = {name: column(short, plan.schema.type_of(short)) for name, short in mine.items()}
        plan = selected(plan, [substituted(one, inside) for one in own])
        plan = algebra.Project(plan, tuple(inside.items()) or _any_column(plan, at))
        return plan if length is None else algebra.Range(plan, length)

    @cached_property
    def _form(self) -> Form:
        return Form(self.plan, Block(self._leaves, self._columns, tuple(self.conditions)))

    def match(self, member: Joined) -> Match:
        """How a member is computed from its windows of the cover."""
        block = replace(member.form.block, leaves=self._leaves)
        match = matched(Form(member.form.root, block), self._form)
        assert match is not None, "a cover contains its members"
        return match

    def member(self, member: Joined) -> Operator:
        """The member over the cover."""
        limits = self._limits(member)
        plan = algebra.When(self.plan, every(limits)) if limits else self.plan
        return over(compensated(self.match(member)), plan)

    def _limits(self, member: Joined) -> list[Expression]:
        """NOW <= u + r, for each narrower window."""
        names = {expr: name for name, expr in self._columns.items()}
        limits: list[Expression] = []
        for at, (length, widest) in enumerate(zip(member.lengths, self._lengths, strict=True)):
            if length is not None and length != widest:
                stamp = column(names[leaf_column(at, TIME, BIGINT)], BIGINT)
                last = Call(BIGINT, "add", (stamp, Literal(BIGINT, length)))
                limits.append(Call(BOOLEAN, "le", (Now(BIGINT), last)))
        return limits

    def words(self, member: Joined) -> str:
        """What is done on top of the cover, for a person."""
        narrow = [
            f"{length} of {_name(base)}"
            for base, length, widest in zip(self.bases, member.lengths, self._lengths, strict=True)
            if length is not None and length != widest
        ]
        windows = f"in the narrower window{'s' * (len(narrow) > 1)} of {' and '.join(narrow)}"
        return ", ".join(part for part in (words(self.match(member)), windows if narrow else "") if part)

    @cached_property
    def cost(self) -> float:
        """What the cover and all its members cost."""
        return self._costs.of([self.member(member) for member in self.members], self.bases)


def covers(joins: Iterable[Joined], costs: Costs) -> list[JoinCover]:
    """The covers that pay: each join in turn is added to the cover in which it costs least, or by itself."""
    alike: dict[tuple[object, ...], list[list[Joined]]] = {}
    totals: dict[int, float] = {}
    chosen: dict[int, JoinCover] = {}
    for join in joins:
        alone = costs.alone(join.form)
        groups = alike.setdefault(join.key, [])
        best: tuple[float, list[Joined], JoinCover] | None = None
        for group in groups:
            cover = JoinCover([*group, join], costs)
            added = cover.cost - totals[id(group)]
            if added < MARGIN * alone and (best is None or added < best[0]):
                best = (added, group, cover)
        if best is None:
            groups.append([join])
            totals[id(groups[-1])] = alone
        else:
            added, group, cover = best
            group.append(join)
            totals[id(group)] += added
            chosen[id(group)] = cover
    return list(chosen.values())


def _places(condition: Expression) -> set[int]:
    return {_place(name) for name in columns(condition)}


def _place(name: str) -> int:
    return int(name.partition(":")[0])


def _any_column(plan: Operator, at: int) -> tuple[tuple[str, Expression], ...]:
    """A relation has at least one column."""
    name, type_ = plan.schema.columns[0]
    return ((f"{at}:{name}", column(name, type_)),)


def _name(base: Operator) -> str:
    names = [node.name for node in base.walk() if isinstance(node, algebra.Stream | algebra.Relation)]
    return names[0] if names else "its input"
