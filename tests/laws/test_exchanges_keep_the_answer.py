"""Partial sums and broadcasts against the reference: in partitions, whose number may change meanwhile.

Rows arrive up to some instants before their epoch, so that elements, broadcast ones and partial sums wait.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws import test_added_queries_begin_then as added
from laws.effort import trying
from laws.relational import SCHEMAS, catalog, relations, streams
from laws.sending import sent
from laws.test_kernels_are_the_reference import cuts, frames, ran
from laws.test_workers_are_the_driver import Places, many_cuts, moving, placement
from slackwater.algebra import Kind
from slackwater.base.diagnostic import SlackwaterError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.stages import cut
from slackwater.reference.bags import Changes
from slackwater.reference.elements import Element, changes_of
from slackwater.reference.history import Histories
from slackwater.storage.locate import location

WINDOWS = ("RANGE 4 SLIDE 3", "RANGE 2 SLIDE 4", "RANGE 5 SLIDE 2", "FIXED 4", "FIXED 2", "RANGE 3", "NOW")
OTHERS = ("ROWS 2", "RANGE UNBOUNDED", "PARTITION BY a ROWS 1")
BASES = (
    "SELECT a AS p, b AS q FROM S [{w}]",
    "SELECT b AS p, a AS q FROM R",
    "SELECT a AS p, a AS q FROM T [{w}]",
)
SUMS = (
    "SELECT b AS p, CAST(SUM(a) AS INT) AS q FROM S [{w}] GROUP BY b",
    "SELECT CAST(COUNT(*) AS INT) AS p, CAST(SUM(a) AS INT) AS q FROM S [{w}]",
    "SELECT a AS p, CAST(COUNT(d) AS INT) AS q FROM T [{w}] GROUP BY a",
    "SELECT a % 2 AS p, CAST(SUM(b) AS INT) AS q FROM S [{w}] WHERE b > 0 GROUP BY a % 2",
    "SELECT n AS p, CAST(COUNT(*) AS INT) AS q FROM "
    "(SELECT a, CAST(SUM(b) AS INT) AS n FROM S [{w}] GROUP BY a) AS u GROUP BY n",
)
MORE_SUMS = (
    "SELECT a, AVG(d) AS m, STDDEV(d) AS s FROM T [{w}] GROUP BY a",
    "SELECT VARIANCE(a) AS v, SUM(d) AS s FROM T [{w}]",
    "SELECT a, b, VAR_POP(b) AS v FROM R GROUP BY a, b",
    "SELECT c, COUNT(*) AS n, AVG(b) AS m FROM S [{w}] GROUP BY c",
)
PAIRS = (
    "SELECT x.p AS p, y.q AS q FROM {x} AS x JOIN {y} AS y ON x.p < y.q",
    "SELECT x.p AS p, y.q AS q FROM {x} AS x, {y} AS y",
    "SELECT x.p AS p, y.p AS q FROM {x} AS x LEFT JOIN {y} AS y ON x.p >= y.p",
    "SELECT x.p AS p, y.p AS q FROM {x} AS x FULL JOIN {y} AS y ON x.q > y.p",
    "SELECT x.p AS p, x.q AS q FROM {x} AS x WHERE NOT EXISTS (SELECT 1 FROM {y} AS y WHERE y.q < x.p)",
    "SELECT x.p AS p, x.q AS q FROM {x} AS x WHERE EXISTS (SELECT 1 FROM {y} AS y WHERE y.q <> x.q)",
    "SELECT x.p AS p, x.q AS q FROM {x} AS x WHERE x.p > (SELECT MAX(y.q) FROM {y} AS y)",
    "SELECT x.p AS p, CAST(COUNT(*) AS INT) AS q FROM {x} AS x JOIN {y} AS y ON x.p <> y.p GROUP BY x.p",
)


@st.composite
def sums(draw: st.DrawFn) -> str:
    """Aggregates of few groups, in windows that give many elements the same times."""
    return draw(st.sampled_from(SUMS + MORE_SUMS)).format(w=draw(st.sampled_from(WINDOWS)))


@st.composite
def pairs(draw: st.DrawFn) -> str:
    """Joins without equal columns, of streams, relations, groups and one row."""

    def side() -> str:
        window = draw(st.sampled_from(WINDOWS + OTHERS))
        return f"({draw(st.sampled_from(BASES + BASES + SUMS)).format(w=window)})"

    return draw(st.sampled_from(PAIRS)).format(x=side(), y=side())


crowded = st.fixed_dictionaries(
    {
        "S": streams(SCHEMAS["S"], size=14, last=8, least=6),
        "T": streams(SCHEMAS["T"], size=10, last=8, least=6),
        "R": relations(SCHEMAS["R"], size=5, least=2),
    }
)
"""Many elements with equal times, and rows that are deleted."""
partitions = st.one_of(st.integers(2, 3).map(lambda count: [count] * 8), moving(), moving())
ahead = st.sampled_from([0, 4, 9])
"""How many instants before their epoch rows arrive."""


@contextmanager
def as_before() -> Iterator[None]:
    """Plans are cut as they were before there were partial sums and broadcasts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut, "spread_side", lambda *_: None)
        patch.setattr(cut, "with_sums", lambda graph, beside, stages: stages)
        yield


def answers(
    graph: Graph, data: dict[str, Changes], at: list[int], places: Places, early: int, is_old: bool
) -> Changes:
    """The changes of the answer, each epoch computed at its place; the first one by an old version."""
    elements: list[Element] = []
    sources = frames(data)
    arrived = -1
    with tempfile.TemporaryDirectory() as name:
        folder = location(name)
        with as_before() if is_old else nullcontext():
            here = placement(graph, folder, places[0])
        for number, (place, lo, hi) in enumerate(zip(places, [0, *at], [*at, INFINITY], strict=False)):
            if place != getattr(here, "partitions", 0) or (is_old and number == 1):
                facts = json.loads(json.dumps(here.save(number)))
                here = placement(graph, folder, place)
                here.resume(facts, lo)
            now = {
                name: frame.filter(pl.col(FROM).is_between(arrived, min(hi, 100) + early, closed="left"))
                for name, frame in sources.items()
            }
            arrived = hi + early
            out = here.compute(number, lo, hi, now).outputs["answer"]
            here.save(number)
            for *values, start, end, n in out.select(*columns_of(out), FROM, TO, N).rows():
                elements.append(Element(tuple(values), start, end, n))
    return changes_of(elements)


def check(
    text: str, data: dict[str, Changes], at: list[int], places: Places, early: int, is_old: bool = False
) -> None:
    plan = bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan
    try:
        expected = Histories(data).changes(plan)
    except SlackwaterError:
        return
    assert answers(lowered({"answer": optimized(plan)}), data, at, places, early, is_old) == expected, text


@trying(120)
@given(sums(), crowded, many_cuts, partitions, ahead, st.sampled_from([True, True, False]))
def test_sums_may_be_added_up_before_they_move(
    text: str, data: dict[str, Changes], at: list[int], places: Places, early: int, as_sums: bool
) -> None:
    with sent(as_sums):
        check(text, data, at, places, early)


@trying(120)
@given(pairs(), crowded, many_cuts, partitions, ahead)
def test_one_side_of_all_pairs_may_be_in_every_partition(
    text: str, data: dict[str, Changes], at: list[int], places: Places, early: int
) -> None:
    with sent(as_sums=True):
        check(text, data, at, places, early)


@trying(60)
@given(st.one_of(sums(), pairs()), crowded, many_cuts, partitions, ahead)
def test_checkpoints_from_before_go_on(
    text: str, data: dict[str, Changes], at: list[int], places: Places, early: int
) -> None:
    with sent(as_sums=True):
        check(text, data, at, places, early, is_old=True)


@trying(60)
@given(sums(), sums(), crowded, cuts.filter(bool), st.tuples(st.integers(1, 2), st.integers(0, 2)))
def test_partial_sums_of_a_query_go_on_when_another_is_added(
    first: str, second: str, data: dict[str, Changes], at: list[int], places: tuple[int, int]
) -> None:
    plans = [
        optimized(bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan)
        for text in (first, second)
    ]
    data = {**data, "R": {}}  # rows with an end of their own: such a query is not added
    with sent(as_sums=True):
        together = added.answers(*plans, data, at, places)
    assert added.since(together["first"], 0) == added.since(ran(plans[0], data, at), 0), first
