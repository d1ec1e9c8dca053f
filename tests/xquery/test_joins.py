"""A loop that looks its items up gives what a loop over all of them gives."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.base.span import Text
from slackwater.flux.compile.joins import Table
from slackwater.flux.run import XQuery
from slackwater.flux.values.atomic import Atomic, Untyped
from slackwater.flux.values.comparison import generally_compared
from slackwater.language.xquery.parse import parse
from xquery.engine import expected, streamed

LITERALS = st.sampled_from(
    ["1", "2", "2.0", "2.5", "1e0", "'1'", "'a'", "'2'", "true()", "/r/a", "/r/b", "()"]
)
LISTS = st.lists(LITERALS, min_size=1, max_size=5).map(", ".join)
DOCUMENT = "<r><a>1</a><a>2.5</a><b>a</b><b>2</b><b/></r>"
OPERATORS = st.sampled_from(["=", "<", "<=", ">", ">=", "!="])
SETTINGS = trying(150)


@given(LISTS, LISTS, OPERATORS, st.booleans())
@SETTINGS
def test_any_values_are_joined_as_they_compare(outer: str, inner: str, op: str, counted: bool) -> None:
    condition = f"where $x {op} $p return $x"
    loop = f"for $x in ({inner}) {condition}"
    query = f"for $p in ({outer}) return <j>{{ {f'count({loop})' if counted else loop} }}</j>"
    reference = expected(parse(Text("query", query)), DOCUMENT)
    event("an error" if reference is None else "an answer")
    assert streamed(query, DOCUMENT) == reference


VALUES: st.SearchStrategy[Atomic] = st.one_of(
    st.sampled_from(["1", "2", "x", "10"]),
    st.sampled_from(["1", "2", "10", "NaN", "2.0"]).map(Untyped),
    st.integers(0, 3),
    st.sampled_from([1.0, 2.0, float("nan"), 2.5]),
)


@given(st.lists(st.lists(VALUES, max_size=3), max_size=6), st.lists(VALUES, max_size=3), OPERATORS)
@SETTINGS
def test_a_table_gives_the_matches_or_none(keys: list[list[Atomic]], probe: list[Atomic], op: str) -> None:
    if op == "!=":
        return
    positions = Table(["x"] * len(keys), keys, op).positions(probe)
    event("decided" if positions is not None else "not decided")
    if positions is not None:
        matches = [place for place, key in enumerate(keys) if generally_compared(op, key, probe)]
        assert sorted(positions) == matches


@pytest.mark.slow
@pytest.mark.parametrize("condition", ["$x/@id = $y/@ref", "$x/@id = $y/@ref and $x/@n > 3"])
def test_a_join_takes_steps_in_proportion(condition: str) -> None:
    """Steps are calls of functions: a loop in a loop would take 16 times as many for 4 times the items."""

    def steps(size: int) -> int:
        items = "".join(f'<i id="i{n}" n="{n % 9}" ref="i{n * 7 % size}"/>' for n in range(size))
        query = XQuery(f"for $x in /r/i, $y in /r/i where {condition} return <p/>")
        return calls(lambda: query.answer(f"<r>{items}</r>"))

    steps(100)
    assert steps(2_000) < 5 * steps(500)


def calls(action: Callable[[], object]) -> int:
    """How many functions of Python and of C an action calls."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count
