"""Row windows over one stream, computed together: the longest has the rows of all.

    ω 5 S, ω 10 S       ═►      π (σ (i = 0) (ω ⟨5 10⟩ S)),  π (σ (i = 1) (ω ⟨5 10⟩ S))

ω 5 S is not a function of ω 10 S at an instant: which of ten rows are the newest five depends on their times
and, among equal times, on the rows (decision 0002). Whether a row is one of the newest n depends on how many
came after it, and that is counted once for all n. It has to be one partitioning and one slide; `within` only
ends a row sooner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Literal, column
from slackwater.algebra.types import BIGINT
from slackwater.base.time import INFINITY
from slackwater.optimize.build import call
from slackwater.optimize.rebuild import only, with_inputs
from slackwater.optimize.sharing.cost import MARGIN, Costs
from slackwater.optimize.sharing.normal import Interner

LAW = "ω n S = π (σ (i = n) (ω ⟨… n …⟩ S))"
MOST = 8
"""So many windows are computed together: each looks at the rows of all."""


@dataclass(frozen=True, slots=True)
class Nested:
    """Row windows that are computed together."""

    rows: tuple[algebra.Rows, ...]

    @property
    def title(self) -> str:
        names = [node.name for node in self.rows[0].walk() if isinstance(node, algebra.Stream)]
        counts = " and ".join(str(window.count) for window in self.rows)
        by = f" by {', '.join(self.rows[0].partition)}" if self.rows[0].partition else ""
        return f"the newest {counts} rows{by} of {' and '.join(names)}"

    @property
    def plans(self) -> dict[int, Operator]:
        """Each window over all of them together, by its identity."""
        first = self.rows[0]
        name = "window:"
        while name in first.schema:
            name += ":"
        windows = tuple((one.count, one.within) for one in self.rows)
        nested = algebra.NestedRows(first.source, windows, first.slide, first.partition, name)
        number = column(name, BIGINT)
        return {
            id(one): only(algebra.Select(nested, call("eq", number, Literal(BIGINT, at))), first.schema)
            for at, one in enumerate(self.rows)
        }

    def costs(self, costs: Costs) -> tuple[float, float]:
        """What the windows cost together, and one by one."""
        source = [self.rows[0].source]
        return costs.of(self.plans.values(), source), costs.of(self.rows, source)

    def pays(self, costs: Costs) -> bool:
        together, alone = self.costs(costs)
        return together < MARGIN * alone


class RowWindows:
    """The row windows of plans; those that are in `running` plans stay as they are."""

    def __init__(self, plans: Mapping[str, Operator], running: Iterable[Operator], costs: Costs) -> None:
        intern = Interner()
        staying = {id(node) for plan in running for node in intern(plan).walk()}
        self._plans = {name: intern(plan) for name, plan in plans.items()}
        alike: dict[tuple[object, ...], dict[int, algebra.Rows]] = {}
        for node in (node for plan in self._plans.values() for node in plan.walk()):
            if isinstance(node, algebra.Rows) and node.count < INFINITY and id(node) not in staying:
                key = (id(node.source), node.partition, node.slide)
                alike.setdefault(key, {})[id(node)] = node
        self._nested = [
            one for rows in alike.values() for one in _together(list(rows.values())) if one.pays(costs)
        ]
        self._done: dict[int, Operator] = {}

    def plans(self) -> dict[str, Operator]:
        """The plans over row windows that are computed together."""
        places = {place: plan for nested in self._nested for place, plan in nested.plans.items()}
        return (
            {name: self._over(plan, places) for name, plan in self._plans.items()} if places else self._plans
        )

    def uses(self) -> Iterable[tuple[str, Nested]]:
        """The queries that have such windows."""
        for name, plan in self._plans.items():
            nodes = {id(node) for node in plan.walk()}
            for nested in self._nested:
                if any(id(window) in nodes for window in nested.rows):
                    yield name, nested

    def _over(self, plan: Operator, places: Mapping[int, Operator]) -> Operator:
        if id(plan) not in self._done:
            again = places.get(id(plan), plan)
            below = tuple(self._over(source, places) for source in again.inputs)
            self._done[id(plan)] = with_inputs(again, below)
        return self._done[id(plan)]


def _together(rows: list[algebra.Rows]) -> list[Nested]:
    """Windows of similar lengths together."""
    ordered = sorted(rows, key=lambda window: (window.count, window.within))
    parts = [ordered[at : at + MOST] for at in range(0, len(ordered), MOST)]
    return [Nested(tuple(part)) for part in parts if len(part) > 1]
