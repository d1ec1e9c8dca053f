"""On a cluster, a run without a checkpoint is computed in the driver, and says so."""

from __future__ import annotations

import warnings

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run import build
from slackwater.session import Session, connect


@pytest.fixture
def on_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "is_in_workers", lambda owner: owner.placement != "driver")


def query(s: Session) -> sw.Query:
    s.stream("S", [(1, 2)], time="t", columns=["t", "a"])
    return s.query("SELECT a FROM S [NOW]")


@pytest.mark.usefixtures("on_a_cluster")
def test_a_run_that_could_be_in_the_workers_says_why_it_is_not(spark: SparkSession) -> None:
    with pytest.warns(UserWarning, match=r"note\[computed-in-driver\]"):
        running = query(connect(spark)).start(sw.Memory(), follow=False)
    assert running.await_termination()
    (remark,) = running.remarks
    assert "Start it with a checkpoint that all machines reach" in str(remark)
    assert running.explain().splitlines()[1] == "computed in the driver"
    assert running.explain().endswith(str(remark))
    assert running.notices == []


@pytest.mark.usefixtures("on_a_cluster")
def test_one_that_is_in_the_driver_by_choice_or_only_reads_an_answer_does_not(spark: SparkSession) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        running = query(connect(spark, placement="driver")).start(sw.Memory(), follow=False)
        assert running.await_termination()
        assert query(connect(spark)).changes().rows() == [(1, "+", 2), (2, "-", 2)]
    assert running.remarks == []


def test_one_in_the_workers_says_in_how_many_partitions(spark: SparkSession) -> None:
    running = query(connect(spark, placement="workers", partitions=3)).start(sw.Memory(), follow=False)
    assert running.await_termination()
    assert running.progress.placement == "in the workers, 3 partitions"
    assert running.remarks == []
