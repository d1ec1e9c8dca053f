"""SyncSQL in a session: sources from files, answers by key, up to an instant, in the form a query names."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import slackwater as sw
from slackwater.base.diagnostic import EngineError, QueryError

ROOMS = """
REGISTER SOURCE TemperatureSource (char RoomID, int Temperature) TIME t INT
  FROM '{path}' WITH (header = TRUE);
CREATE STREAM RoomTempStr OVER TemperatureSource KEY RoomID;
CREATE STREAMED VIEW HotRooms AS SELECT RoomID, Temperature FROM R(RoomTempStr) WHERE Temperature > 80;
"""
READINGS = "t,RoomID,Temperature\n1,a,78\n2,a,105\n3,b,70\n4,c,95\n5,a,76\n6,c,103\n"


@pytest.fixture
def rooms(s: sw.Session, tmp_path: Path) -> sw.Session:
    path = tmp_path / "rooms.csv"
    path.write_text(READINGS, encoding="utf-8")
    s.sql(ROOMS.format(path=path))
    return s


def test_a_streamed_answer_is_tagged_by_the_key_that_the_query_shows(rooms: sw.Session) -> None:
    hot = rooms.query("SELECT STREAMED * FROM R(HotRooms)")
    expected = [(2, "+", "a", 105), (4, "+", "c", 95), (5, "-", "a", 105), (6, "u", "c", 103)]
    assert hot.key == ["RoomID"]
    assert hot.tagged().rows() == hot.tagged("RoomID").rows() == hot.result().rows() == expected


def test_sinks_get_the_form_that_a_query_names(rooms: sw.Session) -> None:
    stream, table = sw.Memory(), sw.Memory()
    streamed = rooms.query("SELECT STREAMED * FROM R(HotRooms)").into(stream)
    complete = rooms.query("SELECT COMPLETE * FROM R(HotRooms)").into(table)
    rooms.start(streamed, complete, follow=False).await_termination()
    assert [row[1] for row in stream.rows] == ["+", "+", "-", "u"]
    assert table.rows == [("c", 103)]


def test_without_a_known_key_there_are_no_updates(rooms: sw.Session) -> None:
    bag = rooms.query("SELECT STREAMED Temperature FROM R(HotRooms)")
    with pytest.raises(EngineError) as refusal:
        bag.tagged()
    assert refusal.value.diagnostics[0].code == "no-known-key"
    assert {row[1] for row in bag.result().rows()} == {"+", "-"}


def test_an_endless_query_is_answered_up_to_an_instant(s: sw.Session) -> None:
    clock = s.query("SELECT STREAMED Timepoint FROM R(clockStr) WHERE Timepoint MOD 5 = 0").until(12)
    assert clock.changes().rows() == [(0, "+", 0), (5, "+", 5), (10, "+", 10)]
    assert clock.at(9).rows() == [(0,), (5,)]
    with pytest.raises(EngineError) as refusal:
        clock.at(13)
    assert refusal.value.diagnostics[0].code == "after-until"


def test_rstream_ends_at_the_instant(rooms: sw.Session) -> None:
    hot = rooms.query("SELECT RSTREAM(RoomID) FROM HotRooms WHERE Temperature > 100").until(7)
    assert hot.emits().rows() == [(2, "a"), (3, "a"), (4, "a"), (6, "c"), (7, "c")]


def test_sinks_get_nothing_after_the_instant(rooms: sw.Session) -> None:
    seen = sw.Memory("changes")
    hot = rooms.query("SELECT STREAMED * FROM R(HotRooms)").until(4)
    rooms.start(hot.into(seen), follow=False).await_termination()
    assert seen.rows == [(2, "+", "a", 105), (4, "+", "c", 95)]


def test_a_view_is_dropped_when_no_other_reads_it(rooms: sw.Session) -> None:
    rooms.sql("CREATE STREAMED VIEW Hotter AS SELECT * FROM R(HotRooms) WHERE Temperature > 100")
    with pytest.raises(QueryError) as refusal:
        rooms.sql("DROP VIEW HotRooms")
    assert refusal.value.diagnostics[0].code == "view-in-use"
    rooms.sql("DROP VIEW Hotter; DROP VIEW HotRooms")
    assert rooms.views == ["RoomTempStr"]
    with pytest.raises(EngineError):
        rooms.view("HotRooms")


def test_time_points_of_a_calendar_are_periods_and_whole_seconds(s: sw.Session) -> None:
    rows = [
        {"ts": datetime(2026, 1, 1, 0, 1, tzinfo=UTC), "a": 1},
        {"ts": datetime(2026, 1, 1, 0, 7, 30, tzinfo=UTC), "a": 2},
    ]
    s.stream("S", rows, time="ts")
    s.sql(
        "CREATE STREAMED VIEW Sync AS"
        " SELECT Timepoint FROM R(clockStr) WHERE EXTRACT(EPOCH FROM Timepoint) MOD 300 = 0"
    )
    every = s.query("SELECT STREAMED a FROM R(S) SYNC BY EVERY 5 MINUTES")
    by_stream = s.query("SELECT STREAMED a FROM R(S) SYNC BY Sync")
    window = s.query("SELECT STREAMED a, TS FROM R(S) WHERE NOW - INTERVAL '5' MINUTE < TS")
    s.answer(every, by_stream, window)
    assert [(str(at), op, a) for at, op, a in every.changes().rows()] == [
        ("2026-01-01 00:05:00+00:00", "+", 1),
        ("2026-01-01 00:10:00+00:00", "+", 2),
    ]
    assert by_stream.changes().rows() == every.changes().rows()
    assert [(str(at)[11:19], op, a) for at, op, a, _ in window.changes().rows()] == [
        ("00:01:00", "+", 1),
        ("00:06:00", "-", 1),
        ("00:07:30", "+", 2),
        ("00:12:30", "-", 2),
    ]
