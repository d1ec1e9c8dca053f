"""Whether a query can be computed from a view, and how.      Goldstein, Larson 2001, 3.1 to 3.3

Q = f(V) at every instant if

* both have the same leaves,
* the columns that V makes equal are equal in Q, the ranges of V contain those of Q, and Q implies the
  other conditions of V,
* what is left of Q's conditions, its outputs, keys and aggregates can be computed from the columns of V,
* V is not grouped, or Q's groups are V's, or unions of them, with aggregates that can be put together,
* and Q changes at points of V only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from slackwater.algebra.expressions import Aggregation, Column, Expression, Literal
from slackwater.algebra.types import BIGINT
from slackwater.base.tree import rebuild
from slackwater.optimize.sharing.align import orders
from slackwater.optimize.sharing.blocks import RIGHT, Partner
from slackwater.optimize.sharing.conditions import canonical, canonical_call, equal_columns, readable
from slackwater.optimize.sharing.form import Form, aggregate, canonical_partner

_AGAIN = {"sum": "sum", "min": "min", "max": "max"}
"""The aggregate of partial results, by aggregate."""


@dataclass(frozen=True, slots=True)
class Regrouped:
    """An aggregate of the query over the view's rows; `zero` is its value where it would be NULL."""

    call: Aggregation
    zero: Literal | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """How the query is computed over the view's columns: conditions, groups, and its own last steps."""

    query: Form
    view: Form
    conditions: tuple[Expression, ...] = ()
    partners: tuple[Partner, ...] = ()
    keys: tuple[Expression, ...] | None = None
    """The query's keys, if it is grouped."""
    regrouped: tuple[Regrouped, ...] | None = None
    """Its aggregates, if the view's rows are grouped again."""
    values: tuple[Expression, ...] = ()
    """Its aggregates, if the view's groups are its own."""
    outputs: tuple[tuple[str, Expression], ...] = field(default=())
    """Its columns, if it is not grouped."""


def matched(query: Form, view: Form) -> Match | None:
    """The query over the view, if it can be computed from it."""
    if query.leaves != view.leaves or not query.block.times <= view.block.times:
        return None
    for places in orders(query, view):
        aligned = view if places is None else view.moved(places)
        if (match := _Matching(query, aligned).match()) is not None:
            return match
    return None


class _Matching:
    """One query and one view with their leaves in the same order."""

    def __init__(self, query: Form, view: Form) -> None:
        self.query, self.view = query, view
        self.classes = query.facts.classes
        self.rows: dict[Expression, Column] = {}
        """The view's columns by what they are, for values of single rows and of its keys."""
        self.aggregates: dict[Expression, Column] = {}
        for name, expr in view.block.columns.items():
            value = canonical(view.ungrouped(expr), self.classes)
            table = self.aggregates if any(map(_is_aggregate, value.walk())) else self.rows
            table.setdefault(self._renamed(value), Column(expr.type, name))

    def match(self) -> Match | None:
        if not self._contains_rows():
            return None
        conditions = self._conditions()
        partners = self._partners()
        if conditions is None or partners is None:
            return None
        query, view = self.query, self.view
        if view.block.grouping is None:
            return self._over_rows(conditions, partners)
        if query.block.grouping is None or (partners and view.keys == ()):
            return None
        return self._over_groups(conditions, partners)

    def _contains_rows(self) -> bool:
        """Whether all rows that the query accepts are rows that the view accepts."""
        facts = self.query.facts
        theirs = frozenset(canonical_partner(one, self.classes) for one in self.view.block.partners)
        return theirs <= self.query.partners and all(map(facts.implies, self.view.block.conditions))

    def _conditions(self) -> tuple[Expression, ...] | None:
        """Those of the query that the view has not seen to, over its columns."""
        left: list[Expression] = []
        for condition in self.query.block.conditions:
            if self.view.facts.implies(condition):
                continue
            # What makes columns equal must not use that they are.
            computed = self._apart(condition) if equal_columns(condition) else self.computed(condition)
            if computed is None:
                return None
            if computed not in left:
                left.append(readable(computed))
        return tuple(left)

    def _apart(self, condition: Expression) -> Expression | None:
        """The equality of two columns, each as the view has it."""
        table: dict[Expression, Column] = {}
        for name, expr in self.view.block.columns.items():
            value = self.view.ungrouped(expr)
            if not any(map(_is_aggregate, value.walk())):
                table.setdefault(value, Column(expr.type, name))
        return computed_from(canonical(condition, self.view.facts.classes), table)

    def _partners(self) -> tuple[Partner, ...] | None:
        theirs = frozenset(canonical_partner(one, self.classes) for one in self.view.block.partners)
        left: list[Partner] = []
        for partner in self.query.block.partners:
            if canonical_partner(partner, self.classes) in theirs:
                continue
            on = self.computed(partner.on)
            if on is None:
                return None
            left.append(Partner(partner.kind, partner.right, on))
        return tuple(left)

    def computed(self, expr: Expression) -> Expression | None:
        """The value of a row of the query, over the view's columns; None where they do not suffice."""
        return computed_from(self._known(canonical(expr, self.classes)), self.rows)

    def _known(self, expr: Expression) -> Expression:
        """With columns that have one value only replaced by it, unless the view has them."""
        literals = self.query.facts.literals
        if isinstance(expr, Column) and expr.name in literals and expr not in self.rows:
            return literals[expr.name]
        return rebuild(expr, Expression, self._known)

    def _over_rows(self, conditions: tuple[Expression, ...], partners: tuple[Partner, ...]) -> Match | None:
        block = self.query.block
        if block.grouping is None:
            outputs = [(name, self.computed(expr)) for name, expr in block.columns.items()]
            known = tuple((name, value) for name, value in outputs if value is not None)
            if len(known) < len(outputs):
                return None
            return Match(self.query, self.view, conditions, partners, outputs=known)
        keys = _all(self.computed(key) for key in block.grouping.keys)
        calls = _all(self._call(call) for call in block.grouping.aggregations)
        if keys is None or calls is None:
            return None
        return Match(self.query, self.view, conditions, partners, keys, tuple(map(Regrouped, calls)))

    def _call(self, call: Aggregation) -> Aggregation | None:
        """The aggregate of the query over the rows of the view."""
        if call.argument is None:
            return call
        argument = self.computed(call.argument)
        if argument is None:
            return None
        return replace(call, argument=argument)

    def _over_groups(self, conditions: tuple[Expression, ...], partners: tuple[Partner, ...]) -> Match | None:
        block, grouping = self.query.block, self.query.block.grouping
        assert grouping is not None
        keys = _all(self.computed(key) for key in grouping.keys)
        if keys is None or (not self.view.keys and (grouping.keys or conditions or partners)):
            return None
        is_same = self._has_same_groups()
        if not is_same and self.view.block.having:
            return None
        having = frozenset(map(self.query.ungrouped, block.having))
        if any(canonical(self.view.ungrouped(c), self.classes) not in having for c in self.view.block.having):
            return None
        if is_same:
            values = _all(self._aggregate(call) for call in self.query.calls)
            if values is None:
                return self._over_same_groups(conditions, partners)
            return Match(self.query, self.view, conditions, partners, keys, values=values)
        calls = _all(self._regrouped(call) for call in self.query.calls)
        return None if calls is None else Match(self.query, self.view, conditions, partners, keys, calls)

    def _over_same_groups(
        self, conditions: tuple[Expression, ...], partners: tuple[Partner, ...]
    ) -> Match | None:
        """The query's columns as the view has them: an average without its sum and count."""
        block, table = self.query.block, self.rows | self.aggregates
        having = _all(computed_from(self.query.ungrouped(part), table) for part in block.having)
        values = _all(computed_from(self.query.ungrouped(expr), table) for expr in block.columns.values())
        if having is None or values is None:
            return None
        outputs = tuple(zip(block.columns, values, strict=True))
        return Match(self.query, self.view, (*conditions, *having), partners, outputs=outputs)

    def _has_same_groups(self) -> bool:
        """Whether each group of the query is one group of the view."""
        if not self.query.keys:
            return not self.view.keys
        mine = frozenset(self.query.keys)
        return all(self._is_fixed(canonical(key, self.classes), mine) for key in self.view.keys)

    def _is_fixed(self, expr: Expression, by: frozenset[Expression]) -> bool:
        """Whether the value is the same in all rows in which these values are."""
        match expr:
            case _ if expr in by:
                return True
            case Column():
                return expr.name in self.query.facts.literals
            case _:
                return all(self._is_fixed(part, by) for part in expr.parts)

    def _aggregate(self, call: Aggregation) -> Expression | None:
        """The aggregate of a group, as the view has it or as a function of its key."""
        for same in self._alike(call):
            if (known := self.aggregates.get(aggregate(same))) is not None:
                return known
        if call.argument is not None and (call.distinct or call.function in ("min", "max")):
            # All rows of a group have the same key.
            argument = self.computed(call.argument)
            if argument is not None and call.function in ("min", "max"):
                return argument
        return None

    def _regrouped(self, call: Aggregation) -> Regrouped | None:
        """The aggregate of groups of the view, together."""
        if call.argument is not None and (call.distinct or call.function in ("min", "max")):
            argument = self.computed(call.argument)
            if argument is not None:
                return Regrouped(replace(call, argument=argument, origin=None))
        if call.distinct:
            return None
        known = next((f for c in self._alike(call) if (f := self.aggregates.get(aggregate(c)))), None)
        if known is None:
            return None
        if call.function == "count":
            return Regrouped(Aggregation(BIGINT, "sum", known), Literal(BIGINT, 0))
        # The sum of doubles is rounded once: the sum of rounded sums is another number.
        if call.function not in _AGAIN or (call.function == "sum" and call.type.is_floating):
            return None
        return Regrouped(Aggregation(call.type, _AGAIN[call.function], known))

    def _alike(self, call: Aggregation) -> Iterator[Aggregation]:
        """The aggregates that have the same value: COUNT(x) is COUNT(*) where x is not NULL."""
        yield call
        if call.function != "count" or call.distinct:
            return
        for other in self.view.calls:
            same = canonical_call(other, self.classes)
            if other.function == "count" and not other.distinct and self._counts_all(call, same):
                yield same

    def _counts_all(self, *calls: Aggregation) -> bool:
        """Whether each COUNT counts every row of the view."""
        facts = self.view.facts
        arguments = [call.argument for call in calls if call.argument is not None]
        return all(isinstance(one, Column) and facts.of(one.name) in facts.not_null for one in arguments)

    def _renamed(self, value: Expression) -> Expression:
        """With the aggregates in it named under the query's classes."""
        if not self.classes:
            return value
        names = {aggregate(call): aggregate(canonical_call(call, self.classes)) for call in self.view.calls}

        def renamed(part: Expression) -> Expression:
            if isinstance(part, Column):
                return names.get(part, part)
            return rebuild(part, Expression, renamed)

        return renamed(value)


def computed_from(expr: Expression, table: Mapping[Expression, Column]) -> Expression | None:
    """The expression over the columns of a table; None where one is missing."""
    if (known := table.get(expr)) is not None:
        return known
    if isinstance(expr, Column):
        return expr if expr.name.startswith(RIGHT) else None
    missing = False

    def part(inner: Expression) -> Expression:
        nonlocal missing
        value = computed_from(inner, table)
        missing = missing or value is None
        return inner if value is None else value

    rebuilt = rebuild(expr, Expression, part)
    return None if missing else rebuilt


def _is_aggregate(part: Expression) -> bool:
    return isinstance(part, Column) and part.name.startswith("=")


def _all(values: Iterable) -> tuple | None:  # type: ignore[type-arg]
    every = tuple(values)
    return None if any(value is None for value in every) else every
