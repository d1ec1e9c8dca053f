"""A block prepared for matching: as the query that is to be answered, and as the view that answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from slackwater.algebra import Operator
from slackwater.algebra.expressions import Aggregation, Column, Expression, changed
from slackwater.base.tree import rebuild
from slackwater.optimize.sharing.blocks import Block, Columns, Partner, renumbered
from slackwater.optimize.sharing.conditions import Classes, Facts, canonical, canonical_call, facts_of


@dataclass(frozen=True)
class Form:
    """A block with what follows from it; `root` is the plan that it is the normal form of."""

    root: Operator
    block: Block

    @cached_property
    def facts(self) -> Facts:
        return facts_of(self.block.conditions)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """Equal for blocks over the same leaves."""
        return tuple(sorted(map(id, self.block.leaves)))

    @cached_property
    def partners(self) -> frozenset[Partner]:
        return frozenset(canonical_partner(partner, self.facts.classes) for partner in self.block.partners)

    @cached_property
    def keys(self) -> tuple[Expression, ...]:
        """The keys in canonical form."""
        grouping = self.block.grouping
        return () if grouping is None else tuple(canonical(k, self.facts.classes) for k in grouping.keys)

    @cached_property
    def calls(self) -> tuple[Aggregation, ...]:
        """The aggregates in canonical form."""
        grouping = self.block.grouping
        calls = () if grouping is None else grouping.aggregations
        return tuple(canonical_call(call, self.facts.classes) for call in calls)

    def ungrouped(self, expr: Expression) -> Expression:
        """An expression over keys and aggregates, over the columns of the leaves instead.

        An aggregate becomes a column that is named by what it computes.
        """
        if self.block.grouping is None:
            return canonical(expr, self.facts.classes)
        return canonical(changed(expr, lambda part: _value(part, self._groups)), self.facts.classes)

    @cached_property
    def _groups(self) -> Columns:
        """The keys and aggregates by the names that they have above the grouping."""
        keys = {f"k:{at}": key for at, key in enumerate(self.keys)}
        return keys | {f"f:{at}": aggregate(call) for at, call in enumerate(self.calls)}

    def moved(self, places: Mapping[int, int]) -> Form:
        """The same form with its leaves in other places."""
        block, at = self.block, places.__getitem__
        leaves = [block.leaves[old] for old, _ in sorted(places.items(), key=lambda pair: pair[1])]
        grouping = block.grouping and rebuild(block.grouping, Expression, lambda e: renumbered(e, at))
        columns = block.columns
        if grouping is None:
            columns = {name: renumbered(expr, at) for name, expr in columns.items()}
        conditions = tuple(renumbered(condition, at) for condition in block.conditions)
        partners = tuple(Partner(p.kind, p.right, renumbered(p.on, at)) for p in block.partners)
        return Form(
            self.root,
            Block(tuple(leaves), columns, conditions, partners, grouping, block.having, block.times),
        )


def aggregate(call: Aggregation) -> Column:
    """The aggregate as a column, equal for equal aggregates."""
    code = b"" if call.user is None else call.user.code  # a function without a path: two may be written alike
    return Column(call.type, f"={call!r}{sha256(code).hexdigest() if code else ''}")


def canonical_partner(partner: Partner, classes: Classes) -> Partner:
    return Partner(partner.kind, partner.right, canonical(partner.on, classes))


def _value(part: Expression, values: Columns) -> Expression | None:
    return values.get(part.name) if isinstance(part, Column) else None
