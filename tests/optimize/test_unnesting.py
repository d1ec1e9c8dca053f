"""Subqueries that are hard to take apart, and those that cannot be."""

from __future__ import annotations

import pytest

from slackwater.algebra import Operator, Relation, Schema, Single
from slackwater.algebra.explain import explained
from slackwater.algebra.types import INT
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.optimize import optimized, steps
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

DECLARED = """
CREATE STREAM S (a INT, b INT);
CREATE RELATION R (a INT, b INT);
CREATE VIEW V AS SELECT R.a, (SELECT MAX(S.b) FROM S [RANGE 3] WHERE S.a = R.a) AS m FROM R;
"""
DATA: dict[str, Changes] = {
    "S": {0: {(1, 5): 1, (2, 7): 2}, 2: {(1, 6): 1, (None, 1): 1}, 4: {(3, None): 1}},
    "R": {0: {(1, 5): 1, (2, None): 1, (None, 3): 1}, 1: {(1, 5): 1, (3, 3): 1}, 3: {(1, 5): -2}},
}


def plan_of(query: str) -> Operator:
    return bind(Text("query.cql", f"{DECLARED} {query};"), Catalog())[-1].plan


QUERIES = [
    # Three levels, the innermost looking at all of them.
    "SELECT a FROM R WHERE EXISTS (SELECT 1 FROM S [RANGE 3] AS s WHERE s.a = R.a AND s.b >= ALL "
    "(SELECT t.b FROM S [RANGE 2] AS t WHERE t.a = s.a AND t.b <> R.b))",
    "SELECT a, (SELECT COUNT(*) FROM S [RANGE 3] AS s WHERE s.b > "
    "(SELECT AVG(t.b) FROM S [RANGE 9] AS t WHERE t.a = R.a OR t.a = s.a)) AS n FROM R",
    # A view whose columns are called as those of the query around it, subquery and all.
    "SELECT R.a FROM R WHERE EXISTS (SELECT 1 FROM V WHERE V.m > R.b)",
    "SELECT R.a, (SELECT SUM(V.m) FROM V WHERE V.a = R.a) AS s FROM R, V AS v2 WHERE v2.a = R.a",
    "SELECT a FROM R WHERE (a, b) NOT IN (SELECT V.a, V.m FROM V WHERE V.a <> R.b)",
    # In groups, aggregates, CASE, HAVING, ON.
    "SELECT EXISTS (SELECT 1 FROM S [RANGE 2] AS s WHERE s.a = R.a) AS e, COUNT(*) AS n FROM R GROUP BY 1",
    "SELECT SUM(CASE WHEN a IN (SELECT s.a FROM S [RANGE 2] AS s) THEN 1 ELSE 0 END) AS n FROM R",
    "SELECT a, COUNT(*) AS n FROM R GROUP BY a HAVING COUNT(*) < "
    "(SELECT COUNT(*) FROM S [RANGE 3] AS s WHERE s.a = R.a)",
    "SELECT R.a, s.b FROM R FULL JOIN S [RANGE 3] AS s ON R.a = s.a AND s.b = ANY "
    "(SELECT t.b FROM R AS t WHERE t.a <> s.a)",
    "SELECT R.a, s.b FROM R LEFT JOIN S [RANGE 3] AS s ON R.b < "
    "(SELECT SUM(t.b) FROM R AS t WHERE t.a <> s.a OR t.b = R.b)",
    # Two values, one for each side of a join.
    "SELECT R.a, s.b FROM R LEFT JOIN S [RANGE 3] AS s ON "
    "(SELECT MAX(t.b) AS v FROM R AS t GROUP BY t.a HAVING t.a = s.a) = "
    "(SELECT MAX(u.b) AS v FROM R AS u GROUP BY u.a HAVING u.a = R.a)",
    # Outer joins, differences and groups inside, each looking outside.
    "SELECT a, (SELECT COUNT(t.a) FROM S [RANGE 3] AS s FULL JOIN R AS t ON s.a = R.a AND t.b = "
    "s.b) AS n FROM R",
    "SELECT a, (SELECT COUNT(*) FROM "
    "(SELECT s.b FROM S [RANGE 3] AS s RIGHT JOIN R AS t ON s.a = R.a) AS o) AS n FROM R",
    "SELECT a FROM R WHERE b IN "
    "(SELECT s.b FROM S [RANGE 5] AS s WHERE s.a = R.a EXCEPT STRICT SELECT t.b FROM R AS t WHERE t.a > R.a)",
    "SELECT a FROM R WHERE 1 < ALL (SELECT COUNT(*) FROM S [RANGE 5] AS s WHERE s.a <> R.a GROUP BY s.b)",
    # One row of a group, NULL of none, and what is checked for a second row.
    "SELECT a, (SELECT MAX(s.b) FROM S [RANGE 5] AS s GROUP BY s.a HAVING s.a = R.a) AS m FROM R",
    "SELECT a, (SELECT DISTINCT s.b FROM S [NOW] AS s WHERE s.a = R.a) AS m FROM R",
    "SELECT a, (SELECT 1) AS one, (SELECT R.b) AS b FROM R",
    # An operand of ALL that may be NULL although no column of its own row is: a column of a row
    # further out, NULL itself, a function of what is not NULL; and such values of the subquery.
    "SELECT (SELECT COUNT(*) FROM R AS x WHERE R.a NOT IN (SELECT y.a FROM R AS y WHERE y.a = y.a)) AS p, "
    "R.a AS q FROM R",
    "SELECT COUNT(*) AS n FROM R WHERE CAST(NULL AS INT) NOT IN (SELECT y.a FROM R AS y WHERE y.a = y.a)",
    "SELECT COUNT(*) AS n FROM R WHERE a = a AND NULLIF(a, 1) NOT IN "
    "(SELECT y.b FROM R AS y WHERE y.b = y.b)",
    "SELECT COUNT(*) AS n FROM R WHERE a NOT IN (SELECT CAST(NULL AS INT) FROM R AS y WHERE y.b <= R.b)",
    "SELECT COUNT(*) AS n FROM R WHERE a NOT IN (SELECT y.a / 0 FROM R AS y WHERE y.a = y.a AND y.b <= R.b)",
]


@pytest.mark.parametrize("query", QUERIES)
def test_every_step_keeps_the_answer(query: str) -> None:
    plan = plan_of(query)
    answer = Histories(DATA).changes(plan)
    assert any(len(bag) for bag in answer.values())
    for step in steps(plan):
        assert Histories(DATA).changes(step.plan) == answer, step.rule
    better = optimized(plan)
    assert Histories(DATA).changes(better) == Snapshots(DATA).changes(better) == answer
    assert not any(below.subplans for below in better.walk())


def test_a_second_row_of_a_value_is_an_error_as_before() -> None:
    plan = plan_of("SELECT a, (SELECT s.b FROM S [RANGE 1] AS s WHERE s.a = R.a) AS v FROM R")
    for equal in (plan, optimized(plan)):
        with pytest.raises(EngineError, match="scalar-subquery-rows"):
            Histories(DATA).changes(equal)


def test_a_second_row_that_no_row_looks_up_is_no_error() -> None:
    plan = plan_of("SELECT a, (SELECT s.b FROM S [RANGE 1] AS s WHERE s.a = R.a) AS v FROM R WHERE a <> 2")
    assert Histories(DATA).changes(optimized(plan)) == Histories(DATA).changes(plan)


def test_a_cast_is_not_pushed_to_rows_it_did_not_see() -> None:
    text = "SELECT R.a FROM R JOIN S [RANGE 3] AS s ON R.a = s.a WHERE CAST(CAST(s.b AS STRING) AS INT) = 6"
    shown = explained(optimized(plan_of(text)))
    assert shown.index("CAST(CAST") < shown.index("Join on R.a = s.a")


def test_equal_subplans_are_one_object() -> None:
    better = optimized(plan_of("SELECT a FROM R WHERE a NOT IN (SELECT s.a FROM S [RANGE 3] AS s)"))
    every = list(better.walk())
    assert len(every) == len(set(every))
    places = [id(below) for plan in every for below in plan.inputs]
    assert len(set(places)) < len(places)


def test_single_passes_what_has_one_row_for_each_key_and_refuses_the_rest() -> None:
    source = Relation("R", Schema.of(a=INT, b=INT))
    one_by_one = {"R": {0: {(1, 5): 1}, 1: {(1, 5): -1, (1, 6): 1, (None, 1): 1}}}
    single = Single(source, ("a",))
    assert Histories(one_by_one).changes(single) == Snapshots(one_by_one).changes(single) == one_by_one["R"]
    for twice in ({"R": {0: {(None, 5): 1, (None, 6): 1}}}, {"R": {0: {(1, 5): 2}}}):
        for evaluator in (Histories(twice), Snapshots(twice)):
            with pytest.raises(EngineError, match="scalar-subquery-rows"):
                evaluator.changes(single)
    with pytest.raises(EngineError):
        Histories(one_by_one).changes(Single(source))
    with pytest.raises(Bug):
        Single(source, ("z",))
