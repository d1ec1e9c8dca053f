"""Which rows of a source the JVM may drop, and what `explain` says of it."""

from __future__ import annotations

import pytest

from physical.test_stages import staged
from slackwater.algebra.expressions.text import text_of
from slackwater.physical.explain.text import explained_stages
from slackwater.physical.pushdown.filters import row_filters

TABLE = [
    (["SELECT a FROM S [RANGE 5] WHERE b > 1"], {"S": "b > 1"}),
    (["SELECT a FROM T [NOW] WHERE d > 1"], {"T": "d > CAST(1 AS double)"}),
    (["SELECT a FROM S [NOW] WHERE c = 'x' AND b > 1 AND c LIKE 'x%'"], {"S": "c = 'x' AND b > 1"}),
    (["SELECT a FROM S [RANGE 5] WHERE b + 1 > 1 AND a = 2"], {"S": "a = 2"}),
    (["SELECT a FROM S [RANGE 5] WHERE a = 2 AND CAST(c AS INT) > 1"], {}),
    (["SELECT a FROM S [RANGE 5]"], {}),
    (["SELECT a FROM S [ROWS 2] WHERE b > 1"], {}),
    (["SELECT a FROM S [NOW] WHERE a = 1", "SELECT a FROM S [NOW] WHERE b = 2"], {"S": "a = 1 OR b = 2"}),
    (["SELECT a FROM S [NOW] WHERE a = 1", "SELECT b FROM S [NOW] WHERE a = 1"], {"S": "a = 1"}),
    (["SELECT a FROM S [NOW] WHERE a = 1", "SELECT b FROM S [NOW]"], {}),
    (["SELECT x.b FROM S [NOW] AS x, T [NOW] AS y WHERE x.a = y.a AND x.b > 3"], {"S": "b > 3"}),
]


@pytest.mark.parametrize(("queries", "filters"), TABLE)
def test_a_row_is_dropped_if_no_query_needs_it(queries: list[str], filters: dict[str, str]) -> None:
    conditions = row_filters(staged(*queries).graph)
    assert {name: text_of(condition) for name, condition in conditions.items()} == filters


def test_explain_shows_what_the_jvm_does() -> None:
    beside, _ = explained_stages(staged("SELECT a FROM S [RANGE 5] WHERE b > 1")).split("\n\n")
    assert beside == (
        "scan\n"
        "  0  read S (a int, b int, c string)\n"
        "       filtered in the JVM, where Spark reads Parquet: b > 1\n"
        "  1  filter b > 1 of 0\n"
        "  2  map a of 1\n"
        "  3  window range 5 of 2   => q0"
    )
