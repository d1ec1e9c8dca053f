"""A query that is added to a run answers as if the streams had no rows before; the others go on."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import Generated, catalog, inputs, queries
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
from slackwater.reference.bags import Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.storage.local import Local

PLACES = st.integers(0, 2)


def plan_of(query: Generated) -> Operator:
    return optimized(bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan)


def since(changes: Changes, begin: int) -> Changes:
    """The changes from an instant on; what is there at it comes at it."""
    moved: Changes = {}
    for at, bag in changes.items():
        for row, n in bag.items():
            record(moved, max(at, begin), row, n)
    return {at: bag for at, bag in sorted(moved.items()) if bag}


def answers(
    first: Operator, second: Operator, data: dict[str, Changes], at: list[int], places: tuple[int, int]
) -> dict[str, Changes]:
    """The answers of a query, and of one that is added at the first cut."""
    before = lowered({"first": first})
    after = continued(graph_of(json.loads(json.dumps(described(before)))), ["first"], before)
    add_from(after, lowered({"second": second}), at[0])
    elements: dict[str, list[Element]] = {"first": [], "second": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Local(Path(name))
        here = placement(before, folder, places[0])
        for number, (lo, hi) in enumerate(zip([0, *at], [*at, INFINITY], strict=True)):
            outputs = here.compute(number, lo, hi, between(frames(data), lo, hi)).outputs
            facts = json.loads(json.dumps(here.save(number)))
            for output, frame in outputs.items():
                for *values, start, end, n in frame.select(*columns_of(frame), FROM, TO, N).rows():
                    elements[output].append(Element(tuple(values), start, end, n))
            if number == 0:
                here = _resumed(after, folder, places[1], facts, hi)
    return {name: changes_of(parts) for name, parts in elements.items()}


def _resumed(graph: Graph, folder: Local, place: int, facts: dict[str, object], now: int) -> object:
    here = placement(graph, folder, place)
    here.resume(facts, now)
    return here


@trying(80)
@given(queries(), queries(), inputs, cuts.filter(bool), st.tuples(PLACES, PLACES))
def test_a_query_that_is_added_begins_then(
    first: Generated, second: Generated, data: dict[str, Changes], at: list[int], places: tuple[int, int]
) -> None:
    plans = plan_of(first), plan_of(second)
    data = {**data, "R": {}}  # rows with an end of their own: such a query is not added
    later = {name: {t: bag for t, bag in changes.items() if t >= at[0]} for name, changes in data.items()}
    try:
        expected = since(ran(plans[0], data, at), 0), since(ran(plans[1], later, at), at[0])
    except SlackwaterError:
        return
    together = answers(*plans, data, at, places)
    assert (since(together["first"], 0), since(together["second"], at[0])) == expected
