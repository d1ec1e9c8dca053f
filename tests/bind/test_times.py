"""Which declarations say that a column of a stream has the time of its rows."""

from __future__ import annotations

import pytest

from slackwater.algebra import Stream
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog, Source
from slackwater.bind.program import bind


@pytest.mark.parametrize(
    ("declared", "time"),
    [
        ("CREATE STREAM S (a INT, ts TIMESTAMP) TIME ts", "ts"),
        ("CREATE STREAM S (a INT, Ts TIMESTAMP) TIME tS", "Ts"),
        ("CREATE STREAM S (a INT, at BIGINT) TIME at", "at"),
        ("CREATE STREAM S (a INT) TIME ts", None),
        ("CREATE STREAM S (a INT, ts TIMESTAMP)", None),
        ("CREATE STREAM S (a INT, ts TIMESTAMP_NTZ) TIME ts", None),
    ],
)
def test_the_time_column_is_in_the_plan(declared: str, time: str | None) -> None:
    catalog = Catalog()
    bind(Text("declared", declared), catalog)
    source = catalog.get("S")
    assert isinstance(source, Source)
    assert isinstance(source.plan, Stream)
    assert source.plan.time == time
