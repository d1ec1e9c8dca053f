"""Files of answers: every value is read back as it was."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from slackwater.sinks.formats import content_of
from slackwater.sinks.values import format_value

texts = st.text(st.sampled_from('ab,"\n\r\\ \0é;#') | st.characters(exclude_categories=["Cs"]), max_size=5)
doubles = st.floats(width=64)
rows = st.lists(st.tuples(st.none() | texts, st.none() | doubles), min_size=1, max_size=5)


def lines(frame: pl.DataFrame, kind: str) -> str:
    return bytes(content_of(frame, kind)).decode()


@given(rows)
@example([("", 1234567.25), (None, None), ('a"b', 1e16), ("\\", 5e-324)])
@example([("a", math.inf), ("b", -math.inf), ("c", math.nan), ("d", 0.1)])
def test_texts_and_doubles_read_back_equal(values: list[tuple[str | None, float | None]]) -> None:
    frame = pl.DataFrame(values, schema={"s": pl.String, "d": pl.Float64}, orient="row")
    expected = [(s, None if d is None else repr(d)) for s, d in values]

    text = lines(frame, "csv")
    read_back = [
        (s, None if d == "" else repr(float(d)))
        for s, d in list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    ]
    assert read_back == [(s or "", d) for s, d in expected]

    read_back = [tuple(json.loads(line).values()) for line in lines(frame, "json").split("\n")[:-1]]
    assert [(s, None if d is None else repr(float(d))) for s, d in read_back] == expected


def test_null_and_empty_text_differ() -> None:
    frame = pl.DataFrame({"s": ["", None], "n": [1, None]})
    assert lines(frame, "csv") == 's,n\n"",1\n,\n'
    assert lines(frame, "json") == '{"s":"","n":1}\n{"s":null,"n":null}\n'


def test_every_type_is_written_in_full() -> None:
    moment = datetime(2024, 2, 29, 12, 0, 0, 7)
    frame = pl.DataFrame(
        {
            "time": [moment, None],
            "zoned": [moment.replace(tzinfo=UTC), None],
            "day": [date(1, 1, 1), None],
            "amount": [Decimal("12345678901234567890.10"), None],
            "bytes": [b"\0\xff", None],
            "flag": [True, None],
            "big": [-(2**63), None],
        }
    )
    assert lines(frame, "csv").split("\n")[:3] == [
        ",".join(frame.columns),
        "2024-02-29T12:00:00.000007,2024-02-29T12:00:00.000007Z,0001-01-01,12345678901234567890.10,0x00ff,true,"
        "-9223372036854775808",
        ",,,,,,",
    ]
    first, second = map(json.loads, lines(frame, "json").splitlines())
    assert set(second.values()) == {None}
    assert datetime.fromisoformat(first["time"]) == moment
    assert datetime.fromisoformat(first["zoned"]) == moment.replace(tzinfo=UTC)
    assert (first["amount"], base64.b64decode(first["bytes"])) == ("12345678901234567890.10", b"\0\xff")


def test_nested_values_are_json() -> None:
    frame = pl.DataFrame(
        {"l": [["a,b", 'c"'], None], "s": [{"x": 0.1, "y": math.nan, "z": b"\0"}, None], "n": [1, 2]}
    )
    expected = '{"l":["a,b","c\\""],"s":{"x":0.1,"y":"NaN","z":"AA=="},"n":1}\n{"l":null,"s":null,"n":2}\n'
    assert lines(frame, "json") == expected
    [_, first, second] = csv.reader(io.StringIO(lines(frame, "csv")))
    assert [json.loads(cell) for cell in first] == list(json.loads(expected.split("\n")[0]).values())
    assert second == ["", "", "2"]


@given(doubles)
def test_a_double_is_shown_in_full(number: float) -> None:
    assert repr(float(format_value(number))) == repr(number)


def test_values_are_shown_as_cqt_files_have_them() -> None:
    assert format_value(1234567.25) == "1234567.25"
    assert format_value([1.5, None, {"a": "x", "b": True}]) == "[1.5, null, {x, true}]"
