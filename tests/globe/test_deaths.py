"""Processes that are killed at random moments: no item is lost or doubled. `make kill-globe` kills more."""

from __future__ import annotations

import pytest

from benchmarks.globe.deaths import kill_at_random


@pytest.mark.slow
def test_peers_may_die_at_any_moment() -> None:
    assert kill_at_random(times=4, seed=1, count=200) == []
