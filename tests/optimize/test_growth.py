"""Which queries have state that grows without bound."""

from __future__ import annotations

import pytest

from slackwater.base.diagnostic import Severity
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.optimize import optimized
from slackwater.optimize.growth import warnings

DECLARED = """
CREATE STREAM S (a INT, b INT);
CREATE STREAM T (a INT, d INT);
CREATE STREAM U (a INT, b INT, u INT) TIME u;
CREATE RELATION R (a INT, r INT) KEY (a);
CREATE VIEW everything AS SELECT a, b FROM S [RANGE UNBOUNDED];
"""


def warned(query: str) -> list[tuple[str, str]]:
    """What is kept, and what is underlined."""
    diagnostics = warnings(optimized(bind(Text("query.cql", f"{DECLARED}{query};"), Catalog())[-1].plan))
    assert {(warning.severity, warning.code) for warning in diagnostics} <= {
        (Severity.WARNING, "unbounded-state")
    }
    return [
        (warning.message.removesuffix(" of a stream for ever"), warning.span.content)
        for warning in diagnostics
        if warning.span
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT S.a FROM S JOIN T [UNBOUNDED] ON S.a = T.a",
         [("a join keeps every row", "S"), ("a join keeps every row", "[UNBOUNDED]")]),
        ("SELECT S.a FROM S [RANGE UNBOUNDED] JOIN T [RANGE 5] ON S.a = T.a",
         [("a join keeps every row", "[RANGE UNBOUNDED]")]),
        ("SELECT S.a FROM S JOIN R ON S.a = R.a", [("a join keeps every row", "S")]),
        ("SELECT a FROM S WHERE a IN (SELECT a FROM T [RANGE 5])", [("a join keeps every row", "S")]),
        ("SELECT x.a FROM everything AS x, T [NOW] AS t", [("a join keeps every row", "everything AS x")]),
        ("SELECT DISTINCT a FROM S", [("DISTINCT keeps every row", "S")]),
        ("SELECT a FROM S EXCEPT ALL SELECT a FROM T [RANGE 5]", [("a set operation keeps every row", "S")]),
        ("SELECT MEDIAN(b) AS m FROM S", [("MEDIAN keeps every value", "S")]),
        ("SELECT MAX(b) AS m FROM (SELECT DISTINCT b FROM S) AS x",
         [("MAX keeps every value", "S")]),
        ("SELECT MAX(S.b) AS m FROM S LEFT JOIN T [RANGE 5] ON S.a = T.a",
         [("MAX keeps every value", "S")]),
        ("SELECT COUNT(DISTINCT b) AS m FROM S",
         [("an aggregate of DISTINCT values keeps every value", "S")]),
        ("SELECT RSTREAM(a) FROM S", [("Rstream keeps every row", "S")]),
        ("SELECT window_start AS s, COUNT(*) AS n FROM TUMBLE(S, b, 5) GROUP BY window_start",
         [("an aggregate keeps a row for each window", "S")]),
        ("SELECT a, COUNT(*) AS n FROM S GROUP BY a, window(b, 5)",
         [("an aggregate keeps a row for each window", "S")]),
        ("SELECT a, window_end AS e FROM SESSION(S, b, 5)", [("SESSION keeps every row", "S")]),
        ("SELECT a, RANK() OVER (ORDER BY b) AS n FROM S", [("a window function keeps every row", "S")]),
        ("SELECT a, b FROM S QUALIFY RANK() OVER (ORDER BY b) > 3",
         [("a window function keeps every row", "S")]),
    ],
)  # fmt: skip
def test_state_that_grows_for_ever_is_reported(query: str, expected: list[tuple[str, str]]) -> None:
    assert warned(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "SELECT window_start AS s, COUNT(*) AS n FROM TUMBLE(S [RANGE 5], b, 5) GROUP BY window_start",
        "SELECT a, window_end AS e FROM TUMBLE(S, b, 5)",
        "SELECT a, b FROM S [PARTITION BY a SESSION 5]",
        "SELECT a, COUNT(*) AS n, SUM(b) AS s, AVG(b) AS m FROM S GROUP BY a",
        "SELECT S.a, r FROM S [NOW] JOIN R ON S.a = R.a",
        "SELECT S.a FROM S [RANGE 5] JOIN T [ROWS 100] ON S.a = T.a",
        "SELECT S.a FROM S [PARTITION BY a ROWS 1] JOIN T [RANGE 5] ON S.a = T.a",
        "SELECT ISTREAM(a) FROM S WHERE a > 1",
        "SELECT a FROM S UNION ALL SELECT a FROM T",
        "SELECT R.a, n FROM R JOIN (SELECT a, COUNT(*) AS n FROM S GROUP BY a) AS c ON c.a = R.a",
        "SELECT a, r FROM R WHERE r > (SELECT AVG(b) FROM S)",
        "SELECT DISTINCT a FROM S [RANGE 5]",
        "SELECT a, RANK() OVER (ORDER BY b) AS n FROM S [RANGE 5]",
        "SELECT a, b FROM S ORDER BY b LIMIT 3",
        "SELECT a, COUNT(*) AS n FROM S GROUP BY a ORDER BY n DESC LIMIT 3",
        "SELECT MAX(b) AS m, MIN(a) AS n FROM S",
        "SELECT window_start AS s, COUNT(*) AS n FROM TUMBLE(U, u, 5) GROUP BY window_start",
        "SELECT a, COUNT(DISTINCT b) AS n, MEDIAN(b) AS m FROM U GROUP BY a, window(u, 5)",
        "SELECT DISTINCT a, window_end AS e FROM HOP(U, u, 2, 6)",
        "SELECT a, window_end AS e FROM SESSION(U PARTITION BY a, u, 5)",
        "SELECT a, b, window_end AS e FROM TUMBLE(U, u, 5)"
        " QUALIFY RANK() OVER (PARTITION BY window_end ORDER BY b) > 3",
        "SELECT x.e FROM (SELECT window_end AS e, MAX(b) AS m FROM TUMBLE(U, u, 5) GROUP BY window_end) AS x"
        " JOIN (SELECT window_end AS f, b FROM TUMBLE(U, u, 5)) AS y ON e = f AND m = b",
    ],
)
def test_bounded_state_is_not_reported(query: str) -> None:
    assert warned(query) == []
