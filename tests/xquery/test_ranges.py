"""A range of integers is not materialized."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.base.diagnostic import EngineError
from slackwater.flux.run import XQueries
from xquery.oracle import oracle_answer

MANY = "(1 to 3000000000)"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"count({MANY})", "3000000000"),
        (f"{MANY}[1], {MANY}[7], {MANY}[last()], {MANY}[0]", "1 7 3000000000"),
        (f"subsequence({MANY}, 5, 3), subsequence({MANY}, 2999999999)", "5 6 7 2999999999 3000000000"),
        (f"exists({MANY}), empty({MANY})", "true false"),
        (f"head({MANY}), count(tail({MANY})), head(reverse({MANY}))", "1 2999999999 3000000000"),
        (f"min({MANY}), max({MANY}), sum({MANY})", "1 3000000000 4500000001500000000"),
        (f"avg({MANY})", "1500000000.5"),
        (f"some $x in {MANY} satisfies $x = 5", "true"),
        (f"every $x in {MANY} satisfies $x < 5", "false"),
        (f"{MANY} = 5", "true"),
        (f"let $x := {MANY} return (count($x), $x[3])", "3000000000 3"),
        (f"for $x in {MANY}[2] return $x + 1", "3"),
        (f"{MANY} instance of xs:integer+", "true"),
        (f"declare function local:f($x as xs:integer*) {{ count($x) }}; local:f({MANY})", "3000000000"),
        (f"declare variable $v := {MANY}; count($v)", "3000000000"),
        (f"count(remove({MANY}, 1)), head(remove({MANY}, 1))", "2999999999 2"),
        (f"count(({MANY}, 5)), ({MANY}, 5)[1], ({MANY}, 5)[last()], (0, {MANY})[3]", "3000000001 1 5 2"),
        (
            f"count(({MANY}, {MANY}, ())), head(reverse((0, {MANY}))), count(tail(({MANY}, 5)))",
            "6000000000 3000000000 3000000000",
        ),
        (f"subsequence((7, {MANY}, 5), 3000000001), subsequence((7, {MANY}), 1, 3)", "3000000000 5 7 1 2"),
        (f"({MANY}, 'a') = 5, exists((0, {MANY})), sum((1, {MANY}))", "true true 4500000001500000001"),
        (f"({MANY}, 5) instance of xs:integer+, ({MANY}, 'a') instance of xs:integer+", "true false"),
        (f"let $x := ({MANY}, <a/>) return (count($x), $x[3], name($x[last()]))", "3000000001 3 a"),
        ("count(1 to 9000000000000000000)", "9000000000000000000"),
        ("count(3 to 2), count(() to 1)", "0 0"),
    ],
)
def test_a_query_over_a_range_does_not_materialize_it(query: str, expected: str) -> None:
    assert oracle_answer(query) == expected
    assert sw.xquery(query).answer("<r/>") == expected


@pytest.mark.parametrize(
    "query", [f"{MANY} + 1", f"zero-or-one({MANY})", f"string({MANY})", f"if {MANY} then 1 else 2"]
)
def test_a_range_is_refused_where_one_item_is_needed(query: str) -> None:
    with pytest.raises(EngineError):
        oracle_answer(query)
    with pytest.raises(EngineError):
        sw.xquery(query).answer("<r/>")


def test_a_range_that_cannot_be_counted_is_refused() -> None:
    with pytest.raises(EngineError, match="too many integers"):
        sw.xquery("1 to 100000000000000000000").answer("<r/>")


def test_a_range_is_written_while_it_is_walked() -> None:
    class Enough(Exception):
        pass

    chunks: list[str] = []

    def sink(text: str) -> None:
        chunks.append(text)
        if len(chunks) == 3:
            raise Enough

    for query in (MANY, f"for $x in {MANY} return <x>{{$x}}</x>"):
        chunks.clear()
        with pytest.raises(Enough):
            [*XQueries([sw.xquery(query)]).run("<r/>", sinks=[sink])]
        assert "".join(chunks).startswith(("1 2 3", "<x>1</x><x>2</x>"))
