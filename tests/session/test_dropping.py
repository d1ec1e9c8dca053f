"""DROP, CREATE OR REPLACE, SHOW and DESCRIBE in a session, without Spark."""

from __future__ import annotations

import pytest

import slackwater as sw


@pytest.fixture
def session() -> sw.Session:
    session = sw.connect()
    session.sql("CREATE STREAM S (a INT, b STRING) TIME t INT; CREATE VIEW V AS SELECT a FROM S [ROWS 1]")
    return session


def test_show_and_describe_have_tables_in_order(session: sw.Session) -> None:
    tables, columns = session.sql("SHOW TABLES; DESCRIBE S")
    assert (tables.columns, tables.result().rows()) == (["name"], [("S",), ("V",)])
    assert str(columns.result()) == "column | type\na      | int\nb      | string"
    assert session.query("SHOW STREAMS").result().rows() == [("S",)]


def test_a_view_is_gone_after_drop_and_another_after_replace(session: sw.Session) -> None:
    session.sql("CREATE OR REPLACE VIEW V AS SELECT b FROM S [NOW]")
    assert session.view("V").columns == ["b"]
    session.sql("DROP VIEW V")
    with pytest.raises(sw.EngineError, match="unknown-view"):
        session.view("V")
    session.sql("CREATE STREAM V (c INT) TIME t INT")
    with pytest.raises(sw.EngineError, match="unknown-view"):
        session.view("V")


def test_an_error_in_a_text_drops_nothing(session: sw.Session) -> None:
    with pytest.raises(sw.QueryError):
        session.sql("DROP VIEW V; DROP STREAM S; SELECT nothing FROM S")
    assert session.names == ["S", "V"]


def test_a_query_over_a_dropped_stream_is_refused(session: sw.Session) -> None:
    query = session.query("SELECT a FROM S [NOW]")
    session.sql("DROP VIEW V; DROP STREAM S; CREATE STREAM S (a STRING) TIME t INT")
    with pytest.raises(sw.EngineError, match="dropped-source"):
        query.result()


def test_the_data_of_a_dropped_stream_are_forgotten(session: sw.Session) -> None:
    session._data["s"] = "rows"  # type: ignore[assignment]
    session.sql("SHOW TABLES")
    assert "s" in session._data
    session.sql("DROP VIEW V; DROP STREAM S")
    assert session._data == {}
