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


def test_the_model_of_a_cluster_has_tables_and_a_plot(tmp_path: Path) -> None:
    costs = scale.Costs(epoch=0.3, start=0.001, task=0.01, parcel=1e-5, event=1e-6)
    assert costs.rate(100, 500_000) > 10 * costs.rate(1, 500_000)
    assert costs.rate(100, 500_000) < 100 * costs.rate(1, 500_000), "the driver starts all tasks"
    assert 0 < costs.share(100, 500_000) < costs.share(1, 500_000) < 1
    assert len(scale.tables([scale.Epoch(100, 2, 1, 0.3, 0.1, 0.2, 0.1)], costs)) == 3
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


def test_negative_tuples_are_twice_the_elements_of_intervals_and_give_the_same_answer() -> None:
    intervals, negative = expiry.costs(partners=(3,), epochs=6, events=200, window=500)
    assert intervals.total == negative.total
    assert intervals.entered < negative.entered <= 2 * intervals.entered
    assert intervals.left < negative.left


def test_the_costs_of_a_cluster_are_those_that_its_epochs_have() -> None:
    costs = scale.Costs(epoch=0.2, start=0.003, task=0.02, parcel=0.0005, event=1e-6)

    def epoch(events: int, partitions: int, scans: int) -> scale.Epoch:
        tasks = partitions + scans
        parcels = costs.parcel * partitions * scans if scans > 2 else 0.0
        executors = costs.task * tasks + parcels + costs.event * events
        return scale.Epoch(events, partitions, scans, 1.0, costs.epoch + costs.start * tasks, executors, 0.0)

    measured = [epoch(500_000, 2, 2), epoch(0, 2, 1), epoch(0, 8, 1), epoch(500_000, 16, 16)]
    fitted = scale.costs(measured)
    assert fitted.parcel == pytest.approx(costs.parcel, rel=0.02)
    for name in ("epoch", "start", "task", "event"):
        assert getattr(fitted, name) == pytest.approx(getattr(costs, name))
