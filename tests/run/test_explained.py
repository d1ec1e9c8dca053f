"""Explanations that a session gives of its queries; none of them needs Spark."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

import slackwater as sw
from slackwater.base.diagnostic import EngineError
from slackwater.base.time import INFINITY
from slackwater.optimize.cost.statistics import SourceStatistics
from slackwater.run.measured import measured
from slackwater.run.progress import QueryProgress, SourceProgress
from slackwater.session import Session


@pytest.fixture
def s() -> Session:
    session = sw.connect()
    session.sql("CREATE STREAM S (a INT, b INT) TIME t INT")
    return session


def test_queries_of_a_session_are_explained_together(s: Session) -> None:
    one, two = s.query("SELECT a FROM S [ROWS 2]"), s.query("SELECT SUM(a) AS n FROM S [ROWS 2]", "sums")
    explained = json.loads(s.explain(one, two, format="json"))
    assert [query["name"] for query in explained["queries"]] == ["query 1", "sums"]
    assert {name for step in explained["shared"] for name in step["queries"]} == {"query 1", "sums"}
    assert "shared by several queries" in s.explain(one, two)
    assert s.explain(one, two, format="svg").startswith("<svg ")


def test_a_query_is_explained_in_each_format(s: Session) -> None:
    query = s.query("SELECT a FROM S [ROWS 2]")
    assert [part.split(",")[0] for part in query.explain().split("\n\n")[::2]][1:4] == [
        "optimized", "steps", "stages",
    ]  # fmt: skip
    assert "merge_projects:   " in query.explain(trace=True)
    assert json.loads(query.explain(format="json"))["version"] == 1
    assert ">query 1</title>" in query.explain(format="svg")


def test_a_format_that_does_not_exist_is_refused(s: Session) -> None:
    with pytest.raises(EngineError, match="text, json, svg"):
        s.query("SELECT a FROM S [ROWS 2]").explain(format="pdf")


def test_an_explanation_of_no_query_is_refused(s: Session) -> None:
    with pytest.raises(EngineError, match="no query"):
        s.explain()


def test_a_cost_is_estimated_from_what_is_declared_and_measured(s: Session) -> None:
    s.sql("CREATE STREAM T (a INT) TIME t INT WITH (rate = '5 per second')")
    text = "SELECT a FROM T [RANGE 9] WHERE a > 3"
    assert "[5/s, 5 alive" in s.query(text).explain(cost=True)
    assert "cost, estimated" not in s.query(text).explain()
    s.measured(progress(100, 10), progress(300, 20))
    assert "[20/s, 20 alive" in s.query(text).explain(cost=True)
    s.selectivity("a > 3", 0.5)
    assert "Select a > 3   [10/s" in s.query(text).explain(cost=True)


def test_a_rate_is_the_rows_read_while_the_watermark_advanced() -> None:
    assert measured(progress(100, 10), progress(300, 20)).sources == {"t": SourceStatistics(rate=20)}
    assert measured(progress(100, 10), progress(300, 10)).sources == {}
    assert measured(progress(100, 10), progress(300, INFINITY)).sources == {}


@pytest.mark.parametrize("share", [-0.1, 1.5])
def test_a_share_is_a_number_from_0_to_1(s: Session, share: float) -> None:
    with pytest.raises(EngineError, match="number from 0 to 1"):
        s.selectivity("a > 3", share)


def progress(events: int, watermark: int) -> QueryProgress:
    source = SourceProgress("T", datetime.now(UTC), watermark, events)
    return QueryProgress(1, events, 0.0, 0, 0, watermark, "", 0, 0, (), (source,))
