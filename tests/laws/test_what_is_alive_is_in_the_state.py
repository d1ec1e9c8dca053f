"""What is alive of a step's elements at the end of an epoch can be computed from the states that hold it."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import WINDOWS, inputs, queries
from laws.test_added_queries_begin_then import plan_of
from laws.test_kernels_are_the_reference import between, cuts, frames
from laws.test_row_windows_nest import sessions
from laws.views import DENSE
from slackwater.algebra import Operator
from slackwater.base.diagnostic import SlackwaterError
from slackwater.kernels.alive import alive, alive_input
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Frames, Machine, read_beside
from slackwater.optimize.sharing import shared
from slackwater.physical.graph import Graph
from slackwater.physical.known_steps import KnownSteps, holders
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes
from slackwater.reference.elements import Element, changes_of

_SIMPLE = (
    "SELECT a AS p, b AS q FROM S [{w}]",
    "SELECT a AS p, MAX(b) AS q FROM S [{w}] GROUP BY a",
    "SELECT MIN(b) AS p, MEDIAN(DISTINCT a) AS q FROM S [{w}]",
    "SELECT DISTINCT a AS p, b AS q FROM S [{w}]",
    "SELECT s.a AS p, t.a AS q FROM S [{w}] AS s JOIN T [{w}] AS t ON s.a = t.a OR s.b < t.a",
    "(SELECT a AS p FROM S [{w}]) EXCEPT ALL (SELECT a AS p FROM T [{w}])",
)
simple = st.tuples(st.sampled_from(_SIMPLE), st.sampled_from(WINDOWS)).map(
    lambda pair: pair[0].format(w=pair[1])
)


def run(machine: Machine, data: dict[str, Changes], at: list[int]) -> dict[int, list[pl.DataFrame]]:
    """The elements of all steps in the epochs between the instants."""
    elements: dict[int, list[pl.DataFrame]] = {}
    entries = [move for move in machine.stages.entries if move.sums_for is None]
    for lo, hi in pairwise([0, *at]):
        beside = read_beside(machine.stages, between(frames(data), lo, hi))
        computed: Frames = {**beside, **machine.run({move: beside[move.node] for move in entries}, lo, hi)}
        for place, frame in computed.items():
            elements.setdefault(place, []).append(frame)
    return elements


def meaning(frame: pl.DataFrame, row: list[str], now: int) -> Changes:
    """The elements that are alive at an instant, as changes from then on."""
    living = frame.filter((pl.col(FROM) <= now) & (pl.col(TO) > now)).select(*row, TO, N).rows()
    return changes_of([Element(tuple(values), now, end, n) for *values, end, n in living])


@trying(120)
@given(queries().map(lambda query: query.cql) | simple, inputs, cuts.filter(bool))
def test_what_is_alive_is_in_the_state(text: str, data: dict[str, Changes], at: list[int]) -> None:
    holds_what_is_alive(lowered({"answer": plan_of(text)}, changing=["answer"]), data, at)


@trying(40)
@given(sessions(), inputs, cuts.filter(bool))
def test_what_is_alive_of_row_windows_is_in_the_state_of_the_longest(
    plans: dict[str, Operator], data: dict[str, Changes], at: list[int]
) -> None:
    holds_what_is_alive(lowered(shared(plans, DENSE).plans), data, at)


def holds_what_is_alive(graph: Graph, data: dict[str, Changes], at: list[int]) -> None:
    machine, now = Machine(graph), at[-1]
    try:
        elements = run(machine, data, at)
    except SlackwaterError:
        return
    running = KnownSteps(graph, graph, now)
    for place, node in enumerate(graph.nodes):
        for holder in holders(graph, place):
            if not running.has_all(holder):
                continue
            owner, held = graph.nodes[holder.place], machine.states[holder.place].frames
            if holder.side is None:
                living = alive(owner, held, now)
            else:
                living = alive_input(owner, holder.side, held, now)
            expected = meaning(pl.concat(elements[place]), list(node.schema.names), now)
            empty = pl.concat(elements[place]).clear()
            assert meaning(empty if living is None else living, list(node.schema.names), now) == expected
