"""Answers as tables, at the end of the calendar."""

from __future__ import annotations

import io

import polars as pl

from slackwater.base.time import CALENDAR, INFINITY, SECONDS
from slackwater.kernels.frames import FROM, TO, N
from slackwater.run.answers import Answer, as_changes, as_elements, as_stream, as_tagged, changes_of

LAST = CALENDAR.last
ELEMENTS = pl.DataFrame(
    {"a": [1, 2, 3], FROM: [0, LAST, LAST + 1], TO: [LAST + 5, INFINITY, LAST + 9], N: [1, 2, 1]}
)


def test_what_would_change_after_the_year_9999_never_does() -> None:
    changes = changes_of(ELEMENTS)
    for frame in (
        as_changes(changes, CALENDAR),
        as_tagged(changes.filter(pl.col("a") != 2), ["a"], CALENDAR),
    ):
        assert set(frame["op"]) == {"+"}
    shown = as_elements(ELEMENTS, CALENDAR)
    assert [row[0] for row in shown.rows()] == [1, 2]
    assert shown["to"].to_list() == [None, None]
    assert as_stream(ELEMENTS, CALENDAR)["a"].to_list() == [1, 2, 2]


def test_every_library_takes_the_last_instant_of_the_calendar() -> None:
    answer = Answer(as_changes(changes_of(ELEMENTS), CALENDAR))
    assert "9999-12-31" in str(answer)
    assert len(answer.rows()) == answer.to_arrow().num_rows == len(answer.to_pandas()) == 3
    answer.frame.write_parquet(io.BytesIO())
    assert answer.frame["time"].dt.year().to_list() == [1970, 9999, 9999]


def test_whole_numbers_have_no_last_year() -> None:
    assert as_changes(changes_of(ELEMENTS), SECONDS)["time"].max() == LAST + 9
