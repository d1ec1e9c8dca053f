"""What is refused when queries of a run are added and dropped: the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from golden import golden
from slackwater.run.started import Started
from slackwater.session import Session, connect
from spark.test_following import put

ERRORS = Path(__file__).parent / "errors"
COUNT = "SELECT COUNT(*) AS n FROM S [RANGE 3]"


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Session:
    session = connect(spark, placement="driver")
    put(tmp_path / "in", 0, [(1, "a", 1), (2, "b", 2)])
    session.sql(f"CREATE STREAM S (k STRING, v BIGINT) TIME t INT FROM '{tmp_path / 'in'}' FORMAT parquet")
    session.relation("R", [("a", "Ada")], key="k", columns=["k", "name"])
    return session


@pytest.fixture
def running(session: Session) -> Iterator[Started]:
    with session.start(session.query(COUNT, "count").into(sw.Memory())) as running:
        assert running.await_instant(1)
        yield running


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(sw.EngineError) as caught:
        call()
    return f"{caught.value}\n"


def test_a_name_that_is_running_is_not_added(session: Session, running: Started) -> None:
    text = refusal(lambda: running.add(session.query("SELECT k FROM S [NOW]", "Count").into(sw.Memory())))
    assert text == golden(ERRORS / "running-query.txt", text)
    two = [session.query("SELECT k FROM S [NOW]", "twice").into(sw.Memory()) for _ in range(2)]
    assert "running-query" in refusal(lambda: running.add(*two))


def test_a_query_that_is_not_running_is_not_dropped(session: Session, running: Started) -> None:
    text = refusal(lambda: running.drop("sums"))
    assert text == golden(ERRORS / "not-running.txt", text)


def test_the_last_query_is_not_dropped(session: Session, running: Started) -> None:
    text = refusal(lambda: running.drop("count"))
    assert text == golden(ERRORS / "last-query.txt", text)
    assert running.queries == ["count"]


def test_a_source_that_the_run_does_not_read_is_not_added(session: Session, running: Started) -> None:
    names = session.query("SELECT name FROM R", "names").into(sw.Memory())
    text = refusal(lambda: running.add(names))
    assert text == golden(ERRORS / "cannot-add-query-to-run.txt", text)


def test_an_added_query_needs_a_sink_of_its_own(session: Session, running: Started) -> None:
    assert "no-query" in refusal(running.add)
    assert "no-sink" in refusal(lambda: running.add(session.query("SELECT k FROM S [NOW]", "keys")))
    other = connect(session.spark)
    other.stream("S", [(1, "a")], time="t", columns=["t", "k"])
    foreign = other.query("SELECT k FROM S [NOW]", "keys").into(sw.Memory())
    assert "foreign-query" in refusal(lambda: running.add(foreign))


def test_a_run_that_has_ended_is_not_changed(session: Session) -> None:
    query = session.query(COUNT, "count").into(sw.Memory())
    ended = session.start(query, follow=False)
    assert ended.await_termination()
    text = refusal(lambda: ended.drop("count"))
    assert text == golden(ERRORS / "ended-run.txt", text)
    with session.start(query) as stopped:
        assert stopped.await_instant(1)
    assert refusal(lambda: stopped.add(session.query("SELECT k FROM S [NOW]").into(sw.Memory()))) == text


def test_a_sink_does_not_change_its_run(session: Session) -> None:
    texts: list[str] = []
    started: list[Started] = []

    def change(*_: object) -> None:
        while not started:
            pass
        texts.append(refusal(lambda: started[0].drop("count")))

    query = session.query(COUNT, "count").into(sw.Callback(change))
    started.append(session.start(query, follow=False))
    assert started[0].await_termination()
    assert texts[0] == golden(ERRORS / "changed-by-sink.txt", texts[0])
