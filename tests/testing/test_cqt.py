"""The `.cqt` format is read as it is described."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, INT, STRING
from slackwater.base.span import Text
from slackwater.base.time import Duration
from slackwater.testing.case import Case, Question, View
from slackwater.testing.cqt import parse

ASKED = """
query
SELECT * FROM s [NOW]

at 0
a
"""


def only(content: str) -> Case:
    (case,) = parse(Text("folder/story.cqt", content))
    return case


def rows(declaration: str, *lines: str) -> list[tuple[object, ...]]:
    case = only("\n".join([declaration, *lines, ASKED]))
    return [row for bag in case.inputs["s"].values() for row in bag]


def test_a_file_without_a_case_line_is_one_case_named_after_it() -> None:
    assert only(f"stream s\ntime | a\n{ASKED}").name == "story"


def test_a_case_line_starts_over() -> None:
    story = f"stream s\ntime | a\n{ASKED}"
    cases = parse(Text("x.cqt", f"case one\n{story}\ncase the other\nchronon 5 minutes\n{story}"))
    assert [case.name for case in cases] == ["one", "the other"]
    assert cases[0].clock.chronon == Duration(Fraction(1), "second")
    assert cases[1].clock.chronon == Duration(Fraction(5), "minute")


def test_types_are_inferred_from_the_cells() -> None:
    lines = [
        "time | i | l | d | b | t | n",
        "1 | 1 | 3000000000 | 1 | true | x | null",
        "2 | null | 2 | 1.5 | false | 1 | null",
    ]
    case = only("\n".join(["stream s", *lines, ASKED]))
    schema = case.sources["s"].plan.schema
    assert schema.names == ("i", "l", "d", "b", "t", "n")
    assert schema.types == (INT, BIGINT, DOUBLE, BOOLEAN, STRING, STRING)


def test_a_quoted_number_is_a_string() -> None:
    assert rows("stream s", "time | a", '1 | "1"') == [("1",)]


def test_one_type_may_be_left_out_and_another_given() -> None:
    assert rows("stream s (a, b STRING)", "time | a | b", "1 | 1 | 1") == [(1, "1")]


def test_quotes_keep_blanks_bars_hashes_and_quotes() -> None:
    assert rows("stream s (a STRING)", "time | a", r'1 | " a | b # \"c\" \\ "   # a comment') == [
        (' a | b # "c" \\ ',)
    ]


def test_null_is_null_unless_it_is_quoted() -> None:
    assert rows("stream s (a STRING)", "time | a", "1 | null", '2 | "null"') == [(None,), ("null",)]


def test_dates_timestamps_decimals_and_arrays_are_read_by_their_type() -> None:
    values = rows(
        "stream s (a DATE, b TIMESTAMP, c DECIMAL(5, 2), d INT[])",
        "time | a | b | c | d",
        "1 | 2024-02-29 | 2024-02-29 12:30:00 | -1.5 | [1, null, 3]",
    )
    assert values == [(date(2024, 2, 29), datetime(2024, 2, 29, 12, 30), Decimal("-1.50"), (1, None, 3))]


def test_a_row_that_occurs_twice_is_written_twice() -> None:
    case = only(f"stream s\ntime | a\n1 | 7\n1 | 7\n{ASKED}")
    assert case.inputs == {"s": {1: {(7,): 2}}}


def test_a_relation_is_inserted_updated_and_deleted() -> None:
    table = "time | op | a | b\n9 | - | 1 | y\n0 | + | 1 | x\n5 | u | 1 | y\n5 | u | 2 | z"
    case = only(f"relation s (a INT, b STRING) key a\n{table}\n{ASKED}")
    assert case.inputs["s"] == {
        0: {(1, "x"): 1},
        5: {(1, "x"): -1, (1, "y"): 1, (2, "z"): 1},
        9: {(1, "y"): -1},
    }


def test_what_comes_and_goes_at_one_instant_is_no_change() -> None:
    case = only(f"relation s\ntime | op | a\n1 | + | 1\n1 | - | 1\n{ASKED}")
    assert case.inputs["s"] == {}


def test_views_and_queries_stay_in_order() -> None:
    case = only(f"stream s\ntime | a\n\nview v\nSELECT a FROM s [NOW]\n{ASKED}")
    assert [type(statement) for statement in case.statements] == [View, Question]


def test_a_hash_inside_single_quotes_belongs_to_the_query() -> None:
    story = "stream s\ntime | a\n\nquery\nSELECT a FROM s [NOW]  # all\n-- plain\nWHERE a = '#'\n\nat 0\na\n"
    text = only(story).questions[0].sql.text
    assert text.content.split() == [
        "SELECT",
        "a",
        "FROM",
        "s",
        "[NOW]",
        "--",
        "plain",
        "WHERE",
        "a",
        "=",
        "'#'",
    ]
    assert text.line(7) == "WHERE a = '#'"
