"""Row windows over one stream, computed together: each has the reference's answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import inputs
from laws.test_kernels_are_the_reference import cuts
from laws.test_queries_from_views import holds
from laws.views import DENSE, planned
from slackwater.algebra import NestedRows, Operator
from slackwater.optimize.sharing import shared
from slackwater.reference.bags import Changes


@st.composite
def sessions(draw: st.DrawFn) -> dict[str, Operator]:
    """Queries over row windows of one stream, of which some have a partition and a slide in common."""
    plans: dict[str, Operator] = {}
    for number in range(draw(st.integers(2, 5))):
        by = draw(st.sampled_from(("", "", "PARTITION BY a ", "PARTITION BY a, c ")))
        slide = draw(st.sampled_from(("", "", " SLIDE 2")))
        within = draw(st.sampled_from(("", "", f" RANGE {draw(st.integers(0, 5))}")))
        window = f"{by}ROWS {draw(st.integers(1, 6))}{within if by else ''}{slide}"
        text = draw(st.sampled_from((
            f"SELECT a, c FROM S [{window}]",
            f"SELECT b FROM S [{window}] WHERE a > 0",
            f"SELECT a, COUNT(*) AS n FROM S [{window}] GROUP BY a",
        )))  # fmt: skip
        plans[f"q{number}"] = planned(text)
    return plans


@trying(150)
@given(sessions(), inputs, cuts)
def test_each_window_has_its_own_rows(
    plans: dict[str, Operator], data: dict[str, Changes], at: list[int]
) -> None:
    for name, plan in shared(plans, DENSE).plans.items():
        holds(plans[name], plan, data, at)


def test_many_of_them_are_computed_together() -> None:
    results: list[bool] = []

    @trying(50)
    @given(sessions())
    def share(plans: dict[str, Operator]) -> None:
        nodes = (node for plan in shared(plans, DENSE).plans.values() for node in plan.walk())
        results.append(any(isinstance(node, NestedRows) for node in nodes))

    share()
    assert sum(results) >= len(results) / 3, f"{sum(results)} of {len(results)}"
