"""Programs whose explanations are tested."""

from __future__ import annotations

from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.bind.statistics import statistics_of
from slackwater.physical.explain.explanation import AsWritten, Explanation, explanation

DECLARED = """
SET CHRONON 1 SECOND;
CREATE STREAM S (a INT, b INT);
CREATE STREAM T (a INT, d INT);
CREATE STREAM U (d INT, e STRING);
CREATE RELATION R (a INT, r INT) KEY (a);
"""
TWO = "SELECT a, SUM(b) AS s FROM S [RANGE 1 MINUTE] GROUP BY a; SELECT a, b FROM S [RANGE 1 MINUTE];"
THREE = (
    "SELECT S.b, COUNT(*) AS n FROM S [RANGE 1 HOUR], T [RANGE 1 HOUR], U "
    "WHERE S.a = T.a AND T.d = U.d AND U.e = 'x' GROUP BY S.b;"
)
GROWING = "SELECT S.a, T.d FROM S, T [RANGE 5 SECONDS] WHERE S.a = T.a;"
ALL_PAIRS = "SELECT S.a, R.r FROM S [RANGE 1 HOUR], R WHERE S.a < R.r;"
HALVES = (
    "SELECT a FROM S WHERE a NOT IN (SELECT d FROM T [ROWS 5]) AND b > (SELECT MAX(r) AS r FROM R); "
    "SELECT ISTREAM(S.a, T.d) FROM S [RANGE 5 SECONDS SLIDE 5 SECONDS] LEFT JOIN T [ROWS 2] ON S.a = T.a;"
)
ANSWERED = "SELECT a, b FROM S [RANGE 1 MINUTE] WHERE b > 5; SELECT a, b FROM S [RANGE 1 MINUTE] WHERE b > 9;"
PROGRAMS = (ANSWERED, TWO, THREE, GROWING, ALL_PAIRS, HALVES)


def explained(program: str, cost: bool = False) -> Explanation:
    """The queries of a program, explained together."""
    catalog = Catalog()
    queries = bind(Text("program.cql", DECLARED + program), catalog)
    plans = [AsWritten(f"query {number}", query.plan) for number, query in enumerate(queries, start=1)]
    return explanation(plans, catalog.clock, statistics_of(catalog.sources, catalog.clock), cost)
