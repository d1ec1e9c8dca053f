"""Facts about plans and expressions, on small queries."""

from __future__ import annotations

import pytest

from slackwater.algebra import Operator, Project, Select
from slackwater.algebra.expressions import Expression
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.optimize.facts.columns import fresh, outer_columns
from slackwater.optimize.facts.failing import may_fail, plan_may_fail
from slackwater.optimize.facts.keys import has_one_row, keys, smallest_key
from slackwater.optimize.facts.nulls import never_null, rejects_nulls

DECLARED = """
CREATE RELATION R (a INT, l BIGINT, x DOUBLE, c STRING, m DECIMAL(10, 2), t TIMESTAMP);
CREATE RELATION K (k INT, v INT) KEY (k);
"""


def plan_of(query: str) -> Operator:
    return bind(Text("query", f"{DECLARED} {query};"), Catalog())[-1].plan


def value_of(text: str) -> Expression:
    plan = plan_of(f"SELECT {text} AS v FROM R, K")
    assert isinstance(plan, Project)
    return plan.columns[0][1]


@pytest.mark.parametrize(
    "text",
    ["l + 1", "l * a", "a * a * a * a", "-l", "CAST(c AS INT)", "CAST(l AS INT)", "CAST(x AS BIGINT)",
     "m + m", "t + INTERVAL '1' DAY", "(SELECT k FROM K AS i)",
     "EXISTS (SELECT 1 FROM R AS i WHERE i.l + 1 > 2)", "ROUND(m, 2)",
     "UPPER(c) = CAST(l + 1 AS STRING)", "c LIKE 'a!' ESCAPE '!'", "ROUND(l, -1)", "l / a"],
)  # fmt: skip
def test_what_may_fail(text: str) -> None:
    assert may_fail(value_of(text))


@pytest.mark.parametrize(
    "text",
    ["(SELECT MAX(i.k) FROM K AS i)", "EXISTS (SELECT 1 FROM K AS i)",
     "a + 1", "a * a", "a - a / 2 % 3", "x * x / 0", "TRY_CAST(c AS INT)", "CAST(a AS BIGINT)",
     "CAST(a AS DOUBLE)", "CAST(a AS DECIMAL(12, 2))", "UPPER(c) || 'x'", "a IN (1, 2)", "COALESCE(a, 1)",
     "SQRT(x)", "-a", "ABS(a)", "c LIKE 'a%'", "FLOOR(l)", "l % a", "l / 2", "ROUND(l, 1)",
     "YEAR(t) * 100 + MONTH(t)", "DATE_TRUNC('month', t)"],
)  # fmt: skip
def test_what_cannot_fail(text: str) -> None:
    assert not may_fail(value_of(text))


@pytest.mark.parametrize(
    ("text", "fails"),
    [("SELECT window_start FROM TUMBLE(K, v, 5)", True), ("SELECT window_end FROM SESSION(K, v, 5)", True),
     ("WITH RECURSIVE c AS (SELECT 1 AS n UNION SELECT v FROM c, K WHERE k = n) SELECT n FROM c", True),
     ("SELECT ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n FROM K", False),
     ("SELECT LAG(v) OVER (ORDER BY l + 1) AS n FROM K, R", True),
     ("SELECT * FROM K, LATERAL (SELECT a FROM R WHERE R.a = K.k) AS q", False),
     ("SELECT * FROM K, LATERAL (SELECT l + K.k AS x FROM R) AS q", True),
     ("SELECT col1 FROM VALUES (1), (2)", False), ("SELECT * FROM generate_series(1, 3)", False)],
)  # fmt: skip
def test_plans_that_may_fail(text: str, fails: bool) -> None:
    assert plan_may_fail(plan_of(text)) == fails


@pytest.mark.parametrize(
    ("text", "rejects"),
    [("k > 1", True), ("k IS NULL", False), ("k IS NOT NULL", True), ("NOT k = 1", True), ("k + 1 = a", True),
     ("COALESCE(k, 1) = 1", False), ("k > 1 AND a > 1", True), ("k > 1 OR a > 1", False),
     ("k > 1 OR v > 1", True), ("a > 1", False), ("k IS NOT DISTINCT FROM v", False), ("NULL", True),
     ("CASE WHEN k > 1 THEN TRUE ELSE FALSE END", False)],
)  # fmt: skip
def test_conditions_that_reject_nulls(text: str, rejects: bool) -> None:
    plan = plan_of(f"SELECT 1 AS one FROM R, K WHERE {text}")
    assert isinstance(plan, Project)
    assert isinstance(plan.source, Select)
    assert rejects_nulls(plan.source.predicate, frozenset(("K.k", "K.v"))) == rejects


def test_conditions_show_which_columns_are_never_null() -> None:
    plan = plan_of("SELECT k, v, 1 AS one, NULL AS none FROM K WHERE k > 0")
    assert never_null(plan) == {"k", "one"}
    computed = "k + 1 AS more, k / k AS ratio, UPPER('a') AS text, k + v AS sum, NULLIF(k, 1) AS other"
    assert never_null(plan_of(f"SELECT {computed} FROM K WHERE k > 0")) == {"more", "text"}
    assert never_null(plan_of("SELECT k, COUNT(*) AS n, SUM(v) AS s FROM K WHERE k > 0 GROUP BY k")) == {
        "k",
        "n",
    }
    assert never_null(plan_of("SELECT K.k FROM R LEFT JOIN K ON R.a = K.k")) == set()


def test_keys_come_from_declarations_groupings_and_distinct() -> None:
    assert keys(plan_of("SELECT k AS n, v FROM K WHERE v > 1")) == {frozenset(("n",))}
    assert keys(plan_of("SELECT v FROM K")) == set()
    assert keys(plan_of("SELECT a, COUNT(*) AS n FROM R GROUP BY a")) == {frozenset(("a",))}
    assert keys(plan_of("SELECT DISTINCT a FROM R")) == {frozenset(("a",))}
    assert keys(plan_of("SELECT x.k AS p, y.k AS q FROM K AS x, K AS y")) == {frozenset(("p", "q"))}


def test_keys_come_from_row_windows_and_from_partners_by_key() -> None:
    newest = "CREATE STREAM S (a INT, b INT) TIME ts; SELECT STREAMED"
    assert keys(plan_of(f"{newest} * FROM S [PARTITION BY a ROWS 1]")) == {frozenset(("a",))}
    assert keys(plan_of(f"{newest} a FROM S [PARTITION BY a ROWS 2]")) == set()
    assert keys(plan_of(f"{newest} a, b FROM S [PARTITION BY a ROWS 1] SYNC BY EVERY 1 HOUR")) == {
        frozenset(("a",))
    }
    assert keys(plan_of("SELECT x.k, y.v FROM K AS x JOIN K AS y ON x.v = y.k")) == {frozenset(("k",))}
    assert keys(plan_of("SELECT x.k, y.v FROM K AS x JOIN K AS y ON x.v = y.v")) == set()


def test_the_smallest_key_is_the_only_one_of_its_size() -> None:
    assert smallest_key(plan_of("SELECT DISTINCT k, v FROM K")) == {"k"}
    assert smallest_key(plan_of("SELECT x.k AS p, y.k AS q FROM K AS x JOIN K AS y ON x.k = y.k")) == {"p"}
    assert smallest_key(plan_of("SELECT v FROM K")) is None


def test_an_aggregate_without_keys_has_one_row() -> None:
    assert has_one_row(plan_of("SELECT COUNT(*) + 1 AS n FROM R"))
    assert not has_one_row(plan_of("SELECT COUNT(*) AS n FROM R HAVING COUNT(*) > 1"))
    assert not has_one_row(plan_of("SELECT COUNT(*) AS n FROM R GROUP BY a"))


def test_outer_columns_are_those_that_no_row_inside_has() -> None:
    plan = plan_of(
        "SELECT a FROM R WHERE EXISTS (SELECT 1 FROM K WHERE EXISTS "
        "(SELECT 1 FROM K AS i WHERE i.k = K.v AND i.v = R.a))"
    )
    assert isinstance(plan, Project)
    (inside,) = plan.source.subplans
    assert outer_columns(plan) == set()
    assert outer_columns(inside) == {"R.a"}


def test_a_fresh_name_is_not_used_in_the_plan() -> None:
    plan = plan_of("SELECT k FROM K")
    assert fresh("other", plan) == "other"
    assert fresh("k", plan) == "k#2"
    assert fresh("K.v", plan) == "K.v#2"
