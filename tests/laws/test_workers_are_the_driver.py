"""Workers against the driver: one graph in partitions and in one place, and from one to the other."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import SCHEMAS, WINDOWS, Generated, catalog, inputs, queries, streamed
from laws.test_kernels_are_the_reference import cuts, frames
from slackwater.algebra import Kind, Operator, Schema
from slackwater.base.diagnostic import SlackwaterError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.reference.bags import Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.run.cluster import scan, stage
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.packing import packed
from slackwater.run.cluster.placement import InDriver, InWorkers
from slackwater.storage.locate import location
from slackwater.storage.location import Location

Places = list[int]
"""The number of partitions of each epoch; 0 is the driver."""


def placement(graph: Graph, folder: Location, partitions: int) -> InDriver | InWorkers:
    if not partitions:
        return InDriver(graph, folder)
    return InWorkers(Plan(cut(graph), collected=frozenset(graph.outputs)), folder, partitions)


def answers(
    plan: Operator,
    data: dict[str, Changes],
    at: list[int],
    places: Places,
    forget: bool,
    schemas: dict[str, Schema] = SCHEMAS,
) -> Changes:
    """The answer of the plan, each epoch computed at its place."""
    graph = lowered({"answer": plan})
    stream: Changes = {}
    elements: list[Element] = []
    sources = frames(data, schemas)
    with tempfile.TemporaryDirectory() as name:
        folder = location(name)
        here = placement(graph, folder, places[0])
        for number, (place, lo, hi) in enumerate(zip(places, [0, *at], [*at, INFINITY], strict=False)):
            if place != getattr(here, "partitions", 0):
                facts = json.loads(json.dumps(here.save(number)))
                here = placement(graph, folder, place)
                here.resume(facts, lo)
            if forget:
                stage._memory.clear()
            now = {
                name: frame.filter(pl.col(FROM).is_between(lo, hi, closed="left"))
                for name, frame in sources.items()
            }
            out = here.compute(number, lo, hi, now).outputs["answer"]
            here.save(number)
            for *values, start, end, n in out.select(*columns_of(out), FROM, TO, N).rows():
                if plan.kind is Kind.STREAM:
                    record(stream, start, tuple(values), n)
                else:
                    elements.append(Element(tuple(values), start, end, n))
    return dict(sorted(stream.items())) if plan.kind is Kind.STREAM else changes_of(elements)


def outcome(*arguments: Any, **options: Any) -> object:
    """The answer for these arguments of `answers`, or the codes of the error."""
    try:
        return answers(*arguments, **options)
    except SlackwaterError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]


def check(
    text: str, data: dict[str, Changes], at: list[int], places: Places, forget: bool, kind: Kind | None
) -> None:
    plan = optimized(bind_query(Text("<query>", text), catalog(), kind).plan)
    driver = outcome(plan, data, at, [0] * 8, False)
    assert outcome(plan, data, at, places, forget) == driver, text


_BASES = (
    "SELECT a AS p, b AS q FROM S [{w}]",
    "SELECT b AS p, a AS q FROM R",
    "SELECT a AS p, a AS q FROM T [{w}]",
)
_OVER_ONE = (
    "SELECT q AS p, CAST(COUNT(*) AS INT) AS q FROM ({x}) AS x GROUP BY q",
    "SELECT p, MAX(q) AS q FROM ({x}) AS x GROUP BY p",
    "SELECT DISTINCT q AS p, p AS q FROM ({x}) AS x",
    "SELECT CAST(COUNT(*) AS INT) AS p, MIN(p) AS q FROM ({x}) AS x",
)
_OVER_TWO = (
    "SELECT x.p AS p, y.p AS q FROM ({x}) AS x JOIN ({y}) AS y ON x.q = y.q",
    "SELECT x.q AS p, y.q AS q FROM ({x}) AS x LEFT JOIN ({y}) AS y ON x.p = y.q",
    "SELECT y.p AS p, x.p AS q FROM ({x}) AS x FULL JOIN ({y}) AS y ON x.p = y.p AND x.q = y.q",
    "({x}) EXCEPT ALL (SELECT q AS p, p AS q FROM ({y}) AS y)",
    "({x}) UNION ALL ({y})",
)


@st.composite
def deep(draw: st.DrawFn, depth: int = 3) -> str:
    """Queries whose steps need one partitioning after another."""
    if not depth or not draw(st.integers(0, 4)):
        return draw(st.sampled_from(_BASES)).format(w=draw(st.sampled_from(WINDOWS)))
    text: str = draw(st.sampled_from(_OVER_ONE + _OVER_TWO))
    return text.format(x=draw(deep(depth - 1)), y=draw(deep(depth - 1)) if "{y}" in text else "")


partitions = st.sampled_from([1, 2, 3])


@trying(60)
@given(deep(), inputs, cuts, partitions, st.booleans())
def test_elements_may_be_exchanged_several_times(
    text: str, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    check(text, data, at, [count] * 8, forget, Kind.RELATION)


@trying(60)
@given(queries(), inputs, cuts, partitions, st.booleans())
def test_partitions_do_not_change_relations(
    query: Generated, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    check(query.cql, data, at, [count] * 8, forget, Kind.RELATION)


@trying(40)
@given(deep(2), inputs, cuts, partitions, st.integers(1, 3))
def test_elements_may_be_sent_in_several_parcels(
    text: str, data: dict[str, Changes], at: list[int], count: int, most: int
) -> None:
    sizes: list[int] = []

    def noting(frame: pl.DataFrame) -> bytes:
        sizes.append(frame.height)
        return packed(frame)

    with pytest.MonkeyPatch.context() as patch:
        for module in (scan, stage):
            patch.setattr(module, "MOST_ROWS", most)
            patch.setattr(module, "packed", noting)
        check(text, data, at, [count] * 8, False, Kind.RELATION)
    assert max(sizes, default=0) <= most


@trying(60)
@given(streamed(), inputs, cuts, partitions, st.booleans())
def test_partitions_do_not_change_streams(
    text: str, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    check(text, data, at, [count] * 8, forget, None)


@st.composite
def moving(draw: st.DrawFn) -> Places:
    """A different place for every epoch."""
    places = [draw(st.integers(0, 3))]
    for step in draw(st.lists(st.integers(1, 3), min_size=7, max_size=7)):
        places.append((places[-1] + step) % 4)
    return places


many_cuts = st.lists(st.integers(1, 14), min_size=2, max_size=6, unique=True).map(sorted)


@trying(100)
@given(st.one_of(deep(2), queries().map(lambda query: query.cql)), inputs, many_cuts, moving())
def test_driver_and_workers_resume_from_each_other(
    text: str, data: dict[str, Changes], at: list[int], places: Places
) -> None:
    check(text, data, at, places, False, Kind.RELATION)
