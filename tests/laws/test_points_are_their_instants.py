"""Sets of time points against sets of instants, counted one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.synchronized import points
from slackwater.algebra.points import Class, Points
from slackwater.base.time import INFINITY

NEAR = range(-70, 90)
PERIOD = 60
"""A multiple of every period: what holds for one such period behind all bounds holds for ever."""


def instants(chosen: Points) -> set[int]:
    return {t for t in NEAR if any(_is_in(t, one) for one in chosen.classes)}


def _is_in(t: int, one: Class) -> bool:
    return one.since <= t < one.until and (t - one.residue) % one.period == 0


@trying(200)
@given(points, points)
def test_unions_intersections_and_complements(one: Points, two: Points) -> None:
    assert instants(one | two) == instants(one) | instants(two)
    assert instants(one & two) == instants(one) & instants(two)
    assert instants(~one) == set(NEAR) - instants(one)


@trying(300)
@given(points, points)
def test_containment_is_decided(one: Points, two: Points) -> None:
    """The instants that are counted have all bounds and a whole period on either side of them."""
    assert NEAR.stop - 12 > PERIOD
    assert (one <= two) == (instants(one) <= instants(two))
    assert one <= one | two
    assert one & two <= two


@trying(100)
@given(points, st.integers(-20, 30))
def test_the_next_and_the_last_point(chosen: Points, t: int) -> None:
    later = [u for u in sorted(instants(chosen)) if u >= t]
    earlier = [u for u in sorted(instants(chosen)) if u <= t]
    assert chosen.ceil(t) == (later[0] if later else INFINITY)
    floor = chosen.floor(t)
    assert floor == earlier[-1] if earlier else floor is None or floor < NEAR.start
    assert list(chosen.within(t, 60)) == [u for u in later if u < 60]


def test_long_periods_cost_nothing() -> None:
    hour, day = 3_600_000_000, 86_400_000_000
    assert Points.every(day) <= Points.every(hour)
    assert not Points.every(hour) <= Points.every(day)
    assert Points.every(day, 1) & Points.every(hour) == Points()
    assert Points.every(2 * hour) | Points.every(2 * hour, hour) <= Points.every(hour)
    assert Points.every(hour) <= Points.every(2 * hour) | Points.every(2 * hour, hour)
