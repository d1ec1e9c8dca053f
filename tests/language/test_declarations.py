"""CREATE STREAM, CREATE RELATION, CREATE VIEW, REGISTER, SET CHRONON."""

from __future__ import annotations

import pytest
from sqlglot import exp

from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.language.cql import CreateSource, CreateView, Length, SetChronon, StreamOf, parse, to_sql


def one(source: str) -> exp.Expression:
    (statement,) = parse(Text("<query>", source))
    return statement


STATEMENTS = [
    ("create stream S (a integer)", "CREATE STREAM S (a INT)"),
    (
        "CREATE STREAM S (a INT NOT NULL, t TIMESTAMP, c CHAR(4)) TIME t TIMESTAMP "
        "FROM 'x.csv' FORMAT csv WITH (header = TRUE, sep = ';')",
        None,
    ),
    ("CREATE STREAM S (t TIME) FORMAT json TIME t TIME", "CREATE STREAM S (t TIME) TIME t TIME FORMAT json"),
    ("CREATE RELATION R (a INT, b VARCHAR(10)) KEY (a, b) TIME t BIGINT OP op APPEND ONLY", None),
    (
        "CREATE RELATION R (a INT) with (x = -1) FROM 'p' OP o TIME key KEY (a) format format",
        "CREATE RELATION R (a INT) KEY (a) TIME key OP o FROM 'p' FORMAT format WITH (x = -1)",
    ),
    (
        "register stream S (A integer, B float, C byte, D char(4))",
        "CREATE STREAM S (A INT, B FLOAT, C CHAR(1), D CHAR(4))",
    ),
    ("REGISTER RELATION R (A byte)", "CREATE RELATION R (A CHAR(1))"),
    ("CREATE VIEW v AS SELECT a FROM s", None),
    (
        "CREATE VIEW v (a, b) AS SELECT Rstream(x, y) FROM s",
        "CREATE VIEW v (a, b) AS RSTREAM(SELECT x, y FROM s)",
    ),
    ("CREATE VIEW v AS (SELECT a FROM s) [RANGE 5]", None),
    ("SET CHRONON 1 SECOND", None),
    ("set chronon = 100 ms", "SET CHRONON 100 MILLISECONDS"),
]


@pytest.mark.parametrize(("source", "normal"), STATEMENTS, ids=[source for source, _ in STATEMENTS])
def test_the_clauses_of_a_declaration_are_printed_in_one_order(source: str, normal: str | None) -> None:
    statement = one(source)
    assert to_sql(statement) == (normal or source)
    assert one(to_sql(statement)) == statement
    assert one(to_sql(statement, pretty=True)) == statement


def test_a_stream_has_all_its_parts() -> None:
    source = one(
        "CREATE STREAM S (a INT NOT NULL, t BIGINT) TIME t BIGINT FROM 'p' FORMAT csv WITH (k = 'v')"
    )
    assert isinstance(source, CreateSource)
    assert source.kind == "stream"
    assert source.this == exp.to_identifier("S")
    assert [column.name for column in source.columns] == ["a", "t"]
    assert source.columns[0].constraints[0].kind == exp.NotNullColumnConstraint()
    assert source.args["time"].name == "t"
    assert source.args["time_type"].is_type("BIGINT")
    assert source.args["location"] == exp.Literal.string("p")
    assert source.args["format"].name == "csv"
    assert [(option.this.name, option.expression.name) for option in source.args["options"]] == [("k", "v")]
    assert not source.args.get("append_only")


def test_a_relation_has_all_its_parts() -> None:
    source = one("CREATE RELATION R (a INT) APPEND ONLY KEY (a, b) OP o")
    assert isinstance(source, CreateSource)
    assert source.kind == "relation"
    assert source.args["append_only"] is True
    assert [column.name for column in source.args["key"]] == ["a", "b"]
    assert source.args["op"].name == "o"
    assert source.args.get("time") is None


def test_a_view_has_a_query_of_any_kind() -> None:
    view = one("CREATE VIEW v (a) AS Istream(SELECT x FROM s)")
    assert isinstance(view, CreateView)
    assert isinstance(view.query, StreamOf)
    assert [column.name for column in view.columns] == ["a"]


def test_a_chronon_is_a_length() -> None:
    chronon = one("SET CHRONON 5 MINUTES")
    assert isinstance(chronon, SetChronon)
    assert chronon.length == Length(amount="5", unit="minute")


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ("CREATE STREAM S (a INT) TIME a TIME b", "TIME b"),
        ("CREATE STREAM S (a INT) FORMAT csv FORMAT json", "FORMAT json"),
        ("CREATE RELATION R (a INT) KEY (a) KEY (a)", "KEY (a)"),
        ("CREATE STREAM S (a INT) KEY (a)", "KEY (a)"),
        ("CREATE STREAM S (a INT) OP a", "OP a"),
        ("CREATE STREAM S (a INT) APPEND ONLY", "APPEND ONLY"),
        ("CREATE STREAM S (a)", ")"),
        ("CREATE STREAM S (a colour)", "colour"),
        ("CREATE STREAM S ()", ")"),
        ("CREATE STREAM S (a INT,)", ")"),
        ("CREATE STREAM S (a INT) FROM there", "there"),
        ("CREATE STREAM S (a INT) WITH (k)", ")"),
        ("CREATE STREAM (a INT)", "("),
        ("CREATE STREAM S (a INT) nonsense", "nonsense"),
        ("CREATE VIEW v SELECT a FROM s", "SELECT"),
        ("CREATE VIEW v AS CREATE VIEW w AS SELECT 1", "CREATE"),
        ("CREATE RELATION R (a INT) APPEND", ""),
        ("SET CHRONON", ""),
    ],
)
def test_the_error_of_a_declaration_points_at_its_cause(source: str, marked: str) -> None:
    with pytest.raises(QueryError) as caught:
        one(source)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "syntax"
    assert diagnostic.span is not None
    assert diagnostic.span.content == marked
