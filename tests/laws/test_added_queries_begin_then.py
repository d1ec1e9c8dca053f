"""A query that is added to a run answers as if the streams had no rows before, or from the beginning on.

The others go on.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import Generated, catalog, inputs, queries
from laws.sending import sent
from laws.test_kernels_are_the_reference import between, cuts, frames, ran
from laws.test_workers_are_the_driver import placement
from slackwater.algebra import Kind, Operator
from slackwater.base.diagnostic import SlackwaterError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.optimize import optimized
from slackwater.physical.description import described, graph_of
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.merge import add_from, continued
from slackwater.physical.stages.cut import cut
from slackwater.reference.bags import Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.reference.history import Histories
from slackwater.run.backfill.prepare import backfill_graph
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import InWorkers
from slackwater.storage.local import Local

PLACES = st.integers(0, 2)


def plan_of(text: str) -> Operator:
    return optimized(bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan)


def since(changes: Changes, begin: int) -> Changes:
    """The changes from an instant on; what is there at it comes at it."""
    moved: Changes = {}
    for at, bag in changes.items():
        for row, n in bag.items():
            record(moved, max(at, begin), row, n)
    return {at: bag for at, bag in sorted(moved.items()) if bag}


@dataclass
class Run:
    """A placement that computes epochs one after the other, and its answers."""

    graph: Graph
    folder: Local
    place: int
    data: dict[str, Changes]
    elements: dict[str, list[Element]] = field(default_factory=dict)
    facts: Any = None
    """What it has saved."""
    adds_up: bool = True
    _here: Any = None

    def __post_init__(self) -> None:
        self._here = placement(self.graph, self.folder, self.place)
        if self.place:
            plan = Plan(cut(self.graph), collected=frozenset(self.graph.outputs), adds_up=self.adds_up)
            self._here = InWorkers(plan, self.folder, self.place)

    def resume(self, facts: object, now: int, backfilled: object = None) -> None:
        self._here.resume(facts, now, backfilled)

    def through(self, instants: list[int], ahead: int = 0, first: int = 0) -> None:
        """Compute the epochs between instants. Rows come some instants too early, and have to wait."""
        for number, (lo, hi) in enumerate(pairwise(instants), first):
            known = (lo if number == 0 else lo + ahead, hi if hi == INFINITY else hi + ahead)
            outputs = self._here.compute(number, lo, hi, between(frames(self.data), *known)).outputs
            for output, frame in outputs.items():
                for *values, start, end, n in frame.select(*columns_of(frame), FROM, TO, N).rows():
                    self.elements.setdefault(output, []).append(Element(tuple(values), start, end, n))
            self.facts = json.loads(json.dumps(self._here.save(number)))


def stored(graph: Graph, outputs: list[str]) -> Graph:
    """The graph as a checkpoint has it."""
    return continued(graph_of(json.loads(json.dumps(described(graph)))), outputs, graph)


def answers(
    first: Operator, second: Operator, data: dict[str, Changes], at: list[int], places: tuple[int, int]
) -> dict[str, Changes]:
    """The answers of a query, and of one that is added at the first cut."""
    before = lowered({"first": first})
    graph = stored(before, ["first"])
    add_from(graph, lowered({"second": second}), at[0])
    with tempfile.TemporaryDirectory() as name:
        folder = Local(Path(name))
        run = Run(before, folder, places[0], data)
        run.through([0, at[0]])
        after = Run(graph, folder, places[1], data, run.elements)
        after.resume(run.facts, at[0])
        after.through([*at, INFINITY], first=1)
    return {name: changes_of(after.elements.get(name, [])) for name in ("first", "second")}


def backfilled_answers(
    first: Operator,
    second: Operator,
    data: dict[str, Changes],
    cuts: tuple[list[int], list[int], list[int]],
    places: tuple[int, int, int],
    ahead: int,
) -> dict[str, Changes]:
    """The answers of a query, and of one that is added from the beginning on.

    The past has other cuts for the query that is added than it had for the first.
    """
    before = lowered({"first": first})
    graph = stored(before, ["first"])
    add_from(graph, lowered({"second": second}))
    past, again, later = cuts
    with tempfile.TemporaryDirectory() as name:
        folder = Local(Path(name))
        run = Run(before, folder, places[0], data)
        run.through([0, *past], ahead)
        own = backfill_graph(graph, ["second"], run.facts["states"])
        backfill = Run(own, folder, places[1], data, adds_up=False)
        # The rows after the last cut that were read have to wait here, too.
        backfill.through([0, *again, past[-1]], ahead)
        after = Run(graph, folder, places[2], data, run.elements | backfill.elements)
        after.resume(run.facts, past[-1], backfill.facts)
        after.through([past[-1], *later, INFINITY], ahead, first=len(past))
    return {name: changes_of(after.elements.get(name, [])) for name in ("first", "second")}


@trying(80)
@given(queries(), queries(), inputs, cuts.filter(bool), st.tuples(PLACES, PLACES))
def test_a_query_that_is_added_begins_then(
    first: Generated, second: Generated, data: dict[str, Changes], at: list[int], places: tuple[int, int]
) -> None:
    plans = plan_of(first.cql), plan_of(second.cql)
    data = {**data, "R": {}}  # rows with an end of their own: such a query is not added
    later = {name: {t: bag for t, bag in changes.items() if t >= at[0]} for name, changes in data.items()}
    try:
        expected = since(ran(plans[0], data, at), 0), since(ran(plans[1], later, at), at[0])
    except SlackwaterError:
        return
    together = answers(*plans, data, at, places)
    assert (since(together["first"], 0), since(together["second"], at[0])) == expected


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Operator, Operator]:
    """Two queries, the second often over the first, so that they have steps in common."""
    first = draw(queries())
    over = draw(st.sampled_from([None, "{x}", *_OVER]))
    second = draw(queries()).cql if over is None else over.format(x=first.cql)
    return plan_of(first.cql), plan_of(second)


_OVER = (
    "SELECT p, SUM(q) AS q FROM ({x}) AS x GROUP BY p",
    "SELECT p, COUNT(*) AS q FROM ({x}) AS x GROUP BY p",
    "SELECT DISTINCT p, p AS q FROM ({x}) AS x",
    "SELECT x.p AS p, y.q AS q FROM ({x}) AS x JOIN ({x}) AS y ON x.p = y.q",
)


SHARING = [
    "SELECT a AS p, COUNT(*) AS q FROM S [{w}] GROUP BY a",
    "SELECT a AS p, SUM(b) AS q FROM S [{w}] GROUP BY a",
    "SELECT b AS p, COUNT(*) AS q FROM S [{w}] GROUP BY b",
    "SELECT a AS p, b AS q FROM S [{w}]",
    "SELECT DISTINCT a AS p, b AS q FROM S [{w}]",
    "SELECT a AS p, MAX(b) AS q FROM S [{w}] GROUP BY a",
]
"""Queries whose elements wait as they are, or as partial sums."""
sharing = st.sampled_from(["RANGE 3 SLIDE 3", "RANGE 4 SLIDE 2", "RANGE 2", "NOW"]).flatmap(
    lambda window: st.lists(st.sampled_from(SHARING), min_size=2, max_size=2).map(
        lambda texts: tuple(plan_of(text.format(w=window)) for text in texts)
    )
)


@trying(60)
@given(
    pairs() | sharing,
    inputs,
    st.tuples(cuts.filter(bool), cuts, cuts),
    st.tuples(PLACES, PLACES, PLACES),
    st.integers(0, 3),
    st.booleans(),
)
def test_a_query_that_is_added_from_the_beginning_answers_as_if_it_had_been_there(
    plans: tuple[Operator, Operator],
    data: dict[str, Changes],
    at: tuple[list[int], list[int], list[int]],
    places: tuple[int, int, int],
    ahead: int,
    as_sums: bool,
) -> None:
    end = at[0][-1]
    parts = at[0], [t for t in at[1] if t < end], [t for t in at[2] if t > end]
    first, second = plans
    try:
        expected = {"first": Histories(data).changes(first), "second": Histories(data).changes(second)}
    except SlackwaterError:
        return
    with sent(as_sums=as_sums):
        assert backfilled_answers(*plans, data, parts, places, ahead) == expected
