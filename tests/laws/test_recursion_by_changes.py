"""Recursion by changes: lifetimes with and without ends, deletions in cycles, states that are found again."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import relations, streams
from laws.test_kernels_are_the_reference import cuts
from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.engines.engine import Kernels
from slackwater.kernels.recursion import changes
from slackwater.optimize import optimized
from slackwater.physical import steps
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, record
from slackwater.reference.history import Histories

EDGE = Schema.of(a=INT, b=INT)
VALUES = {INT: st.integers(0, 4)}
SOURCES = ("E", "S [RANGE 3]", "S [RANGE UNBOUNDED]", "S [ROWS 4]")
REACHED = (
    "WITH RECURSIVE r(x) AS (SELECT a FROM {start} WHERE a < 2 UNION "
    "SELECT e.b FROM r JOIN {edges} AS e ON e.a = r.x) SELECT x FROM r"
)
PATHS = (
    "WITH RECURSIVE r(a, b) AS (SELECT a, b FROM {start} UNION "
    "SELECT r.a, e.b FROM r JOIN {edges} AS e ON r.b = e.a) SELECT * FROM r"
)
TWICE = (
    "WITH RECURSIVE r(a, b) AS (SELECT a, b FROM {start} UNION "
    "SELECT r.a, q.b FROM r JOIN r AS q ON r.b = q.a JOIN {edges} AS e ON e.a = r.b) SELECT * FROM r"
)
EITHER = (
    "WITH RECURSIVE r(x) AS (SELECT a FROM {start} UNION (SELECT e.b FROM r, {edges} AS e WHERE e.a = r.x "
    "UNION SELECT DISTINCT r.x + 1 FROM r WHERE r.x < 3)) SELECT x FROM r"
)
WALKS = (
    "WITH RECURSIVE r(x, d) AS (SELECT a, 0 FROM {start} UNION ALL "
    "SELECT e.b, r.d + 1 FROM r JOIN {edges} AS e ON e.a = r.x WHERE r.d < 3) SELECT x, d FROM r"
)
QUERIES = (REACHED, PATHS, TWICE, EITHER, WALKS)

data = st.fixed_dictionaries(
    {"E": relations(EDGE, 10, 9, VALUES, least=2), "S": streams(EDGE, 9, 9, VALUES, least=2)}
)


def cycle() -> dict[str, Changes]:
    """A cycle that is reached by an edge, and then by none."""
    edges: Changes = {}
    for at, row, copies in ((1, (0, 3), 1), (1, (3, 4), 1), (1, (4, 3), 1), (4, (0, 3), -1)):
        record(edges, at, row, copies)
    return {"E": edges, "S": {}}


def plan_of(text: str) -> Operator:
    catalog = Catalog()
    catalog.relation("E", EDGE)
    catalog.stream("S", EDGE)
    return bind_query(Text("<query>", text), catalog, Kind.RELATION).plan


@trying(120)
@example(REACHED, "E", "E", cycle(), [3], False)
@given(
    st.sampled_from(QUERIES), st.sampled_from(SOURCES), st.sampled_from(SOURCES), data, cuts, st.booleans()
)
def test_recursion_by_changes_is_the_reference(
    query: str, start: str, edges: str, inputs: dict[str, Changes], at: list[int], forgets: bool
) -> None:
    text = query.format(start=start, edges=edges)
    plan = plan_of(text)
    with pytest.MonkeyPatch.context() as patch:
        if forgets:
            patch.setattr(
                changes, "_SLACK", -1_000_000
            )  # What is computed from a state is made in each epoch.
        assert Kernels().run(plan, inputs, at) == Histories(inputs).changes(plan), text


@pytest.mark.parametrize("query", QUERIES)
def test_these_are_computed_by_changes(query: str) -> None:
    graph = lowered({"answer": optimized(plan_of(query.format(start="E", edges="S [RANGE 3]")))})
    [step] = [node.step for node in graph.nodes if isinstance(node.step, steps.Recursion)]
    assert step.derivation
