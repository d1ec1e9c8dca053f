"""Explanations that a session gives of its queries; none of them needs Spark."""

from __future__ import annotations

import json

import pytest

import slackwater as sw
from slackwater.base.diagnostic import EngineError
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
