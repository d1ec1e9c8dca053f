"""Columns that no operator above reads are dropped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from slackwater.algebra import (
    Aggregate,
    AntiJoin,
    Assign,
    Fixed,
    Group,
    Operator,
    Over,
    Project,
    Range,
    Rstream,
    Schema,
    Select,
    SemiJoin,
    Session,
    Sessions,
    Sliding,
    Stamp,
    Synchronize,
    Union,
    Unnest,
    When,
)
from slackwater.algebra.expressions import Expression
from slackwater.algebra.joins import Conditional, Product
from slackwater.base.rules import whole
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.rebuild import only, with_inputs

Names = frozenset[str]


@whole
def prune_columns(plan: Operator) -> Operator:
    """π a (f R) = π a (f (π b R)), if b holds a and what f looks at

    For each operator from the top: sources, joins and unions give only what is used above them. It
    stops at operators that look at whole rows (δ, -, ∩, Istream and Dstream, and Rows, whose ties
    are broken by the row): there all columns are used. A relation keeps at least one column.
    """
    return _Pruning().pruned(plan, frozenset(plan.schema.names))


class _Pruning:
    """Remembers what became of an operator of which the same columns are used elsewhere."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Names], tuple[Operator, Operator]] = {}

    def pruned(self, plan: Operator, used: Names) -> Operator:
        """The plan with the used columns among those it gives, in their order."""
        key = (id(plan), used)
        if key not in self._known:
            self._known[key] = (plan, self._pruned(plan, used))
        return self._known[key][1]

    def _pruned(self, plan: Operator, used: Names) -> Operator:
        match plan:
            case Project():
                computed = tuple((name, expr) for name, expr in plan.columns if name in used)
                computed = computed or plan.columns[:1]
                source = self.pruned(plan.source, _seen(expr for _, expr in computed))
                return replace(plan, source=source, columns=computed)
            case Select() | Group():
                return plan.over(self.pruned(plan.source, used | _seen(plan.expressions)))
            case Unnest():
                return self._unnest(plan, used)
            case When():
                return plan.over(self._narrowed(plan.source, used | _seen(plan.expressions)))
            case Stamp() if plan.column not in used:
                return self.pruned(plan.source, used)
            case Stamp():
                return plan.over(self._narrowed(plan.source, used))
            case Synchronize():
                return replace(plan, source=self._narrowed(plan.source, used), events=self._events(plan))
            case Range() | Sliding() | Fixed() | Rstream():
                return plan.over(self._narrowed(plan.source, used))
            case Session():
                return plan.over(self._narrowed(plan.source, used | set(plan.partition)))
            case Assign() | Sessions():
                return plan.over(self._narrowed(plan.source, used | _seen(plan.expressions)))
            case Aggregate():
                return self._aggregate(plan, used)
            case Over():
                return self._over(plan, used)
            case Union():
                return plan.over(self._narrowed(plan.left, used), self._narrowed(plan.right, used))
            case Product() | Conditional():
                seen = _seen(plan.expressions)
                left_used = used | seen
                right_used = seen if isinstance(plan, SemiJoin | AntiJoin) else left_used
                return plan.over(self._narrowed(plan.left, left_used), self._narrowed(plan.right, right_used))
            case _:
                whole = (self.pruned(source, frozenset(source.schema.names)) for source in plan.inputs)
                return with_inputs(plan, tuple(whole))

    def _events(self, plan: Synchronize) -> Operator | None:
        """Of events only the instants count."""
        if plan.events is None:
            return None
        return self._narrowed(plan.events, frozenset(plan.events.schema.names[:1]))

    def _unnest(self, plan: Unnest, used: Names) -> Operator:
        source = self.pruned(plan.source, used | _seen(plan.expressions))
        dropped = tuple(name for name in source.schema.names if name not in used)
        ordinal = plan.ordinal if plan.ordinal in used else ""
        return replace(plan, source=source, dropped=dropped, ordinal=ordinal)

    def _aggregate(self, plan: Aggregate, used: Names) -> Operator:
        calls = tuple((name, call) for name, call in plan.aggregations if name in used)
        if not plan.keys:
            calls = calls or plan.aggregations[:1]
        narrow = replace(plan, aggregations=calls)
        return narrow.over(self._narrowed(plan.source, _seen(narrow.expressions)))

    def _over(self, plan: Over, used: Names) -> Operator:
        """Calls that are not used are dropped; where ties matter, all columns of the input are used."""
        limited = {plan.limit[0]} if plan.limit is not None else set()
        calls = tuple((name, call) for name, call in plan.calls if name in used | limited)
        if not calls:
            return self.pruned(plan.source, used)
        narrow = replace(plan, calls=calls)
        own = frozenset(name for name, _ in calls)
        return narrow.over(self._narrowed(plan.source, (used - own) | narrow.looks_at))

    def _narrowed(self, plan: Operator, used: Names) -> Operator:
        """The plan with exactly the used columns."""
        narrow = tuple((name, type_) for name, type_ in plan.schema if name in used)
        schema = Schema(narrow or plan.schema.columns[:1])
        return only(self.pruned(plan, frozenset(schema.names)), schema)


def _seen(exprs: Iterable[Expression]) -> Names:
    return frozenset[str]().union(*map(columns, exprs))
