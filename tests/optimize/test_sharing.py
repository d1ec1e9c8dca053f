"""Queries answered from each other: what explain says, and what is not matched."""

from __future__ import annotations

import pytest

from laws.views import DENSE, KEYED, planned
from slackwater.algebra import Operator, Synchronize
from slackwater.algebra.points import Points
from slackwater.optimize.cost.statistics import SourceStatistics, Statistics
from slackwater.optimize.sharing import contained, shared


def explained(**plans: Operator) -> list[str]:
    """The lines of explain."""
    return [f"{one.query}: {one}" for one in shared(plans, DENSE).rewritings]


def test_a_query_of_the_paper_is_answered_from_the_view_of_the_paper() -> None:
    """SyncSQL, examples 4 and 19: HotRooms is refreshed every 2, Q4 every 4."""
    hot = Synchronize(planned("SELECT a, b FROM S [RANGE UNBOUNDED] WHERE b > 80"), Points.every(2))
    query = Synchronize(planned("SELECT a, b FROM S [RANGE UNBOUNDED] WHERE b > 100"), Points.every(4))
    assert explained(HotRooms=hot, Q4=query) == [
        "Q4: answered from HotRooms, with b > 100 on top, refreshed every 4"
    ]
    assert contained(hot, query) is None


@pytest.mark.parametrize(
    ("view", "query", "words"),
    [
        (
            "SELECT a, b, COUNT(*) AS n FROM S [RANGE 5] GROUP BY a, b",
            "SELECT a, COUNT(*) AS n FROM S [RANGE 5] WHERE b = 1 GROUP BY a",
            "answered from V, with b = 1 on top",
        ),
        (
            "SELECT a, b, SUM(b) AS s FROM S [RANGE 5] GROUP BY a, b",
            "SELECT SUM(b) AS s FROM S [RANGE 5] WHERE a > 1",
            "answered from V, with a > 1 on top, aggregated again",
        ),
        (
            "SELECT x.a, x.b, y.d FROM S [RANGE 5] AS x, T [RANGE 3] AS y WHERE x.a = y.a",
            "SELECT y.a, COUNT(*) AS n FROM T [RANGE 3] AS y, S [RANGE 5] AS x WHERE y.a = x.a GROUP BY y.a",
            "answered from V, grouped by a",
        ),
        (
            "SELECT DISTINCT a, b FROM S [RANGE 5]",
            "SELECT DISTINCT a FROM S [RANGE 5]",
            "answered from V, grouped again by a",
        ),
        (
            "SELECT x.a, x.b, y.c FROM S [RANGE 5] AS x LEFT JOIN R AS y ON x.a = y.a",
            "SELECT x.b, y.c FROM S [RANGE 5] AS x LEFT JOIN R AS y ON x.a = y.a WHERE x.b > 1",
            "answered from V, with b > 1 on top",
        ),
        (
            "SELECT a, b FROM S [RANGE 5] WHERE EXISTS (SELECT 1 FROM R WHERE R.a = S.a)",
            "SELECT b FROM S [RANGE 5] WHERE EXISTS (SELECT 1 FROM R WHERE R.a = S.a) AND b > 1",
            "answered from V, with b > 1 on top",
        ),
    ],
)
def test_a_query_is_answered_from_a_view(view: str, query: str, words: str) -> None:
    assert explained(V=planned(view), Q=planned(query)) == [f"Q: {words}"]


@pytest.mark.parametrize(
    ("view", "query", "why"),
    [
        ("SELECT a FROM S [RANGE 5] WHERE b > 2", "SELECT a FROM S [RANGE 5] WHERE b > 1", "fewer rows"),
        ("SELECT a FROM S [RANGE 5]", "SELECT a FROM S [RANGE 5] WHERE b > 1", "b is missing"),
        ("SELECT a, b FROM S [RANGE 5]", "SELECT a FROM S [RANGE 6] WHERE b > 1", "another window"),
        (
            "SELECT a, b FROM S [RANGE 5] WHERE a = a",
            "SELECT a, b FROM S [RANGE 5]",
            "NULL is not equal to NULL",
        ),
        (
            "SELECT a, SUM(d) AS s FROM T [RANGE 5] GROUP BY a",
            "SELECT SUM(d) AS s FROM T [RANGE 5]",
            "the sum of doubles is rounded once",
        ),
        (
            "SELECT a, COUNT(DISTINCT b) AS n FROM S [RANGE 5] GROUP BY a",
            "SELECT COUNT(DISTINCT b) AS n FROM S [RANGE 5]",
            "groups may have values in common",
        ),
        (
            "SELECT a, COUNT(*) AS n FROM S [RANGE 5] GROUP BY a HAVING COUNT(*) > 1",
            "SELECT COUNT(*) AS n FROM S [RANGE 5]",
            "groups are missing",
        ),
        (
            "SELECT COUNT(*) AS n FROM S [RANGE 5]",
            "SELECT 1 AS one, COUNT(*) AS n FROM S [RANGE 5] GROUP BY 1",
            "of nothing there is no group, but one row without groups",
        ),
        ("SELECT DISTINCT a, b FROM S [RANGE 5]", "SELECT a FROM S [RANGE 5]", "copies are missing"),
    ],
)
def test_a_query_that_is_not_contained_is_not_matched(view: str, query: str, why: str) -> None:
    assert contained(planned(query), planned(view)) is None, why


def test_two_equal_queries_are_answered_from_the_first() -> None:
    one = planned("SELECT a, COUNT(*) AS n FROM S [RANGE 5] GROUP BY a")
    other = planned("SELECT x.a AS k, COUNT(*) AS m FROM S [RANGE 5] AS x GROUP BY x.a")
    assert explained(one=one, other=other) == ["other: answered from one"]


def test_aggregates_over_windows_that_slide_alike_share_panes() -> None:
    texts = {
        "short": "SELECT a, COUNT(*) AS n FROM S [RANGE 4 SLIDE 2] GROUP BY a",
        "long": "SELECT a, AVG(b) AS m FROM S [RANGE 8 SLIDE 2] WHERE b > 0 GROUP BY a",
        "all": "SELECT MAX(b) AS m FROM S [RANGE 6 SLIDE 2]",
    }
    assert explained(**{name: planned(text) for name, text in texts.items()}) == [
        "all: answered from panes of 2 of S that 3 queries share, aggregated",
        "long: answered from panes of 2 of S that 3 queries share, with b > 0 on top, grouped by a",
        "short: answered from panes of 2 of S that 3 queries share, grouped by a",
    ]


def test_a_query_is_not_answered_from_a_view_that_changes_more_often_than_its_rows() -> None:
    """At each arrival and each end a group changes: rows in many groups are cheaper than the groups."""
    view = planned("SELECT a, b, SUM(b) AS s FROM S [RANGE 5] GROUP BY a, b")
    query = planned("SELECT SUM(b) AS s FROM S [RANGE 5] WHERE a > 1")
    sparse = Statistics({"s": SourceStatistics(rate=1, distinct={"a": 1_000, "b": 1_000})})
    assert shared({"V": view, "Q": query}, sparse).rewritings == ()
    assert shared({"V": view, "Q": query}, DENSE).rewritings


HOT = "SELECT a, b FROM S [RANGE 5] WHERE b > 80"
BOIL = "SELECT a, b FROM S [RANGE 5] WHERE b > 100"
MELT = "SELECT a, b FROM S [RANGE 5] WHERE b > 90 AND a = 3"
PAIRS = "SELECT x.a, x.b, y.d FROM S [RANGE 5] AS x, T [RANGE 3] AS y WHERE x.a = y.a"


def test_a_declared_view_answers_the_queries_for_which_it_pays() -> None:
    queries = {"Boil": planned(f"{PAIRS} AND x.b > 100"), "Cold": planned(f"{PAIRS} AND x.b < 0")}
    run = shared(queries, KEYED, {"Hot": planned(HOT), "Pairs": planned(PAIRS)})
    assert [f"{one.query}: {one}" for one in run.rewritings] == [
        "Boil: answered from Pairs, with b > 100 on top",
        "Cold: answered from Pairs, with b < 0 on top",
    ]
    assert list(run.plans) == ["Boil", "Cold"]


def test_a_rewriting_says_what_it_saves() -> None:
    run = shared({"one": planned(PAIRS), "two": planned(f"{PAIRS} AND x.b > 100")}, KEYED)
    [line] = run.rewritings
    assert line.cost is not None
    assert line.alone is not None
    assert 0 < line.cost < line.alone


def test_a_declared_view_is_not_computed_for_one_query() -> None:
    assert shared({"Boil": planned(BOIL)}, DENSE, {"Hot": planned(HOT)}).rewritings == ()


def test_a_declared_view_that_pays_may_be_answered_from_a_query() -> None:
    queries = {"All": planned(PAIRS), "Boil": planned(BOIL), "Melt": planned(MELT)}
    run = shared(queries, DENSE, {"Hot": planned(HOT)})
    assert [f"{one.query}: {one}" for one in run.rewritings] == [
        "Boil: answered from Hot, with b > 100 on top",
        "Melt: answered from Hot, with b > 90 AND a = 3 on top",
    ]


def test_running_queries_stay_as_they_are() -> None:
    hot = planned(HOT)
    run = shared({"Boil": planned(BOIL)}, DENSE, running={"Hot": hot, "Wide": planned(MELT)})
    assert [f"{one.query}: {one}" for one in run.rewritings] == [
        "Boil: answered from Hot, with b > 100 on top"
    ]
    assert list(run.plans) == ["Boil"]
    assert any(node == hot for node in run.plans["Boil"].walk())


def test_joins_none_of_which_contains_another_share_a_cover() -> None:
    one = planned("SELECT x.b, y.d FROM S [RANGE 5] AS x, T [RANGE 3] AS y WHERE x.a = y.a AND x.b > 3")
    other = planned(
        "SELECT x.b, COUNT(*) AS n FROM T [RANGE 3] AS y, S [SLIDING 8] AS x "
        "WHERE y.a = x.a AND x.b < 9 GROUP BY x.b"
    )
    run = shared({"one": one, "other": other}, KEYED)
    assert [f"{one.query}: {one}" for one in run.rewritings] == [
        "one: answered from a join of S and T that 2 queries share, with b > 3 on top, "
        "in the narrower window of 5 of S",
        "other: answered from a join of S and T that 2 queries share, with b < 9 on top, grouped by b",
    ]


def test_joins_that_select_little_do_not_share_a_cover() -> None:
    """The cover has all pairs: for two narrow conditions these are too many."""
    text = "SELECT x.b, y.d FROM S [RANGE 5] AS x, T [RANGE 3] AS y WHERE x.a = y.a AND x.b = {} AND y.d = {}"
    sparse = Statistics(
        {n: SourceStatistics(rate=1, distinct={"a": 5, "b": 9_000, "d": 9_000}) for n in "st"}
    )
    assert shared({str(n): planned(text.format(n, n)) for n in range(2)}, sparse).rewritings == ()


def test_row_windows_over_one_stream_are_kept_once() -> None:
    texts = {
        "five": "SELECT a FROM S [ROWS 5] WHERE b > 1",
        "ten": "SELECT SUM(b) AS s FROM S [ROWS 10]",
        "other": "SELECT a FROM S [PARTITION BY a ROWS 7]",
        "steps": "SELECT a FROM S [ROWS 6 SLIDE 2]",
    }
    plans = {name: planned(text) for name, text in texts.items()}
    assert explained(**plans) == [
        "five: partly answered from the newest 5 and 10 rows of S, kept once",
        "ten: partly answered from the newest 5 and 10 rows of S, kept once",
    ]
    assert shared({"five": plans["five"]}, DENSE, running={"ten": plans["ten"]}).rewritings == ()
