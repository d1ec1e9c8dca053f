"""Windows in brackets, in all their spellings."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sqlglot import exp

from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.base.time import Duration
from slackwater.language.cql import Length, StreamWindow, Windowed, parse, to_sql


def window(source: str) -> StreamWindow:
    (query,) = parse(Text("<query>", f"SELECT a FROM S {source}"))
    windowed = query.args["from_"].this
    assert isinstance(windowed, Windowed)
    return windowed.window


def length(amount: str, unit: str | None = None) -> Length:
    return Length(amount=amount, unit=unit)


def count(number: int) -> exp.Literal:
    return exp.Literal(this=str(number), is_string=False)


def columns(*names: str) -> list[exp.Column]:
    return [exp.column(*reversed(name.split("."))) for name in names]


WINDOWS = [
    ("[Range 30 Seconds]", StreamWindow(kind="range", size=length("30", "second"))),
    ("[RANGE 5 MINUTES]", StreamWindow(kind="range", size=length("5", "minute"))),
    ("[range 300]", StreamWindow(kind="range", size=length("300"))),
    ("[Range 1.5 hours]", StreamWindow(kind="range", size=length("1.5", "hour"))),
    ("[Range .5 hours]", StreamWindow(kind="range", size=length("0.5", "hour"))),
    ("[Range 100ms]", StreamWindow(kind="range", size=length("100", "millisecond"))),
    ("[Range 0]", StreamWindow(kind="range", size=length("0"))),
    ("[Range 1,000 Seconds]", StreamWindow(kind="range", size=length("1000", "second"))),
    ("[Range 5 Seconds Preceding]", StreamWindow(kind="range", size=length("5", "second"))),
    ("[Range INTERVAL '5' MINUTE]", StreamWindow(kind="range", size=length("5", "minute"))),
    ("[Range INTERVAL 5 MINUTES]", StreamWindow(kind="range", size=length("5", "minute"))),
    ("[Range INTERVAL '5 minutes']", StreamWindow(kind="range", size=length("5", "minute"))),
    ("[Range '5 minutes']", StreamWindow(kind="range", size=length("5", "minute"))),
    (
        "[Range 1 Minute Slide 10 Seconds]",
        StreamWindow(kind="range", size=length("1", "minute"), slide=length("10", "second")),
    ),
    ("[Range Unbounded]", StreamWindow(kind="range")),
    ("[Unbounded]", StreamWindow(kind="range")),
    ("[Range Unbounded Slide 5]", StreamWindow(kind="range", slide=length("5"))),
    ("[Now]", StreamWindow(kind="now")),
    ("[Rows 5]", StreamWindow(kind="rows", size=count(5))),
    ("[Rows 50,000]", StreamWindow(kind="rows", size=count(50_000))),
    ("[Rows 1,000,000 Preceding]", StreamWindow(kind="rows", size=count(1_000_000))),
    ("[Rows 5 Slide 2]", StreamWindow(kind="rows", size=count(5), slide=count(2))),
    ("[Rows Unbounded]", StreamWindow(kind="rows")),
    ("[Rows 5 Range 10]", StreamWindow(kind="rows", size=count(5), within=length("10"))),
    (
        "[Partition By a, S.b Rows 5]",
        StreamWindow(kind="rows", size=count(5), partition_by=columns("a", "S.b")),
    ),
    (
        "[Partition By a Rows 5 Slide 2]",
        StreamWindow(kind="rows", size=count(5), slide=count(2), partition_by=columns("a")),
    ),
    (
        "[Partition\nBy a Rows 5 Range 1 Hour Slide 2]",
        StreamWindow(
            kind="rows",
            size=count(5),
            slide=count(2),
            within=length("1", "hour"),
            partition_by=columns("a"),
        ),
    ),
    (
        "[Partition By rows Range 5 Days]",
        StreamWindow(kind="range", size=length("5", "day"), partition_by=columns("rows")),
    ),
    ("[Sliding 10 s]", StreamWindow(kind="sliding", size=length("10", "second"))),
    ("[FIXED 1 week]", StreamWindow(kind="fixed", size=length("1", "week"))),
]


@pytest.mark.parametrize(("source", "expected"), WINDOWS, ids=[source for source, _ in WINDOWS])
def test_a_window_parses_and_prints(source: str, expected: StreamWindow) -> None:
    parsed = window(source)
    assert parsed == expected
    assert window(to_sql(parsed)) == expected


@pytest.mark.parametrize("place", ["S [Rows 5] AS x", "S[Rows 5] x", "S AS x [Rows 5]", "S x [rows 5]"])
def test_a_window_is_written_before_or_after_the_alias(place: str) -> None:
    (query,) = parse(Text("<query>", f"SELECT a FROM {place}"))
    assert to_sql(query) == "SELECT a FROM S [ROWS 5] AS x"
    windowed = query.args["from_"].this
    assert windowed.alias == "x"
    assert windowed.name == "S"
    assert not windowed.this.alias


@pytest.mark.parametrize(
    "place", ["(SELECT b FROM T) [Now] AS x", "(SELECT b FROM T) x [Now]", "(SELECT b FROM T)[Now]x"]
)
def test_a_parenthesized_query_may_have_a_window(place: str) -> None:
    (query,) = parse(Text("<query>", f"SELECT a FROM {place}"))
    assert to_sql(query) == "SELECT a FROM (SELECT b FROM T) [NOW] AS x"


def test_a_length_is_a_duration() -> None:
    size = window("[Range 1.5 min]").size
    assert isinstance(size, Length)
    assert size.duration == Duration(Fraction(3, 2), "minute")


BAD = [
    ("[Rows 0]", "0"),
    ("[Rows 1.5]", "1.5"),
    ("[Rows -3]", "-3"),
    ("[Rows 5 Slide 0]", "0"),
    ("[Range -3 Seconds]", "-3"),
    ("[Range '-3 seconds']", "'-3 seconds'"),
    ("[Range 5 Slide 0 Seconds]", "0"),
    ("[Sliding 0]", "0"),
    ("[Fixed 0.0 s]", "0.0"),
    ("[Range 5 Parsecs]", "Parsecs"),
    ("[Range '5 parsecs']", "'5 parsecs'"),
    ("[Range 'soon']", "'soon'"),
    ("[Rnge 5]", "Rnge"),
    ("[]", "]"),
    ("[5]", "5"),
]


@pytest.mark.parametrize(("source", "marked"), BAD, ids=[source for source, _ in BAD])
def test_the_error_of_a_window_points_at_its_cause(source: str, marked: str) -> None:
    with pytest.raises(QueryError) as caught:
        window(source)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "bad-window"
    assert diagnostic.span is not None
    assert diagnostic.span.content == marked


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ("[Rows]", "]"),
        ("[Range]", "]"),
        ("[Partition By a Now]", "Now"),
        ("[Partition By Rows 5]", "5"),
        ("[Rows 5 Seconds]", "Seconds"),
        ("[Now] [Now]", "["),
        ("[Now] AS x [Now]", "["),
        ("[Rows 5", "["),
    ],
)
def test_a_window_that_is_no_window_is_a_syntax_error(source: str, marked: str) -> None:
    with pytest.raises(QueryError) as caught:
        window(source)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "syntax"
    assert diagnostic.span is not None
    assert diagnostic.span.content == marked


def test_an_error_in_the_second_source_of_a_list_is_reported() -> None:
    with pytest.raises(QueryError) as caught:
        parse(Text("<query>", "SELECT a FROM S [Now], T [Rows 0]"))
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["bad-window"]


def test_a_misspelt_unit_is_recognized() -> None:
    with pytest.raises(QueryError) as caught:
        window("[Range 5 secnds]")
    assert caught.value.diagnostics[0].hint == 'Did you mean "second"?'
