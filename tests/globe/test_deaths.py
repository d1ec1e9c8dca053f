"""Processes that are killed at random moments: no item is lost or doubled. `make kill-globe` kills more."""

from __future__ import annotations

import pytest

from benchmarks.globe.deaths import kill_at_random, kill_for_good


@pytest.mark.slow
def test_peers_may_die_at_any_moment() -> None:
    assert kill_at_random(times=4, seed=1, count=200) == []


@pytest.mark.slow
def test_peers_on_the_way_may_die_for_good_where_another_route_exists() -> None:
    assert kill_for_good(times=2, seed=1, count=100) == []
