"""Aggregates over windows that move in steps, computed from panes: each has the reference's answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import inputs
from laws.test_kernels_are_the_reference import cuts
from laws.test_queries_from_views import holds
from laws.views import DENSE, conditions, listed, planned, where
from slackwater.algebra import Operator, Synchronize
from slackwater.algebra.points import Points
from slackwater.optimize.sharing import shared
from slackwater.reference.bags import Changes

CALLS = ("COUNT(*)", "COUNT(x.b)", "SUM(x.b)", "MIN(x.b)", "MAX(x.a)", "SUM(x.a + x.b)", "AVG(x.b)")
KEYS = ("x.a", "x.c", "x.a + x.b")


@st.composite
def aggregates(draw: st.DrawFn, window: str) -> Operator:
    keys = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique=True))
    calls = draw(st.lists(st.sampled_from(CALLS), min_size=1, max_size=2))
    chosen = [draw(st.sampled_from(pair)) for pair in draw(st.lists(conditions(), max_size=2))]
    by = f" GROUP BY {', '.join(map(str, range(1, len(keys) + 1)))}" if keys else ""
    having = " HAVING COUNT(*) > 1" if keys and draw(st.integers(0, 3)) == 0 else ""
    return planned(f"SELECT {listed([*keys, *calls])} FROM S [{window}] AS x{where(chosen)}{by}{having}")


@st.composite
def sessions(draw: st.DrawFn) -> dict[str, Operator]:
    """Aggregates over windows that slide alike, or that are refreshed at points of one period."""
    count, step = draw(st.integers(3, 6)), draw(st.integers(2, 4))
    plans: dict[str, Operator] = {}
    slides, phase = draw(st.booleans()), draw(st.integers(0, 3))
    for number in range(count):
        duration = draw(st.integers(0, 9))
        if slides:
            plans[f"q{number}"] = draw(aggregates(f"RANGE {duration} SLIDE {step}"))
        else:
            points = Points.every(step * draw(st.integers(1, 2)), phase)
            plans[f"q{number}"] = Synchronize(draw(aggregates(f"RANGE {duration}")), points)
    return plans


@trying(150)
@given(sessions(), inputs, cuts)
def test_aggregates_of_panes_are_those_of_the_window(
    plans: dict[str, Operator], data: dict[str, Changes], at: list[int]
) -> None:
    for name, plan in shared(plans, DENSE).plans.items():
        holds(plans[name], plan, data, at)


def test_most_of_them_are_computed_from_panes() -> None:
    results: list[bool] = []

    @trying(50)
    @given(sessions())
    def share(plans: dict[str, Operator]) -> None:
        results.append(any(one.view.startswith("panes") for one in shared(plans, DENSE).rewritings))

    share()
    assert sum(results) >= len(results) / 2, f"{sum(results)} of {len(results)}"
