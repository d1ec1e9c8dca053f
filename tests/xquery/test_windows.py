"""Windows over a sequence, as the thesis defines them (3.8.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xquery.engine import streamed
from xquery.oracle import oracle_answer


def windows(text: str, *values: object) -> list[str]:
    """The windows of these values, each as a text."""
    document = f"<r>{''.join(f'<d>{value}</d>' for value in values)}</r>"
    query = f'string-join(for $w in /r/d|{text}| return string-join($w, " "), "|")'
    count = oracle_answer(f"count(for $w in /r/d|{text}| return 1)", document)
    contents = oracle_answer(query, document).split("|") if count != "0" else []
    assert len(contents) == int(count)
    return contents


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("count 4 step 2", 7, ["1 2 3 4", "3 4 5 6", "5 6 7"]),
        ("count 3", 6, ["1 2 3", "4 5 6"]),
        ("count 3", 7, ["1 2 3", "4 5 6", "7"]),
        ("count 2 step 3", 7, ["1 2", "4 5", "7"]),
        ("count 2 step 3", 6, ["1 2", "4 5"]),
        ("count 9", 2, ["1 2"]),
        ("count 4 step 2", 0, []),
    ],
)
def test_windows_by_count(text: str, size: int, expected: list[str]) -> None:
    assert windows(text, *range(1, size + 1)) == expected


@pytest.mark.parametrize(
    ("text", "times", "expected"),
    [
        ("diff 3", (1, 2, 5, 6), ["1 2", "5 6"]),
        ("diff 3", (1, 2, 3, 4), ["1 2 3", "4"]),
        ("diff 3", (1, 8), ["1", "", "8"]),
        ("diff 4 step 2", (0, 1, 2, 3, 5), ["0 1 2 3", "2 3 5"]),
        ("diff 1 step 3", (0, 1, 2, 3), ["0", "3"]),
        ("diff 0.5 step 0.25", ("0.1", "0.35", "0.6"), ["0.1 0.35", "0.35 0.6"]),
        ("diff 5", (), []),
    ],
)
def test_windows_by_difference(text: str, times: tuple[object, ...], expected: list[str]) -> None:
    assert windows(text, *times) == expected


def test_a_window_is_the_sequence_of_its_items() -> None:
    document = "<r><p t='1'><e>5</e></p><p t='2'><e>7</e></p><p t='9'><e>1</e></p></r>"
    query = "for $w at $i in /r/p|@t diff 5| return concat($i, ':', avg($w/e))"
    assert oracle_answer(query, document) == "1:6 2:1"


@given(st.integers(0, 30), st.integers(1, 8), st.integers(1, 8))
def test_every_item_is_in_a_window_unless_the_step_leaves_it_out(size: int, width: int, step: int) -> None:
    contents = windows(f"count {width} step {step}", *range(size))
    seen = {item for window in contents for item in window.split()}
    assert seen == {str(item) for item in range(size) if item % step < width}


@given(st.integers(1, 30), st.integers(1, 8), st.integers(1, 8))
def test_windows_of_a_dense_sequence_are_the_same_by_count_and_by_difference(
    size: int, width: int, step: int
) -> None:
    shape = f"{width} step {step}"
    assert windows(f"count {shape}", *range(size)) == windows(f"diff {shape}", *range(size))


@pytest.mark.parametrize(
    "query",
    [
        'for $w in /s/v|count 3 step 2| let $m := avg($w) let $k := concat($m, "") return <m>{$k}{$k}</m>',
        "for $w in /s/v|count 3 step 2| let $k := <a>{$w}</a> return <m>{$k}{count($k/v)}</m>",
        "for $w in /s/v|count 2 step 2| let $k := sum($w) + 1 let $j := $k * 2 return <m>{$k}{$j}{$j}</m>",
    ],
)
def test_a_let_is_computed_anew_for_each_window(query: str) -> None:
    document = "<s><v>1</v><v>2</v><v>6</v><v>4</v><v>5</v></s>"
    assert streamed(query, document) == oracle_answer(query, document)
