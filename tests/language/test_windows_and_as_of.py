"""What TUMBLE, SESSION and as-of joins are printed as is parsed to the same tree."""

from __future__ import annotations

import pytest

from slackwater.base.span import Text
from slackwater.language.cql import parse, to_sql

TEXTS = (
    "SELECT * FROM TUMBLE(bid, ts, INTERVAL '10' SECOND) AS w",
    "SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), '10 seconds', INTERVAL '-1' SECOND)) AS w (a, b)",
    "SELECT * FROM HOP(DATA => (SELECT a, ts FROM bid), TIMECOL => ts, SLIDE => 2, SIZE => 4, OFFSET => 1)",
    "SELECT * FROM CUMULATE(bid [RANGE 5 MINUTES] AS b, b.ts, '1 minute', '1 hour') JOIN r ON TRUE",
    "SELECT * FROM TABLE(SESSION(TABLE bid PARTITION BY (k, b.j), DESCRIPTOR(ts), INTERVAL '10' SECOND))",
    "SELECT * FROM SESSION(bid PARTITION BY b.k, j, DESCRIPTOR(ts), INTERVAL '10' SECOND)",
    "SELECT * FROM SESSION(DATA => bid PARTITION BY b.k, j, TIMECOL => ts, GAP => 5)",
    "SELECT * FROM SESSION(bid PARTITION BY k, ts, 5)",
    "SELECT * FROM SESSION(bid PARTITION BY k, ts, 5), TUMBLE(bid, DESCRIPTOR(ts), 5)",
    "SELECT window.start, window.end FROM s GROUP BY window(ts, '5 minutes'), k",
    "SELECT a FROM s [PARTITION BY a, b SESSION 5 MINUTES] AS x, s [SESSION 2]",
    "SELECT a FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts AS q ON o.a = q.a "
    "LEFT JOIN r FOR SYSTEM_TIME AS OF PROCTIME() ON TRUE",
    "SELECT a FROM o ASOF JOIN r MATCH_CONDITION (o.t >= r.t) ON o.a = r.a",
    "SELECT a FROM o AS x ASOF LEFT JOIN r [RANGE 5] AS y USING (a, t) ASOF JOIN q ON x.t < q.t",
)


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_of_a_tree_is_parsed_to_it(text: str) -> None:
    (tree,) = parse(Text("<query>", text))
    (again,) = parse(Text("<query>", to_sql(tree)))
    assert again == tree
    (pretty,) = parse(Text("<query>", to_sql(tree, pretty=True)))
    assert pretty == tree


def test_asof_and_session_are_names_where_nothing_else_is_meant() -> None:
    parse(Text("<query>", "SELECT asof.session, match_condition FROM session AS asof, tumble AS hop"))
