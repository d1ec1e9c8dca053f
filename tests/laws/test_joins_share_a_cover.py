"""Joins of the same inputs, computed once for several queries: each has the reference's answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import inputs
from laws.test_kernels_are_the_reference import cuts
from laws.test_queries_from_views import holds
from laws.views import KEYED, conditions, listed, planned, where
from slackwater.algebra import Operator, Synchronize
from slackwater.algebra.points import Points
from slackwater.optimize.sharing import shared
from slackwater.reference.bags import Changes

OTHERS = {"T": ("y.a", "y.d", "x.b"), "S": ("y.a", "y.b", "x.b"), "R": ("y.b", "y.a", "x.c")}
WINDOWS = ("RANGE {}", "RANGE {}", "SLIDING {}", "RANGE UNBOUNDED")


@st.composite
def joins(draw: st.DrawFn, other: str) -> Operator:
    """A join of S with another source, with windows and conditions of its own."""
    one, two = (draw(st.sampled_from(WINDOWS)).format(draw(st.integers(1, 9))) for _ in range(2))
    second = "R" if other == "R" else f"{other} [{two}]"
    tables = draw(st.permutations([f"S [{one}] AS x", f"{second} AS y"]))
    chosen = [draw(st.sampled_from(pair)) for pair in draw(st.lists(conditions(), max_size=2))]
    outputs = draw(st.lists(st.sampled_from(("x.a", "x.c", *OTHERS[other])), min_size=1, max_size=3))
    text = f"FROM {', '.join(tables)}{where(['x.a = y.a', *chosen])}"
    if draw(st.integers(0, 2)) == 0:
        return planned(f"SELECT {listed([outputs[0], 'COUNT(*)'])} {text} GROUP BY 1")
    return planned(f"SELECT {listed(outputs)} {text}")


@st.composite
def sessions(draw: st.DrawFn) -> dict[str, Operator]:
    other = draw(st.sampled_from(sorted(OTHERS)))
    plans = [draw(joins(other)) for _ in range(draw(st.integers(2, 4)))]
    if draw(st.integers(0, 3)) == 0:
        plans[0] = Synchronize(plans[0], Points.every(draw(st.integers(2, 4))))
    return {f"q{number}": plan for number, plan in enumerate(plans)}


@trying(150)
@given(sessions(), inputs, cuts)
def test_joins_of_a_cover_are_those_of_the_query(
    plans: dict[str, Operator], data: dict[str, Changes], at: list[int]
) -> None:
    for name, plan in shared(plans, KEYED).plans.items():
        holds(plans[name], plan, data, at)


def test_many_of_them_share_a_cover() -> None:
    results: list[bool] = []

    @trying(50)
    @given(sessions())
    def share(plans: dict[str, Operator]) -> None:
        results.append(any(one.view.startswith("a join") for one in shared(plans, KEYED).rewritings))

    share()
    assert sum(results) >= len(results) / 2, f"{sum(results)} of {len(results)}"
