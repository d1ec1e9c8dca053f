"""As-of joins: the pairs of a stream's rows with a relation as of their times, and DuckDB's ASOF joins."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from laws.by_duckdb import database, fill
from laws.effort import trying
from laws.relational import SCHEMAS, catalog, relations, streams
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_workers_are_the_driver import Places, check, many_cuts, moving
from slackwater.algebra import Kind, Operator
from slackwater.algebra.types import DOUBLE, INT, STRING
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.reference.bags import Bag, Changes, add, up_to
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

VALUES = {
    INT: st.none() | st.integers(0, 5),
    STRING: st.sampled_from(["x", "y", None]),
    DOUBLE: st.none(),
}
DATA = st.fixed_dictionaries(
    {
        "S": streams(SCHEMAS["S"], size=7, values=VALUES, least=2),
        "R": relations(SCHEMAS["R"], size=8, values=VALUES, least=2),
        "T": st.just({}),
    }
)


def bound(text: str) -> Operator:
    return bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan


@st.composite
def temporal(draw: st.DrawFn) -> tuple[str, int, bool]:
    window, side = draw(st.sampled_from([0, 2, 100])), draw(st.sampled_from(["", "LEFT "]))
    text = (
        f"SELECT x.*, y.b AS n, y.c AS m FROM S [RANGE {window}] AS x "
        f"{side}JOIN R FOR SYSTEM_TIME AS OF PROCTIME() AS y ON x.a = y.a"
    )
    return text, window, bool(side)


@trying(60)
@given(temporal(), DATA, cuts)
def test_a_row_meets_the_relation_as_of_its_own_time(
    query: tuple[str, int, bool], data: dict[str, Changes], at: list[int]
) -> None:
    text, window, keeps = query
    plan = bound(text)
    changes = Histories(data).changes(plan)
    for t in range(16):
        expected: Bag = {}
        for u, rows in data["S"].items():
            if t - window <= u <= t:
                for x, m in rows.items():
                    met = [
                        (y, n) for y, n in up_to(data["R"], u).items() if x[0] is not None and x[0] == y[0]
                    ]
                    for y, n in met or ([((None,) * 3, 1)] if keeps else []):
                        add(expected, x + y[1:], m * n)
        assert up_to(changes, t) == expected, (text, t)
    assert ran(optimized(plan), data, at) == changes, text


COMPARISONS = st.sampled_from([">=", ">", "<=", "<"])
ASOF = """
SELECT x.a AS xa, x.b AS xb, x.c AS xc, y.b AS yb, y.c AS yc FROM {x} AS x
ASOF {side}JOIN {y} AS y ON x.a = y.a AND x.b {sign} y.b
"""
ONE_OF_EACH_TIME = (
    "(SELECT * FROM r QUALIFY ROW_NUMBER() OVER (PARTITION BY a, b ORDER BY c DESC NULLS LAST) = 1)"
)


@trying(15)
@given(COMPARISONS, st.sampled_from(["", "LEFT "]), DATA)
def test_every_snapshot_is_duckdbs_answer(sign: str, side: str, data: dict[str, Changes]) -> None:
    plan = bound(ASOF.format(x="S [RANGE 3]", y="R", side=side, sign=sign))
    snapshots = Snapshots(data)
    assert Histories(data).changes(plan) == snapshots.changes(plan)
    for t in snapshots.instants(plan):
        left = [row for u, bag in data["S"].items() if t - 3 <= u <= t for row in Counter(bag).elements()]
        right = list(Counter(up_to(data["R"], t)).elements())
        for name, rows in (("s", left), ("r", right)):
            fill(database(), name, "a BIGINT, b BIGINT, c VARCHAR", rows)
        sql = ASOF.format(x="s", y=ONE_OF_EACH_TIME, side=side, sign=sign)
        answers = database().execute(sql).fetchall()
        assert Counter(snapshots.relation(plan, t)) == Counter(answers), (sql, t)


TEXTS = (
    ASOF,
    "SELECT x.a, x.c, y.b FROM {x} AS x ASOF {side}JOIN {y} AS y MATCH_CONDITION (x.b {sign} y.b)",
    "SELECT x.a, x.c, y.b FROM {x} AS x ASOF {side}JOIN {y} AS y MATCH_CONDITION (x.b {sign} y.b + 1) "
    "ON x.c = y.c AND y.a > 1 AND x.a < 4",
    "SELECT a, b, x.c, y.c AS d FROM {x} AS x {side}ASOF JOIN {y} AS y USING (a, b)",
)


@st.composite
def nearest(draw: st.DrawFn) -> str:
    sources = [draw(st.sampled_from(["R", "S [RANGE 2]", "S [ROWS 3]"])) for _ in range(2)]
    side, sign = draw(st.sampled_from(["", "LEFT "])), draw(COMPARISONS)
    return draw(st.sampled_from(TEXTS)).format(x=sources[0], y=sources[1], side=side, sign=sign)


@trying(50)
@given(nearest(), DATA, cuts)
def test_kernels_are_the_reference(text: str, data: dict[str, Changes], at: list[int]) -> None:
    plan = bound(text)
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), text


@trying(12)
@given(st.one_of(nearest(), temporal().map(lambda query: query[0])), DATA, many_cuts, moving())
def test_driver_and_workers_resume_from_each_other(
    text: str, data: dict[str, Changes], at: list[int], places: Places
) -> None:
    check(text, data, at, places, False, Kind.RELATION)
