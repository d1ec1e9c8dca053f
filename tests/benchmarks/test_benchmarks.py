"""The benchmarks that need no Spark run, on small sizes; what they measure is not checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import expiry, scale, sharing, state


@pytest.mark.parametrize("query", state.QUERIES)
def test_epochs_beside_a_state_are_measured(query: str) -> None:
    [small, large] = state.costs([query], (2_000, 4_000), epochs=2)
    assert 0 < small.rows < large.rows
    assert small.bytes > 0


def test_the_model_of_a_cluster_has_a_table_and_a_plot(tmp_path: Path) -> None:
    costs = scale.Costs(floor=0.5, driver=0.001, task=0.01, parcel=1e-5, event=1e-6)
    assert costs.rate(100, 500_000) > 10 * costs.rate(1, 500_000)
    assert costs.rate(100, 500_000) < 100 * costs.rate(1, 500_000), "the driver starts all tasks"
    assert len(scale.tables([scale.Epoch(2, 0.3, 0.1, 0.2)], costs)) == 2
    scale.plot(tmp_path / "scale.svg", costs)
    assert (tmp_path / "scale.svg").stat().st_size > 1_000


def test_queries_together_have_the_answers_that_they_have_one_by_one() -> None:
    compared = sharing.compare(12, 5_000, epochs=2)
    assert compared.differing == 0
    assert compared.rewritten > 6
    assert compared.together > 0


def test_queries_are_matched_against_many() -> None:
    matching = sharing.match(500, tried=20)
    assert 0 < matching.matched <= 20
    assert matching.median < 50


def test_negative_tuples_are_twice_the_elements_of_intervals_and_give_the_same_answer() -> None:
    intervals, negative = expiry.costs(partners=(3,), epochs=6, events=200, window=500)
    assert intervals.total == negative.total
    assert intervals.entered < negative.entered <= 2 * intervals.entered
    assert intervals.left < negative.left
