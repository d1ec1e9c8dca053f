"""DROP, CREATE OR REPLACE, SHOW and DESCRIBE: what is declared after them, and what they list."""

from __future__ import annotations

import pytest

from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import Query, bind

DECLARED = """CREATE STREAM S (a INT, b STRING) TIME t INT; CREATE RELATION R (k INT, v DOUBLE) KEY (k);
CREATE VIEW V AS SELECT a FROM S [ROWS 1]; CREATE SINK late (a INT) INTO 'late';
CREATE FUNCTION root (x DOUBLE) RETURNS DOUBLE LANGUAGE PYTHON AS 'math:sqrt';"""


def bound(text: str) -> list[Query]:
    return bind(Text("<program>", DECLARED + text), Catalog())


def listed(text: str) -> list[tuple[str, ...]]:
    rows = bound(text)[-1].listing
    assert rows is not None
    return list(rows)


def codes(text: str) -> list[str]:
    with pytest.raises(QueryError) as caught:
        bound(text)
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SHOW TABLES", [("S",), ("R",), ("V",)]),
        ("SHOW STREAMS", [("S",)]),
        ("show relations", [("R",)]),
        ("SHOW VIEWS", [("V",)]),
        ("SHOW SINKS", [("late",)]),
        ("SHOW FUNCTIONS", [("root",)]),
        ("CREATE STREAM T OVER S KEY a; SHOW STREAMS", [("S",), ("T",)]),
        ("DESCRIBE s", [("a", "int"), ("b", "string")]),
        ("DESC V", [("a", "int")]),
        ("DESCRIBE late", [("a", "int")]),
        ("DESCRIBE SELECT k, COUNT(*) AS n FROM R GROUP BY k", [("k", "int"), ("n", "bigint")]),
        ("DROP VIEW V; DROP STREAM S; SHOW TABLES", [("R",)]),
        ("DROP RELATION r; DROP RELATION IF EXISTS r; SHOW RELATIONS", []),
        ("DROP SINK LATE; SHOW SINKS", []),
        ("DROP FUNCTION root; SHOW FUNCTIONS", []),
        ("CREATE STREAM T OVER S KEY a; DROP STREAM T; SHOW STREAMS", [("S",)]),
        ("CREATE OR REPLACE VIEW V AS SELECT b FROM S [NOW]; DESCRIBE V", [("b", "string")]),
        ("CREATE OR REPLACE VIEW W AS SELECT 1 AS one; DESCRIBE W", [("one", "int")]),
        ("CREATE OR REPLACE RELATION R (k STRING); DESCRIBE R", [("k", "string")]),
        (
            "DROP VIEW V; DROP STREAM S; CREATE STREAM S (c INT) TIME t; DESCRIBE S",
            [("c", "int")],
        ),
    ],
)
def test_what_is_declared_is_listed(text: str, rows: list[tuple[str, ...]]) -> None:
    assert listed(text) == rows


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("DROP STREAM S", "in-use"),
        ("CREATE VIEW W AS SELECT a FROM V; DROP VIEW V", "view-in-use"),
        ("CREATE VIEW W AS SELECT root(v) AS x FROM R; DROP FUNCTION root", "in-use"),
        (
            "CREATE VIEW W AS SELECT root(v) AS x FROM R; "
            "CREATE OR REPLACE FUNCTION root (x DOUBLE) RETURNS DOUBLE LANGUAGE PYTHON AS 'math:cbrt'",
            "in-use",
        ),
        ("INSERT INTO late SELECT a FROM V; DROP VIEW V", "view-in-use"),
        ("SELECT v FROM R; DROP RELATION R", "in-use"),
        ("SELECT v FROM R; CREATE OR REPLACE RELATION R (k INT)", "in-use"),
        (
            "CREATE STREAM T OVER S KEY a; CREATE VIEW W AS SELECT a FROM T; "
            "CREATE OR REPLACE STREAM T (a INT, b STRING) TIME t INT",
            "in-use",
        ),
        ("CREATE OR REPLACE STREAM R (k INT) TIME t INT", "wrong-kind"),
        ("CREATE OR REPLACE SINK V (a INT) INTO 'v'", "wrong-kind"),
        ("DROP SINK V", "wrong-kind"),
        ("DROP VIEW S", "not-a-view"),
        ("DROP STREAM T", "unknown-declaration"),
        ("DROP STREAM IF EXISTS R", "wrong-kind"),
        ("DESCRIBE T", "unknown-source"),
        ("CREATE VIEW V AS SELECT 1 AS one", "duplicate-source"),
    ],
)
def test_what_is_used_or_of_another_kind_stays(text: str, code: str) -> None:
    assert codes(text) == [code]


def test_a_source_in_use_may_be_replaced_by_one_with_the_same_columns() -> None:
    text = "CREATE OR REPLACE STREAM S (a INT, b STRING) TIME t INT FROM 'other.csv'; SELECT a FROM V"
    assert bound(text)[-1].plan.schema.names == ("a",)


def test_the_queries_of_what_was_dropped_or_replaced_are_not_run() -> None:
    assert [query.name for query in bound("DROP VIEW V")] == []
    (view,) = bound("CREATE OR REPLACE VIEW V AS SELECT b FROM S [NOW]")
    assert view.plan.schema.names == ("b",)
    both = (
        "INSERT INTO late SELECT a FROM V; CREATE OR REPLACE SINK late AS SELECT b FROM S [NOW] INTO 'late'"
    )
    _, sink = bound(both)
    assert sink.plan.schema.names == ("b",)
    assert [query.sink for query in bound("INSERT INTO late SELECT a FROM V; DROP SINK late")] == [None]


def test_a_time_of_another_kind_may_follow_when_the_last_source_is_replaced() -> None:
    alone = "CREATE STREAM S (a INT) TIME t INT; CREATE OR REPLACE STREAM S (a INT) TIME t TIMESTAMP"
    assert bind(Text("<program>", alone), Catalog()) == []


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("CREATE VIEW IF NOT EXISTS V AS SELECT b FROM S [NOW]; DESCRIBE V", [("a", "int")]),
        ("CREATE VIEW IF NOT EXISTS W AS SELECT b FROM S [NOW]; DESCRIBE W", [("b", "string")]),
        ("CREATE STREAM IF NOT EXISTS S (c INT) TIME t INT; DESCRIBE S", [("a", "int"), ("b", "string")]),
        ("CREATE SINK IF NOT EXISTS late (b INT) INTO 'other'; DESCRIBE late", [("a", "int")]),
        (
            "CREATE FUNCTION IF NOT EXISTS root (x INT) RETURNS INT LANGUAGE PYTHON AS 'math:floor'; "
            "DESCRIBE SELECT root(v) AS x FROM R",
            [("x", "double")],
        ),
    ],
)
def test_what_exists_is_not_declared_again(text: str, rows: list[tuple[str, ...]]) -> None:
    assert listed(text) == rows


def test_another_kind_of_that_name_is_an_error() -> None:
    assert codes("CREATE VIEW IF NOT EXISTS S AS SELECT 1 AS one") == ["duplicate-source"]
    assert codes("CREATE OR REPLACE VIEW IF NOT EXISTS W AS SELECT 1 AS one") == ["syntax"]
