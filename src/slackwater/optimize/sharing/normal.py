"""The normal form of a plan: a select-project-join-group-by block over leaves.      Goldstein, Larson 2001, 3

    π f ∘ aggregates (σ having (α keys aggregates (σ conditions (leaf 0 × leaf 1 × …))))

A leaf is any other operator, and is compared by equality. A column of a leaf is named `0:a`, by the leaf's
number. Time windows are leaves over the whole stream: conditions and projections below one are above it in
the block, because when an element ends depends on its time alone. The block is synchronized as a whole
(SyncSQL 5.1, skinning): Θ (ℜ P R) = ℜ P (Θ R) for what looks at one instant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import (
    Aggregation,
    Call,
    Cast,
    Column,
    Expression,
    changed,
    column,
    conjuncts,
)
from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, INT, SMALLINT, TINYINT
from slackwater.base.tree import rebuild
from slackwater.optimize.build import TRUE, every, selected
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.rebuild import likeness, substituted, with_inputs
from slackwater.optimize.sharing.blocks import (
    RIGHT,
    Block,
    Columns,
    Grouping,
    Partner,
    Times,
    aggregate_column,
    key_column,
    leaf_column,
    shifted,
)
from slackwater.optimize.sharing.streams import TIME, of_stream

_SMALL = (TINYINT, SMALLINT, INT)


class Interner:
    """Makes equal plans one object, so that leaves are compared by identity."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Operator] = {}
        self._done: dict[int, tuple[Operator, Operator]] = {}

    def __call__(self, plan: Operator) -> Operator:
        if id(plan) not in self._done:
            again = with_inputs(plan, tuple(self(source) for source in plan.inputs))
            one = self._known.setdefault(likeness(again), again)
            self._done[id(plan)] = (plan, one)
            self._done.setdefault(id(one), (one, one))
        return self._done[id(plan)][1]


class Normalizer:
    """Finds the blocks of plans; the leaves of all of them that are equal are one object."""

    def __init__(self, intern: Interner) -> None:
        self._intern = intern
        self._known: dict[int, tuple[Operator, Block]] = {}

    def blocks(self, plan: Operator) -> Iterator[tuple[Operator, Block]]:
        """The maximal blocks in an interned plan, each with the operator that it is the normal form of."""
        seen: set[int] = set()
        waiting = [plan]
        while waiting:
            root = waiting.pop()
            if id(root) in seen:
                continue
            seen.add(id(root))
            if root.kind is Kind.STREAM:
                waiting += root.inputs
                continue
            block = self.block(root)
            if not block.is_bare:
                yield root, block
            for under in block.below:
                waiting += under.inputs if under is root else [under]
            waiting += [partner.right for partner in block.partners]

    def block(self, plan: Operator) -> Block:
        """The normal form of a relation."""
        if id(plan) not in self._known:
            self._known[id(plan)] = (plan, self._block(plan))
        return self._known[id(plan)][1]

    def _leaf(self, plan: Operator) -> Block:
        plan = self._intern(plan)
        columns: Columns = {name: leaf_column(0, name, type_) for name, type_ in plan.schema}
        return Block((plan,), columns, below=(plan,))

    def _block(self, plan: Operator) -> Block:
        match plan:
            case algebra.Select():
                return self._selected(plan, plan.source, plan.predicate)
            case algebra.Group():
                same = Call(BOOLEAN, "is_not_distinct_from", (plan.by, plan.member))
                return self._selected(plan, plan.source, same)
            case algebra.Project():
                below = self.block(plan.source)
                return replace(below, columns=_computed(plan, below.columns))
            case algebra.Range() | algebra.Sliding() | algebra.Fixed():
                return self._window(plan)
            case algebra.Product():
                return self._joined(plan, TRUE)
            case algebra.Join():
                return self._joined(plan, plan.on)
            case algebra.SemiJoin() | algebra.AntiJoin():
                return self._partnered(plan)
            case algebra.OuterJoin():
                return self._outer(plan)
            case algebra.Aggregate():
                return self._grouped(plan, plan.source, [e for _, e in plan.keys], plan.aggregations)
            case algebra.Distinct():
                keys = [column(name, type_) for name, type_ in plan.schema]
                return self._grouped(plan, plan.source, keys, ())
            case algebra.Synchronize():
                return self._synchronized(plan)
            case _:
                return self._leaf(plan)

    def _selected(self, plan: Operator, source: Operator, predicate: Expression) -> Block:
        """A condition that may fail stays where it is: elsewhere it could see rows that others refuse."""
        below = self.block(source)
        parts = [substituted(part, below.columns) for part in conjuncts(predicate)]
        if any(map(may_fail, parts)):
            return self._leaf(plan)
        if below.grouping is not None:
            return replace(below, having=(*below.having, *parts))
        return replace(below, conditions=(*below.conditions, *parts))

    def _window(self, plan: algebra.Range | algebra.Sliding | algebra.Fixed) -> Block:
        base, conditions, columns = of_stream(plan.source, "0:")
        if any(map(may_fail, conditions)):
            return self._leaf(plan)
        window = self._intern(plan.over(base))
        return Block((window,), columns, tuple(conditions), below=(base,))

    def _joined(self, plan: algebra.Product | algebra.Join, on: Expression) -> Block:
        left, right = self._ungrouped(plan.left), self._ungrouped(plan.right)
        if left.times != right.times:
            left, right = (
                self._leaf_of(side, block) for side, block in ((plan.left, left), (plan.right, right))
            )
        shift = len(left.leaves)
        moved = {name: shifted(expr, shift) for name, expr in right.columns.items()}
        columns = left.columns | moved
        parts = [] if on == TRUE else [substituted(part, columns) for part in conjuncts(on)]
        if any(map(may_fail, parts)):
            return self._leaf(plan)
        partners = (replace(one, on=shifted(one.on, shift)) for one in right.partners)
        conditions = (shifted(condition, shift) for condition in right.conditions)
        return Block(
            (*left.leaves, *right.leaves), columns, (*left.conditions, *conditions, *parts),
            (*left.partners, *partners), times=left.times, below=(*left.below, *right.below),
        )  # fmt: skip

    def _partnered(self, plan: algebra.SemiJoin | algebra.AntiJoin) -> Block:
        left = self._ungrouped(plan.left)
        rights: Columns = {name: column(RIGHT + name, type_) for name, type_ in plan.right.schema}
        on = substituted(plan.on, left.columns | rights)
        if may_fail(on) or not left.times.is_always:
            return self._leaf(plan)
        return replace(left, partners=(*left.partners, Partner(type(plan), self._intern(plan.right), on)))

    def _outer(self, plan: algebra.OuterJoin) -> Block:
        """(σ p R) ⟕ q S = σ p (R ⟕ q S), and R ⟖ S = S ⟕ R: a leaf, and the conditions on R above it.

        The leaf is there to be compared, and joins whole inputs.
        """
        sides = (plan.left, plan.right) if plan.side is not algebra.Side.RIGHT else (plan.right, plan.left)
        preserved, other = map(self.block, sides)
        if plan.side is algebra.Side.FULL or not (_is_simple(preserved) and _is_simple(other)):
            return self._leaf(plan)
        others = {name: shifted(expr, 1) for name, expr in other.columns.items()}
        on = conjuncts(substituted(plan.on, preserved.columns | others))
        right = selected(_numbered(other.leaves[0], 1), _ordered(shifted(c, 1) for c in other.conditions))
        join = algebra.OuterJoin(_numbered(preserved.leaves[0], 0), right, every(_ordered(on)))

        def inside(expr: Expression) -> Expression:
            return changed(
                expr, lambda part: leaf_column(0, part.name, part.type) if isinstance(part, Column) else None
            )

        columns = {name: inside(expr) for name, expr in (preserved.columns | others).items()}
        conditions = tuple(map(inside, preserved.conditions))
        return Block((self._intern(join),), columns, conditions, below=(*preserved.below, *other.below))

    def _grouped(
        self,
        plan: Operator,
        source: Operator,
        keys: Sequence[Expression],
        calls: tuple[tuple[str, Aggregation], ...],
    ) -> Block:
        below = self._ungrouped(source)
        if not keys and not below.times.is_always:
            # Before the first point ℜ has no row, an aggregate without keys has one.
            below = self._leaf(source)
        grouping = Grouping(
            tuple(substituted(key, below.columns) for key in keys),
            tuple(
                rebuild(part, Expression, lambda e: substituted(e, below.columns))
                for _, call in calls
                for part in _parts(call)
            ),
        )
        values: list[Expression] = [key_column(at, key.type) for at, key in enumerate(keys)]
        at = 0
        for _, call in calls:
            values.append(_value(call, at))
            at += len(_parts(call))
        columns = dict(zip(plan.schema.names, values, strict=True))
        return replace(below, columns=columns, grouping=grouping)

    def _synchronized(self, plan: algebra.Synchronize) -> Block:
        """ℜ P (ℜ Q R) = ℜ P R, if P ⊆ Q      theorem 1"""
        below = self.block(plan.source)
        events = None if plan.events is None else self._intern(plan.events)
        times = Times(plan.points, events)
        return replace(below, times=times) if times <= below.times else self._leaf(plan)

    def _ungrouped(self, plan: Operator) -> Block:
        """The block of an input that is joined or grouped: an aggregate is a leaf of it."""
        return self._leaf_of(plan, self.block(plan)) if self.block(plan).grouping else self.block(plan)

    def _leaf_of(self, plan: Operator, block: Block) -> Block:
        return block if block.grouping is None and block.times.is_always else self._leaf(plan)


def _parts(call: Aggregation) -> tuple[Aggregation, ...]:
    """The aggregates that the value of one is computed from: AVG is SUM / COUNT, as kernels compute it.

    Of a larger integer the sum might not fit, and of doubles it is rounded.
    """
    if call.function != "avg" or call.distinct or call.argument is None or call.argument.type not in _SMALL:
        return (call,)
    return tuple(Aggregation(BIGINT, function, call.argument) for function in ("sum", "count"))


def _value(call: Aggregation, at: int) -> Expression:
    """The value of an aggregate, from its parts, of which the first has this number."""
    if len(_parts(call)) == 1:
        return aggregate_column(at, call.type)
    total, count = (Cast(DOUBLE, aggregate_column(number, BIGINT)) for number in (at, at + 1))
    return Call(DOUBLE, "divide", (total, count))


def _computed(plan: algebra.Project, values: Columns) -> Columns:
    return {name: substituted(expr, values) for name, expr in plan.columns}


def _is_simple(block: Block) -> bool:
    """Whether it is one leaf with conditions and computed columns, at every instant."""
    exprs = (*block.columns.values(), *block.conditions)
    has_time = any(isinstance(p, Column) and p.name.endswith(f":{TIME}") for e in exprs for p in e.walk())
    is_one = len(block.leaves) == 1 and not block.partners and block.grouping is None
    return is_one and block.times.is_always and not has_time


def _numbered(leaf: Operator, number: int) -> Operator:
    """The leaf with its columns named as in a block."""
    names = tuple((f"{number}:{name}", column(name, type_)) for name, type_ in leaf.schema)
    return algebra.Project(leaf, names)


def _ordered(conditions: Iterable[Expression]) -> list[Expression]:
    return sorted(conditions, key=repr)
