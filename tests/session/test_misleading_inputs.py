"""Files that change after they were read, a clock set back, and rows far ahead of it are reported."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

import slackwater as sw
from slackwater.kernels.frames import FROM
from slackwater.run.batches import Batches
from slackwater.run.input.intake import Seen
from slackwater.run.notices import Notices
from slackwater.run.watermarks import SourceTime, clocked, watermarks
from slackwater.session import Session


def test_a_file_that_changes_after_it_was_read_is_reported(s: Session, tmp_path: Path) -> None:
    file = tmp_path / "in" / "0.csv"
    file.parent.mkdir()
    file.write_text("t,a\n1,1\n5,5\n")
    s.sql(f"CREATE STREAM S (a INT) TIME t INT FROM '{file.parent}'")
    query, seen = s.query("SELECT ISTREAM(a) FROM S [NOW]", "q"), sw.Memory()
    running = query.start(seen, checkpoint=tmp_path / "state")
    assert running.await_instant(5)
    file.write_text("t,a\n1,1\n5,5\n7,7\n")
    with pytest.warns(sw.DataWarning, match=r'files changed after they were read.*0\.csv"'):
        running.stop()
    file.write_text("t,a\n1,1\n5,5\n7,7\n9,9\n")
    with pytest.warns(sw.DataWarning, match=r'files changed after they were read.*0\.csv"'):
        query.start(seen, checkpoint=tmp_path / "state", follow=False).await_termination()
    assert seen.rows == [(1, 1), (5, 5)]


def test_rows_far_ahead_are_set_aside(s: Session) -> None:
    rows = [(datetime(2024, 1, 1, 8), 1), (datetime(2999, 1, 1), 2), (datetime(2024, 1, 1, 9), 3)]
    s.stream("S", rows, time="ts", columns=["ts", "a"], max_ahead="1 day")
    with pytest.warns(sw.DataWarning, match='1 far ahead row of "S" was set aside'):
        query = s.query("SELECT ISTREAM(a) FROM S [NOW]").run()
    assert [row[-1] for row in query.emits().rows()] == [1, 3]
    (aside,) = query.set_aside("ahead", "S")
    assert aside["a"] == 2


def test_a_whole_number_has_no_clock_to_be_ahead_of(s: Session) -> None:
    s.stream("S", [(1, 1)], time="t", columns=["t", "a"], max_ahead="1 day")
    with pytest.raises(sw.EngineError, match="measured against the clock"):
        s.query("SELECT a FROM S [NOW]").run()


def test_no_clocked_row_is_lost_where_the_clock_is_set_back_and_a_growing_table_is_reported(
    s: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = [3600]
    clock = SimpleNamespace(time=lambda: time.time() + ahead[0], monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr("slackwater.run.batches.time", clock)
    (tmp_path / "in").mkdir()
    (tmp_path / "limits").mkdir()
    (tmp_path / "limits" / "0.csv").write_text("k\n1\n")
    s.sql(f"CREATE STREAM S (a INT) FROM '{tmp_path / 'in'}' FORMAT csv")
    s.sql(f"CREATE RELATION limits (k INT) FROM '{tmp_path / 'limits'}'")
    seen, held = sw.Memory(), sw.Memory()
    queries = s.query("SELECT ISTREAM(a) FROM S [NOW]").into(seen), s.query("SELECT k FROM limits").into(held)
    running = s.start(*queries)

    def await_rows(count: int, events: int) -> None:
        while len(seen.rows) < count or running.progress.events < events:
            assert not running.await_termination(0.05)
        running.await_termination(0.05)  # warns of what was found meanwhile

    put(tmp_path / "in", 0)
    with pytest.warns(sw.DataWarning, match='"limits" has no time column.* name its time column'):
        await_rows(1, 2)
    ahead[0] = 0
    put(tmp_path / "in", 1)
    with pytest.warns(sw.DataWarning, match=r"the clock was set back by about 3,[56]\d\d seconds"):
        await_rows(1, 3)
    ahead[0] = 7200
    await_rows(2, 3)
    running.stop()
    (first, _), (second, _) = seen.rows
    assert (second - first).total_seconds() > 3000  # type: ignore[operator]
    assert running.progress.late == 0
    assert [row[-1] for row in held.rows] == [1]


def put(folder: Path, number: int) -> None:
    (folder / f".{number}").write_text(f"a\n{number}\n")
    (folder / f".{number}").rename(folder / f"{number}.csv")


def test_where_the_clock_was_set_back_rows_count_from_where_it_was() -> None:
    second = 1_000_000
    batches: Any = SimpleNamespace(notices=Notices(), _last_rows={})
    back = SourceTime("S", 100 * second, 100 * second, now=40 * second)
    seen = {"S": Seen(1, 40 * second, 40 * second)}
    Batches.note_times(cast(Batches, batches), [back], seen)
    assert clocked(pl.DataFrame({FROM: [40 * second]}), back)[FROM].to_list() == [100 * second]
    assert watermarks([back], seen) == {"S": 100 * second}
    assert "set back by about 60 seconds" in batches.notices.texts["clock"]
    later = replace(back, now=102 * second)
    assert clocked(pl.DataFrame({FROM: [101 * second]}), later)[FROM].to_list() == [101 * second]
    assert watermarks([later], {}) == {"S": 102 * second}


def test_a_finished_stream_without_time_is_reported(s: Session) -> None:
    s.stream("e", s.spark.sql("SELECT TIMESTAMP '1999-07-01 08:00:00' AS ts, 1 AS k"), time="ts")
    s.stream("f", s.spark.sql("SELECT 1 AS k"))
    joined = s.query("SELECT RSTREAM(e.k) FROM e [NOW] JOIN f USING (k)")
    with pytest.warns(sw.DataWarning, match='"f" has no time column.* make it a relation'):
        joined.start(sw.Memory(), follow=False).await_termination()
