"""Windows by the time of a stream leave the state when they are over, and no answer depends on that."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laws.effort import trying
from laws.large_states import always_in_runs
from laws.test_kernels_are_the_reference import between, cuts, frames
from laws.test_workers_are_the_driver import Places, answers, many_cuts, moving
from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.base.time import BEGIN, INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.optimize.growth import warnings
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.reference.history import Histories

SCHEMA = Schema.of(a=INT, b=INT, u=INT)
COUNTS = "SELECT window_start AS s, window_end AS e, a, COUNT(*) AS n FROM HOP(U, u, 2, 6) GROUP BY ALL"
QUERIES = [
    "SELECT window_end AS e, a, COUNT(*) AS n, SUM(b) AS s FROM TUMBLE(U, u, 3) GROUP BY window_end, a",
    "SELECT window_start AS s, MAX(b) AS m, MIN(b) AS l FROM TUMBLE(U, u, 4) GROUP BY window_start",
    "SELECT window_start AS s, MEDIAN(b) AS m, COUNT(DISTINCT a) AS n FROM HOP(U, u, 2, 4)"
    " GROUP BY window_start",
    "SELECT window_end AS e, a, STRING_AGG(CAST(b AS STRING), ',') AS t FROM CUMULATE(U, u, 2, 6)"
    " GROUP BY ALL",
    "SELECT u, COUNT(*) AS n FROM U GROUP BY u",
    "SELECT window_end AS e, COUNT(*) AS n FROM TUMBLE(U [RANGE UNBOUNDED SLIDE 3], u, 4)"
    " GROUP BY window_end",
    "SELECT DISTINCT a, window_end AS e FROM HOP(U, u, 3, 5)",
    "SELECT a, b, window_end AS e FROM TUMBLE(U, u, 4)"
    " QUALIFY ROW_NUMBER() OVER (PARTITION BY window_end ORDER BY b, a) <= 2",
    "SELECT a, RANK() OVER (PARTITION BY window_start, a ORDER BY b) AS r FROM TUMBLE(U, u, 4)",
    f"SELECT x.a, x.n FROM ({COUNTS}) AS x"
    f" JOIN (SELECT s, e, MAX(n) AS m FROM ({COUNTS}) AS z GROUP BY s, e) AS y"
    " ON x.s = y.s AND x.e = y.e AND x.n >= y.m",
    "SELECT x.b, y.b AS c FROM TUMBLE(U, u, 3) AS x JOIN TUMBLE(V, u, 3) AS y"
    " ON x.a = y.a AND x.window_end = y.window_end",
    "SELECT window_end AS e, COUNT(*) AS n"
    " FROM TUMBLE(TABLE (SELECT a, u FROM U UNION ALL SELECT a, u FROM V), u, 4)"
    " GROUP BY window_end",
    "SELECT a, window_start AS s, window_end AS e, COUNT(*) AS n, MAX(b) AS m"
    " FROM SESSION(U PARTITION BY a, u, 2)"
    " GROUP BY a, window_start, window_end",
    "SELECT a, window_end AS e, COUNT(*) AS n FROM SESSION(U PARTITION BY a, u, 1) GROUP BY a, window_end",
    "SELECT a, window_start AS s, COUNT(*) AS n FROM SESSION(U PARTITION BY a, u, 1)"
    " GROUP BY a, window_start",
    "SELECT b, window_start AS s, SUM(a) AS n FROM SESSION(U, u, 1) GROUP BY b, window_start, window_end",
    "SELECT window_start AS s, window_end AS e, COUNT(*) AS n, MEDIAN(b) AS m FROM SESSION(U, u, 1)"
    " GROUP BY ALL",
    "SELECT a, window_start AS s, COUNT(DISTINCT b) AS n FROM SESSION(U PARTITION BY a, u, 2)"
    " GROUP BY a, window_start, window_end",
    "SELECT a, window_end AS e, COUNT(*) AS n FROM SESSION(U PARTITION BY a, u, 3) WHERE b > 0"
    " GROUP BY a, window_start, window_end",
    "SELECT a % 2 AS k, SESSION_END(u, 2) AS e, MAX(b) AS m FROM U GROUP BY a % 2, SESSION(u, 2)",
    "SELECT a, b, window_start AS s, window_end AS e FROM SESSION(U PARTITION BY a, u, 2)",
]  # fmt: skip


@cache
def plan_of(query: str) -> Operator:
    catalog = Catalog()
    for name in ("U", "V"):
        bind(Text("declared", f"CREATE STREAM {name} (a INT, b INT, u INT) TIME u"), catalog)
    return bind_query(Text("query", query), catalog, Kind.RELATION).plan


def ran(query: str, data: dict[str, Changes], at: list[int]) -> tuple[Changes, list[int]]:
    """The answer, and the number of rows in all states after each epoch but the last."""
    kernels = Machine(lowered({"answer": optimized(plan_of(query))}))
    sources = frames(data, {"U": SCHEMA, "V": SCHEMA})
    elements: list[Element] = []
    sizes: list[int] = []
    for lo, hi in zip([BEGIN, *at], [*at, INFINITY], strict=True):
        out = kernels.epoch(between(sources, lo, hi), lo, hi)["answer"]
        rows = out.select(*columns_of(out), FROM, TO, N).rows()
        elements += [Element(tuple(values), start, end, n) for *values, start, end, n in rows]
        sizes.append(sum(rows for rows, _ in kernels.sizes.values()))
    return changes_of(elements), sizes[:-1]


def timed(rows: list[tuple[int, int | None, int | None]]) -> Changes:
    """A stream whose rows come at the time in their last column."""
    changes: Changes = {}
    for u, a, b in sorted(rows, key=lambda row: row[0]):
        record(changes, u, (a, b, u), 1)
    return changes


values = st.none() | st.integers(0, 3)
stream = st.lists(st.tuples(st.integers(0, 14), values, values), max_size=12).map(timed)


@trying(150)
@given(st.sampled_from(QUERIES), stream, stream, cuts, st.booleans())
@example(QUERIES[0], timed([(0, 1, 1), (5, 1, 2)]), {}, [3, 6], True)
def test_the_answer_is_the_references(
    query: str, u: Changes, v: Changes, at: list[int], is_large: bool
) -> None:
    data = {"U": u, "V": v}
    with always_in_runs() if is_large else nullcontext():
        answer, _ = ran(query, data, at)
    assert answer == Histories(data).changes(plan_of(query)), query


@trying(40)
@given(st.sampled_from(QUERIES), stream, stream, many_cuts, moving())
def test_driver_and_workers_resume_from_each_other(
    query: str, u: Changes, v: Changes, at: list[int], places: Places
) -> None:
    data, schemas = {"U": u, "V": v}, {"U": SCHEMA, "V": SCHEMA}
    expected = Histories(data).changes(plan_of(query))
    assert answers(optimized(plan_of(query)), data, at, places, False, schemas) == expected, query


LONG = timed([(t, t * 7 % 3, t * 5 % 4) for t in range(150) if t % 11 < 8])


@pytest.mark.parametrize("query", QUERIES)
def test_the_state_is_bounded_however_long_the_stream_is(query: str) -> None:
    data = {"U": LONG, "V": LONG}
    answer, sizes = ran(query, data, list(range(2, 150, 2)))
    assert answer == Histories(data).changes(plan_of(query))
    early, late = max(sizes[5:20]), max(sizes[-20:])
    assert 0 < late <= early
    assert not warnings(optimized(plan_of(query)))


def test_a_time_that_is_not_the_streams_says_nothing_about_later_rows() -> None:
    """By b a window never ends: any later row may be in it."""
    query = "SELECT window_end AS e, COUNT(*) AS n FROM TUMBLE(U, b, 2) GROUP BY window_end"
    data = {"U": timed([(1, 0, 0), (9, 0, 1), (20, 0, 0)]), "V": {}}
    assert ran(query, data, [4, 10])[0] == Histories(data).changes(plan_of(query))
    assert warnings(optimized(plan_of(query)))


def test_rows_of_a_window_that_is_over_leave_a_bracket_window_that_is_longer() -> None:
    query = "SELECT window_end AS e, COUNT(*) AS n FROM TUMBLE(U [RANGE 8], u, 2) GROUP BY window_end"
    data = {"U": timed([(0, 0, 0), (1, 0, 0), (3, 0, 0), (12, 0, 0)]), "V": {}}
    assert ran(query, data, [2, 4, 6, 9, 13])[0] == Histories(data).changes(plan_of(query))
