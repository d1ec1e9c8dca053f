"""Parameters are literals of the type of their value, or of the type that their place needs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.parameters.values import Unread
from slackwater.bind.program import Query, bind
from slackwater.reference.history import Histories

STREAM = (
    "CREATE STREAM S (a INT, b STRING, x DOUBLE, d DECIMAL(10, 2), day DATE, ok BOOLEAN, z TIMESTAMP) "
    "TIME ts TIMESTAMP; "
)


EIGHT = "TIMESTAMP '2026-01-31 08:00:00Z'"


def bound(text: str, **values: Any) -> Query:
    [query] = bind(Text("q", STREAM + text), Catalog(), values)
    return query


PLACES = [
    (
        "SELECT SUM(a) OVER (ORDER BY a ROWS BETWEEN :v PRECEDING AND CURRENT ROW) AS n FROM S [NOW]",
        2,
        "2",
        "2",
    ),
    ("SELECT SUM(a) OVER (ORDER BY x RANGE :v PRECEDING) AS n FROM S [NOW]", 0.5, "0.5", "0.5"),
    (
        "SELECT SUM(a) OVER (ORDER BY z RANGE :v PRECEDING) AS n FROM S [NOW]",
        timedelta(minutes=5),
        "5 minutes",
        "INTERVAL '5' MINUTE",
    ),
    ("SELECT LAG(a, :v) OVER (ORDER BY a) AS n FROM S [NOW]", 2, "2", "2"),
    ("SELECT LAG(a, 1, :v) OVER (ORDER BY a) AS n FROM S [NOW]", 7, "7", "7"),
    ("SELECT NTILE(:v) OVER (ORDER BY a) AS n FROM S [NOW]", 4, "4", "4"),
    ("SELECT window_start FROM TUMBLE(S [NOW], a, :v)", 5, "5", "5"),
    ("SELECT window_start FROM TUMBLE(S [NOW], z, :v)", "5 minutes", "5 minutes", "INTERVAL '5' MINUTE"),
    (
        "SELECT * FROM S MATCH_RECOGNIZE (MEASURES A.a AS n PATTERN (A B) WITHIN :v DEFINE B AS B.a > 1) m",
        "5 minutes",
        "5 minutes",
        "5 MINUTES",
    ),
    (
        "SELECT * FROM S MATCH_RECOGNIZE (MEASURES A.a AS n PATTERN (A B) WITHIN :v MINUTES) AS m",
        5,
        "5",
        "5",
    ),
    ("SELECT n FROM generate_series(1, :v) AS g(n)", 3, "3", "3"),
    ("VALUES (1), (:v)", 2, "2", "2"),
    ("SELECT percentile(a, :v) AS n FROM S [NOW]", 0.5, "0.5", "0.5"),
    ("SELECT * FROM (SELECT a, x FROM S [NOW]) PIVOT (SUM(x) AS n FOR a IN (:v AS one))", 1, "1", "1"),
]


@pytest.mark.parametrize(("query", "value", "text", "literal"), PLACES)
def test_a_value_and_its_text_are_read_in_every_place(
    query: str, value: Any, text: str, literal: str
) -> None:
    plain = bound(query.replace(":v", literal)).plan
    assert bound(query, v=value).plan == plain
    assert bound(query, v=Unread(text)).plan == plain


@pytest.mark.parametrize(
    ("where", "value", "text", "literal"),
    [
        ("a > :v", 5, "5", "5"),
        ("a > :v", -5, "-5", "-5"),
        ("a > :v", 2.5, "2.5", "2.5"),
        ("x > :v", 1e300, "1e300", "1e300"),
        ("b = :v", "it's; DROP", "it's; DROP", "'it''s; DROP'"),
        ("b = :v", "5", "5", "'5'"),
        ("ok = :v", True, "TRUE", "TRUE"),
        ("d > :v", Decimal("1.25"), "1.25", "CAST('1.25' AS DECIMAL(3, 2))"),
        ("d > :v", Decimal("0.05"), "0.05", "CAST('0.05' AS DECIMAL(3, 2))"),
        ("day = :v", date(2026, 1, 31), "2026-01-31", "DATE '2026-01-31'"),
        ("z > :v", datetime(2026, 1, 31, 8, tzinfo=UTC), "2026-01-31 10:00+02", EIGHT),
        ("z - :v > z", timedelta(minutes=5), "5 minutes", "INTERVAL '5' MINUTE"),
        ("SUBSTR(b, :v) = 'x'", 2, "2", "2"),
        ("a IN (1, :v)", 2, "2", "2"),
        ("a BETWEEN :v AND 7", 2, "2", "2"),
    ],
)
def test_a_value_and_its_text_are_the_literal(where: str, value: Any, text: str, literal: str) -> None:
    query = "SELECT a FROM S [NOW] WHERE "
    plain = bound(query + where.replace(":v", literal)).plan
    assert bound(query + where, v=value).plan == plain
    assert bound(query + where, v=Unread(text)).plan == plain


@pytest.mark.parametrize(
    ("window", "value", "literal"),
    [
        ("RANGE :v", "5 minutes", "RANGE 5 MINUTES"),
        ("RANGE :v", timedelta(seconds=90), "RANGE 90 SECONDS"),
        ("RANGE :v MINUTES", 7, "RANGE 7 MINUTES"),
        ("RANGE :v MINUTES SLIDE :v SECONDS", 7, "RANGE 7 MINUTES SLIDE 7 SECONDS"),
        ("RANGE INTERVAL :v", "1 hour", "RANGE 1 HOUR"),
        ("ROWS :v", 7, "ROWS 7"),
        ("PARTITION BY a ROWS :v RANGE :v HOURS SLIDE 2", 7, "PARTITION BY a ROWS 7 RANGE 7 HOURS SLIDE 2"),
        ("FIXED :v", "2 days", "FIXED 2 DAYS"),
    ],
)
def test_sizes_of_windows_are_parameters(window: str, value: Any, literal: str) -> None:
    plain = bound(f"SELECT a FROM S [{literal}]").plan
    assert bound(f"SELECT a FROM S [{window}]", v=value).plan == plain
    spelled = Unread(str(value)) if not isinstance(value, timedelta) else Unread("90 seconds")
    assert bound(f"SELECT a FROM S [{window}]", v=spelled).plan == plain


def test_a_list_stands_in_parentheses_after_in() -> None:
    many = bound("SELECT a FROM S [NOW] WHERE a IN (:v, 9)", v=[1, -2, 3])
    assert many.plan == bound("SELECT a FROM S [NOW] WHERE a IN (1, -2, 3, 9)").plan


@pytest.mark.parametrize("clause", ["ORDER BY a LIMIT {} OFFSET 1", "ORDER BY a FETCH FIRST {} ROWS ONLY"])
@pytest.mark.parametrize("value", [3, Unread("3")])
def test_limits_are_parameters(clause: str, value: Any) -> None:
    query = f"SELECT a FROM S [ROWS 5] {clause}"
    assert bound(query.format(":n"), n=value).plan == bound(query.format(3)).plan


def test_none_is_null() -> None:
    assert (
        bound("SELECT COALESCE(a, :v) AS c FROM S [NOW]", v=None).plan
        == bound("SELECT COALESCE(a, NULL) AS c FROM S [NOW]").plan
    )


def test_a_text_has_the_type_of_each_of_its_places() -> None:
    query = bound("SELECT a + :v AS c, :v AS t FROM S [NOW] WHERE b = :v", v=Unread("5"))
    assert str(query.plan.schema) == "(c bigint, t string)"


def test_the_text_with_its_defaults_has_the_values() -> None:
    text = "SELECT a + :v AS k, COUNT(*) AS n FROM S [RANGE :w] GROUP BY a + :v"
    query = bound(text, v=Unread("5"), w="1 hour")
    assert "a + 5 AS k" in query.expanded
    assert "[RANGE 1 HOUR]" in query.expanded
    assert bound(query.expanded).plan == query.plan


def test_sources_take_parameters() -> None:
    catalog = Catalog()
    text = "CREATE STREAM T (a INT) TIME t INT FROM :path WITH (delay = :delay)"
    bind(Text("q", text), catalog, {"path": Unread("data/*.csv"), "delay": Unread("5")})
    source = catalog.sources[0]
    assert (source.location, dict(source.options)) == ("data/*.csv", {"delay": "5"})


@given(st.text())
def test_a_text_is_only_ever_a_value(text: str) -> None:
    query = Text("q", "CREATE STREAM S (b STRING) TIME t INT; SELECT b FROM S [NOW] WHERE b = :v")
    [plain] = bind(query, Catalog(), {"v": text})
    [read] = bind(query, Catalog(), {"v": Unread(text)})
    assert plain.plan == read.plan
    assert Histories({"S": {1: {(text,): 1, (f"{text}'",): 1}}}).changes(plain.plan)[1] == {(text,): 1}
