"""TUMBLE, HOP, CUMULATE, SESSION and [SESSION gap]: kernels against the reference, in any epochs."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laws.by_duckdb import database, fill
from laws.effort import trying
from laws.large_states import always_in_runs
from laws.relational import SCHEMAS, catalog, relations, streams
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_workers_are_the_driver import Places, check, many_cuts, moving
from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import Aggregation, Cast, Expression, column
from slackwater.algebra.types import BIGINT, DOUBLE, INT, STRING
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.physical.description import described, graph_of
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, up_to
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

VALUES = {
    INT: st.none() | st.integers(-9, 15),
    STRING: st.sampled_from(["x", "y", None]),
    DOUBLE: st.sampled_from([0.0, 1.5, None]),
}
R = algebra.Relation("R", SCHEMAS["R"])
TIME: Expression = Cast(BIGINT, column("a", INT))
DATA = st.fixed_dictionaries(
    {
        "R": relations(SCHEMAS["R"], size=10, values=VALUES, least=1),
        "T": streams(SCHEMAS["T"], size=8, last=14, values=VALUES, least=1),
    }
)
EXTREME = st.sampled_from([1, 2, 3, 5, 8])
OFFSETS = st.integers(0, 4)


@st.composite
def in_windows(draw: st.DrawFn) -> Operator:
    size, step = draw(EXTREME), draw(EXTREME)
    match draw(st.sampled_from(["hop", "cumulate", "sessions", "sessions", "window"])):
        case "hop":
            return algebra.Assign(R, TIME, size, step, draw(OFFSETS))
        case "cumulate":
            return algebra.Assign(R, TIME, size * step, step, draw(OFFSETS), cumulates=True)
        case "window":
            return algebra.Session(algebra.Stream("T", SCHEMAS["T"]), size - 1, draw(PARTITIONS))
        case _:
            return algebra.Sessions(R, TIME, size, draw(KEYS))


PARTITIONS = st.sampled_from([(), ("a",), ("d",), ("d", "a")])
KEYS = st.sampled_from([(), (column("c", STRING),), (Cast(STRING, column("b", INT)), column("c", STRING))])
SPLIT = {"R": {0: {(1, 1, "x"): 1, (3, 1, "x"): 1, (5, 1, "x"): 2}, 4: {(3, 1, "x"): -1}}, "T": {}}


@trying(150)
@given(in_windows(), DATA, cuts, st.booleans())
@example(algebra.Sessions(R, TIME, 2), SPLIT, [2], True)
@example(algebra.Sessions(R, TIME, 2), SPLIT, [], False)
def test_kernels_are_the_reference(
    plan: Operator, data: dict[str, Changes], at: list[int], is_large: bool
) -> None:
    expected = Snapshots(data).changes(plan)
    assert Histories(data).changes(plan) == expected
    with always_in_runs() if is_large else nullcontext():
        assert ran(plan, data, at) == expected


@trying(60)
@given(st.integers(0, 4), DATA, cuts)
def test_a_session_is_there_exactly_while_a_range_of_its_gap_is(
    gap: int, data: dict[str, Changes], at: list[int]
) -> None:
    """ω g S ⊆ ω session g S, and one is empty where the other is."""
    stream = algebra.Stream("T", SCHEMAS["T"])
    snapshots, session, window = Snapshots(data), algebra.Session(stream, gap), algebra.Range(stream, gap)
    for t in range(20):
        inside, around = snapshots.relation(window, t), snapshots.relation(session, t)
        assert bool(inside) == bool(around)
        assert all(around.get(row, 0) >= copies for row, copies in inside.items())


@trying(60)
@given(EXTREME, EXTREME, OFFSETS, DATA)
def test_a_hop_is_a_union_of_tumbles(step: int, times: int, offset: int, data: dict[str, Changes]) -> None:
    """HOP(l, k·l) = ⊎ TUMBLE(k·l) with the offsets o, o + l, …"""
    hop = algebra.Assign(R, TIME, step * times, step, offset)
    tumbles: Operator = algebra.Assign(R, TIME, step * times, step * times, offset)
    for place in range(1, times):
        shifted = (offset + place * step) % (step * times)
        tumbles = algebra.Union(tumbles, algebra.Assign(R, TIME, step * times, step * times, shifted))
    assert Histories(data).changes(hop) == Histories(data).changes(tumbles)


@trying(30)
@given(EXTREME, DATA, cuts)
def test_aggregates_of_windows_are_the_references(size: int, data: dict[str, Changes], at: list[int]) -> None:
    for plan in (algebra.Assign(R, TIME, 2 * size, size), algebra.Sessions(R, TIME, size)):
        keys = (("s", column("window_start", BIGINT)), ("e", column("window_end", BIGINT)))
        counted = algebra.Aggregate(plan, keys, (("n", Aggregation(BIGINT, "count")),))
        assert ran(counted, data, at) == Histories(data).changes(counted)


def answers(sql: str, rows: list[tuple]) -> Counter[tuple]:
    """DuckDB's answer over the rows of an instant."""
    fill(database(), "r", "a BIGINT, b BIGINT, c VARCHAR", rows)
    return Counter(database().execute(sql).fetchall())


# Of numbers, DuckDB has no time_bucket: a number is taken as so many microseconds.
START = "epoch_us(time_bucket(INTERVAL {step} MICROSECOND, make_timestamp(CAST({v} AS BIGINT)), {origin}))"
ORIGIN = "make_timestamp({o})"
HOPS = """
SELECT a, b, c, s, s + {size} FROM (
    SELECT a, b, c, {start} - i * {step} AS s FROM r, range({count}) AS hops(i) WHERE a IS NOT NULL
) WHERE a < s + {size}
"""
CUMULATED = """
SELECT a, b, c, s, s + (i + 1) * {step} FROM (
    SELECT a, b, c, {start} AS s, i FROM r, range({count}) AS steps(i) WHERE a IS NOT NULL
) WHERE a < s + (i + 1) * {step}
"""
SESSIONS = """
SELECT a, b, c, MIN(a) OVER whole, MAX(a) OVER whole + {gap} FROM (
    SELECT a, b, c, SUM(begins) OVER (PARTITION BY c ORDER BY a RANGE UNBOUNDED PRECEDING) AS n FROM (
        SELECT a, b, c,
            CASE WHEN a - LAG(a) OVER (PARTITION BY c ORDER BY a) <= {gap} THEN 0 ELSE 1 END AS begins
        FROM r WHERE a IS NOT NULL
    )
) WINDOW whole AS (PARTITION BY c, n)
"""


@trying(12)
@given(EXTREME, EXTREME, OFFSETS, relations(SCHEMAS["R"], size=8, last=4, values=VALUES, least=1))
def test_every_snapshot_is_duckdbs_answer(size: int, step: int, offset: int, data: Changes) -> None:
    def started(length: int) -> str:
        return START.format(step=length, v="a", origin=ORIGIN.format(o=offset))

    count = -(-size // step)
    hops = HOPS.format(start=started(step), step=step, size=size, count=count)
    cumulated = CUMULATED.format(start=started(size * step), step=step, count=size)
    pairs = {
        hops: f"SELECT * FROM HOP(R, a, {step}, {size}, {offset})",
        cumulated: f"SELECT * FROM CUMULATE(R, a, {step}, {size * step}, {offset})",
        SESSIONS.format(gap=size): f"SELECT * FROM SESSION(R PARTITION BY c, a, {size})",
    }
    for sql, cql in pairs.items():
        plan = bind_query(Text("<query>", cql), catalog(), Kind.RELATION).plan
        snapshots = Snapshots({"R": data})
        for t in snapshots.instants(plan):
            rows = [row for row, copies in up_to(data, t).items() for _ in range(copies)]
            assert Counter(snapshots.relation(plan, t)) == answers(sql, rows), (cql, t)


TEXTS = (
    "SELECT a, window_end, COUNT(*) AS n FROM HOP({x}, a, {w}, {v}) GROUP BY a, window_end",
    "SELECT c, window_start FROM SESSION({x} PARTITION BY c, a, {w}) WHERE c <> 'x'",
    "SELECT c, SESSION_START(a, {w}) AS s, MAX(b) AS m FROM {x} AS x GROUP BY c, SESSION(a, {w})",
    "SELECT window.start, SUM(b) AS s FROM {x} AS x GROUP BY window(a, {v}, {w}) HAVING window.start > 2",
    "SELECT y.b, y.window_start FROM CUMULATE({x}, b, {w}, {v}) AS y WHERE y.a > 1 AND y.window_end > 3",
    "SELECT a, window_start, n FROM TUMBLE((SELECT a, window_end AS n FROM HOP({x}, b, {w}, {v})), a, {w})",
    "SELECT x.a, (SELECT MAX(w.window_end) FROM SESSION((SELECT * FROM R WHERE R.a <= x.a), b, {w}) AS w) "
    "AS m FROM {x} AS x",
    "SELECT x.a FROM {x} AS x WHERE EXISTS (SELECT 1 FROM HOP((SELECT * FROM R WHERE R.c = x.c), b, {w}, "
    "{v}) AS w WHERE w.window_start = x.b)",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Queries over rows in windows, with conditions on them."""
    source = draw(st.sampled_from(["R", "S [RANGE 3]", "S [PARTITION BY a SESSION 1]", "S [ROWS 4]"]))
    times = draw(EXTREME)
    return draw(st.sampled_from(TEXTS)).format(x=source, w=times, v=times * draw(st.integers(1, 3)))


SOME = st.fixed_dictionaries(
    {
        "R": relations(SCHEMAS["R"], values=VALUES, least=2),
        "S": streams(SCHEMAS["S"], size=10, values=VALUES, least=3),
        "T": st.just({}),
    }
)


@trying(40)
@given(texts(), SOME, cuts)
def test_queries_are_the_references(text: str, data: dict[str, Changes], at: list[int]) -> None:
    plan = bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan
    expected = Histories(data).changes(plan)
    assert Snapshots(data).changes(plan) == expected, text
    assert ran(optimized(plan), data, at) == expected, text
    graph = lowered({"answer": optimized(plan)})
    assert graph_of(json.loads(json.dumps(described(graph)))) == graph


@trying(15)
@given(texts(), SOME, many_cuts, moving())
def test_driver_and_workers_resume_from_each_other(
    text: str, data: dict[str, Changes], at: list[int], places: Places
) -> None:
    check(text, data, at, places, False, Kind.RELATION)


MOMENTS = "(SELECT TIMESTAMP '1970-01-01 00:00:00' + INTERVAL '1' SECOND * a AS ts, a, b, c FROM R)"
SECONDS = "CAST(EPOCH(window_start) AS BIGINT) AS s, CAST(EPOCH(window_end) AS BIGINT) AS e"
NUMBERS = "window_start AS s, window_end AS e"


def second(count: int) -> str:
    return f"INTERVAL '{count}' SECOND"


@trying(25)
@given(EXTREME, st.integers(1, 3), OFFSETS, DATA, cuts)
def test_windows_of_timestamps_are_those_of_their_seconds(
    step: int, times: int, offset: int, data: dict[str, Changes], at: list[int]
) -> None:
    size = step * times
    pairs = (
        (f"HOP(R, a, {step}, {size}, {offset})",
         f"HOP({MOMENTS}, ts, {second(step)}, {second(size)}, {second(offset)})"),
        (f"CUMULATE(R, a, {step}, {size})", f"CUMULATE({MOMENTS}, ts, {second(step)}, '{size} seconds')"),
        (f"SESSION(R PARTITION BY c, a, {step})", f"SESSION({MOMENTS} PARTITION BY c, ts, {second(step)})"),
    )  # fmt: skip
    for numbers, moments in pairs:
        one = bind_query(
            Text("<query>", f"SELECT a, b, c, {NUMBERS} FROM {numbers}"), catalog(), Kind.RELATION
        )
        other = bind_query(
            Text("<query>", f"SELECT a, b, c, {SECONDS} FROM {moments}"), catalog(), Kind.RELATION
        )
        expected = Histories(data).changes(one.plan)
        assert Histories(data).changes(other.plan) == expected, moments
        assert ran(optimized(other.plan), data, at) == expected, moments


@pytest.mark.parametrize(
    "function", ["TUMBLE({}, 2)", "HOP({}, 1, 3)", "CUMULATE({}, 1, 2)", "SESSION({}, 2)"]
)
@pytest.mark.parametrize("value", ["9223372036854775807", "-9223372036854775807 - 1"])
def test_a_window_beyond_all_numbers_is_an_error_in_both(function: str, value: str) -> None:
    text = f"SELECT * FROM {function.format(f'(SELECT {value} AS v FROM R), v')}"
    plan = bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan
    data: dict[str, Changes] = {"R": {0: {(1, 1, "x"): 1}}, "S": {}, "T": {}}
    outcomes = []
    for compute in (lambda: Histories(data).changes(plan), lambda: ran(plan, data, [])):
        try:
            outcomes.append(compute())
        except EngineError as error:
            outcomes.append([diagnostic.code for diagnostic in error.diagnostics])
    assert outcomes[0] == outcomes[1]
