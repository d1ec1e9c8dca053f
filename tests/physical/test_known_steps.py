"""Which steps of an added query a running graph knows, and with what the query begins."""

from __future__ import annotations

import pytest

from slackwater.algebra import Schema, Stream
from slackwater.algebra.types import BIGINT, STRING
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog, Source
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.known_steps import KnownSteps
from slackwater.physical.lower import lowered

SUMS = "SELECT k, SUM(v) AS s FROM S [RANGE 5] GROUP BY k"
ROWS = "SELECT k, v FROM S [RANGE 5]"
PAIRS = "SELECT x.k, y.v FROM S [RANGE UNBOUNDED] AS x JOIN T [RANGE 5] AS y ON x.k = y.k"
NAMES = "SELECT k, v FROM R"


def graph_of(text: str, *, is_changing: bool = True) -> Graph:
    catalog = Catalog()
    for name in ("S", "T"):
        catalog.stream(name, Schema.of(k=STRING, v=BIGINT))
    catalog.relation("R", Schema.of(k=STRING, v=BIGINT), ("k",))
    catalog.declare(Source(Stream("U", Schema.of(k=STRING, v=BIGINT, u=BIGINT)), "u"))
    plan = optimized(bind_query(Text("<query>", text), catalog).plan)
    return lowered({text: plan}, changing=[text] if is_changing else [], changelogs=["R"])


def known(running: str, added: str, *, is_changing: bool = True) -> list[str]:
    """The names of the known steps that the added query begins with."""
    before, after = graph_of(running, is_changing=is_changing), graph_of(added, is_changing=False)
    steps_known = KnownSteps(before, after, now=7)
    return sorted(type(after.nodes[place].step).__name__ for place in steps_known.known)


@pytest.mark.parametrize(
    ("running", "added", "expected"),
    [
        (SUMS, SUMS, ["Aggregate"]),
        (SUMS, f"SELECT * FROM ({SUMS}) AS x WHERE s > 3", ["Aggregate"]),
        (SUMS, f"SELECT MAX(s) AS m FROM ({SUMS}) AS x", ["Aggregate"]),
        (f"ISTREAM({SUMS})", f"ISTREAM({SUMS})", ["Changed"]),
        (f"ISTREAM({SUMS})", f"DSTREAM({SUMS})", ["Aggregate"]),
        (SUMS, "SELECT k, SUM(v) AS s FROM S [RANGE 6] GROUP BY k", []),
        (SUMS, "SELECT k, MAX(v) AS s FROM S [RANGE 5] GROUP BY k", []),
        (NAMES, "SELECT R.k, S.v FROM R, S [RANGE 5] WHERE R.k = S.k", ["Apply"]),
        (PAIRS, PAIRS, ["Join"]),
        ("SELECT DISTINCT k FROM S [RANGE 5]", "SELECT DISTINCT k FROM S [RANGE 5]", ["Count"]),
        ("SELECT k FROM S [ROWS 5]", "SELECT k FROM S [ROWS 5]", ["RowWindow"]),
    ],
)
def test_a_step_is_known_by_its_state(running: str, added: str, expected: list[str]) -> None:
    assert known(running, added) == expected


WINDOWS = "SELECT window_end AS e, COUNT(*) AS n FROM TUMBLE(U, {time}, 5) GROUP BY window_end"


def test_a_step_that_drops_what_is_over_is_not_known() -> None:
    """By v the groups stay in the state; by u, the time of the stream, only those of windows that go on."""
    by_value, by_time = (WINDOWS.format(time=time) for time in "vu")
    assert known(by_value, by_value) == ["Aggregate"]
    assert known(by_time, by_time) == []
    joined = f"SELECT x.n FROM ({by_time}) AS x JOIN ({by_time}) AS y ON x.e = y.e"
    assert known(joined, joined) == []


def test_a_window_is_known_by_the_ends_behind_it() -> None:
    assert known(ROWS, ROWS) == ["RangeWindow"]
    assert known(ROWS, ROWS, is_changing=False) == []
    assert known(SUMS, ROWS) == []
    endless = "SELECT k, v FROM S [RANGE UNBOUNDED]"
    assert known(endless, endless) == []


def test_a_side_of_a_join_is_known_even_without_ends() -> None:
    assert known(PAIRS, PAIRS.replace("RANGE 5", "RANGE 6")) == ["Map"]


def test_elements_that_may_wait_as_sums_are_not_known() -> None:
    running = graph_of(ROWS)
    window = running.outputs[ROWS]
    added = graph_of(ROWS, is_changing=False)
    assert KnownSteps(running, added, 7).known == {window: window}
    assert KnownSteps(running, added, 7, in_sums=[window]).known == {}


def test_an_added_query_begins_with_what_is_alive() -> None:
    added = graph_of(f"SELECT * FROM ({SUMS}) AS x WHERE s > 3", is_changing=False)
    graph = KnownSteps(graph_of(SUMS), added, 7).graph(7)
    (place,) = [at for at, node in enumerate(graph.nodes) if node.step == steps.AliveSince(7)]
    (source,) = graph.nodes[place].inputs
    assert isinstance(graph.nodes[source].step, steps.Aggregate)
    assert len([node for node in graph.nodes if isinstance(node.step, steps.Aggregate)]) == 1


def test_only_streams_of_unknown_steps_are_read_anew() -> None:
    added = graph_of(f"SELECT x.s, t.v FROM ({SUMS}) AS x JOIN T [RANGE 5] AS t ON x.k = t.k")
    assert KnownSteps(graph_of(SUMS), added, 7).read == ["T"]
    assert KnownSteps(graph_of(ROWS), added, 7).read == ["T"]  # a new aggregate of a window that is known
    assert KnownSteps(graph_of(ROWS, is_changing=False), added, 7).read == ["S", "T"]


def test_a_third_query_finds_the_steps_of_the_second() -> None:
    """Once an epoch has passed its begin: until then the second query has not all elements."""
    counts = f"SELECT s, COUNT(*) AS n FROM ({SUMS}) AS x GROUP BY s"
    added = graph_of(counts, is_changing=False)
    running = KnownSteps(graph_of(SUMS), added, 7).graph(7)
    for now, expected in ((7, 1), (8, 2)):
        (place,) = KnownSteps(running, added, now).known
        before = [at for at in range(place + 1) if isinstance(added.nodes[at].step, steps.Aggregate)]
        assert len(before) == expected
