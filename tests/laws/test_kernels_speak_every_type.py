"""Every type a column may have, through every family of kernels, against the reference."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.algebra import Kind, Schema
from slackwater.algebra import types as t
from slackwater.algebra.values import canonical, map_value
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels.expressions.values import column_of, values_of
from slackwater.kernels.frames import FROM, TO, N, frame_schema
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Bag, Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.reference.history import Histories

VALUES: dict[t.Type, st.SearchStrategy] = {
    t.BOOLEAN: st.booleans(),
    t.TINYINT: st.integers(-128, 127),
    t.SMALLINT: st.integers(-2, 2),
    t.INT: st.integers(-(2**31), 2**31 - 1),
    t.BIGINT: st.sampled_from([-(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1]),
    t.DOUBLE: st.sampled_from([0.1, 0.2, 0.3, -1e300, 1e-300, 5e-324, math.inf, -math.inf, math.nan]).map(
        canonical
    ),
    t.decimal(10, 2): st.integers(-(10**9), 10**9).map(lambda n: Decimal(n).scaleb(-2)),
    t.STRING: st.text(max_size=3),
    t.BINARY: st.binary(max_size=3),
    t.DATE: st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
    t.TIMESTAMP: st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    t.array(t.INT): st.lists(st.integers(-2, 2), max_size=2).map(tuple),
    t.struct(p=t.INT, q=t.STRING): st.tuples(st.integers(-2, 2), st.text(max_size=2)),
    t.array(t.struct(p=t.INT)): st.lists(st.tuples(st.none() | st.integers(0, 1)), max_size=2).map(tuple),
}
MAPPED = t.map_of(t.STRING, t.DOUBLE)
MAPS = st.dictionaries(st.text("ab", max_size=1), st.none() | VALUES[t.DOUBLE], max_size=2)
VALUES_OF_MAPS = MAPS.map(lambda entries: map_value(entries.items()))
NUMBERS = (t.TINYINT, t.SMALLINT, t.INT, t.DOUBLE, t.decimal(10, 2))
PLAIN = [
    "SELECT v, k FROM S [RANGE 2]",
    "SELECT DISTINCT v FROM S [RANGE 2]",
    "SELECT v, COUNT(*) AS n FROM S [RANGE 2] GROUP BY v",
    "SELECT k, COUNT(DISTINCT v) AS n, COUNT(v) AS m FROM S [RANGE 2] GROUP BY k",
    "SELECT a.k, b.v FROM S [RANGE 2] a JOIN S [ROWS 2] b ON a.v = b.v",
    "SELECT a.k, b.k AS m FROM S [RANGE 1] a LEFT JOIN S [ROWS 2] b ON a.v = b.v",
    "SELECT v FROM S [RANGE 3] EXCEPT ALL SELECT v FROM S [ROWS 1]",
    "SELECT v FROM S [ROWS 2]",
    "SELECT v, k FROM S [PARTITION BY v ROWS 1]",
    "ISTREAM(SELECT v FROM S [ROWS 1])",
    "SELECT v, k, ROW_NUMBER() OVER (ORDER BY k) AS n, LAG(v) OVER (PARTITION BY k) AS w FROM S [RANGE 2]",
    "SELECT k, v, RANK() OVER (ORDER BY v DESC) AS n FROM S [RANGE 2] QUALIFY n <= 2",
    "SELECT k, COUNT(DISTINCT v) OVER (PARTITION BY v) AS n FROM S [RANGE UNBOUNDED]",
]
OF_MAPS = [
    "SELECT v, k FROM S [RANGE 2]",
    "SELECT v FROM S [ROWS 2]",
    "ISTREAM(SELECT v FROM S [ROWS 1])",
    "SELECT v FROM S [RANGE 3] UNION ALL SELECT v FROM S [ROWS 1]",
    "SELECT k, key, value FROM S [RANGE 2], UNNEST(v)",
    "SELECT map_keys(v) AS ks, COUNT(*) AS n, MAX(v['a']) AS a FROM S [RANGE 2] GROUP BY map_keys(v)",
    "SELECT a.v, b.v AS w FROM S [RANGE 2] a LEFT JOIN S [ROWS 2] b ON map_entries(a.v) = map_entries(b.v)",
]
ORDERED = [
    "SELECT k, MIN(v) AS a, MAX(v) AS b FROM S [RANGE 2] GROUP BY k",
    "SELECT MAX(v) AS b FROM S [ROWS 2]",
    "SELECT k, MAX(v) OVER (ORDER BY v ROWS 1 PRECEDING) AS a, MIN(v) OVER () AS b FROM S [RANGE 2]",
]
NUMERIC = [
    "SELECT k, SUM(v) AS s, AVG(v) AS a, MEDIAN(v) AS m FROM S [RANGE 2] GROUP BY k",
    "SELECT VARIANCE(v) AS v, STDDEV_POP(v) AS d, SUM(DISTINCT v) AS s FROM S [RANGE 2]",
    "SELECT k, SUM(v) OVER (ORDER BY k) AS s, MEDIAN(v) OVER (ORDER BY v) AS m FROM S [RANGE 2]",
    "SELECT AVG(v) OVER (ORDER BY v ROWS 2 PRECEDING) AS a, STDDEV(v) OVER (ORDER BY k) AS d FROM S [NOW]",
]
NEAR = "SELECT COUNT(*) OVER (ORDER BY v{0} RANGE BETWEEN {1} PRECEDING AND {1} FOLLOWING) AS n FROM S [NOW]"
DISTANCES = [
    *((type_, NEAR.format(order, "1" if type_ in (t.TINYINT, t.SMALLINT) else "100000000.25"))
      for type_ in (*NUMBERS, t.BIGINT) for order in ("", " DESC")),
    *((type_, NEAR.format(order, "INTERVAL 36500 DAYS")) for type_ in (t.DATE, t.TIMESTAMP)
      for order in ("", " DESC NULLS FIRST")),
]  # fmt: skip
CASES = [
    *DISTANCES,
    *((type_, query) for type_ in VALUES for query in PLAIN),
    *((type_, query) for type_ in VALUES if type_.name not in ("array", "struct") for query in ORDERED),
    *((type_, query) for type_ in NUMBERS for query in NUMERIC),
    *((MAPPED, query) for query in OF_MAPS),
]


def element_frame(schema: Schema, changes: Changes) -> pl.DataFrame:
    rows = [(*row, at, INFINITY, n) for at, bag in changes.items() for row, n in bag.items()]
    types = (*schema.types, t.BIGINT, t.BIGINT, t.BIGINT)
    columns = [column_of([row[place] for row in rows], type_) for place, type_ in enumerate(types)]
    return pl.DataFrame([c.alias(n) for c, n in zip(columns, frame_schema(schema), strict=True)])


def run_kernels(plan, schema: Schema, changes: Changes, cuts: list[int]) -> Changes:
    machine = Machine(lowered({"answer": optimized(plan)}))
    frame = element_frame(schema, changes)
    stream: Changes = {}
    elements: list[Element] = []
    for lo, hi in zip([0, *cuts], [*cuts, INFINITY], strict=True):
        now = {"S": frame.filter(pl.col(FROM).is_between(lo, hi, closed="left"))}
        out = machine.epoch(now, lo, hi)["answer"]
        columns = [values_of(out[name], type_) for name, type_ in plan.schema]
        for *values, start, end, n in zip(*columns, out[FROM], out[TO], out[N], strict=True):
            row = tuple(values)
            if plan.kind is Kind.STREAM:
                record(stream, start, row, n)
            else:
                elements.append(Element(row, start, end, n))
    return dict(sorted(stream.items())) if plan.kind is Kind.STREAM else changes_of(elements)


@pytest.mark.parametrize(("type_", "query"), CASES, ids=str)
@trying(6)
@given(data=st.data())
def test_kernels_and_reference_agree(type_: t.Type, query: str, data: st.DataObject) -> None:
    schema = Schema.of(k=t.INT, v=type_)
    value = st.one_of(st.none(), VALUES_OF_MAPS if type_ == MAPPED else VALUES[type_])
    element = st.tuples(st.integers(0, 5), st.tuples(st.one_of(st.none(), st.integers(0, 1)), value))
    changes: Changes = {}
    for at, row in data.draw(st.lists(element, max_size=6)):
        record(changes, at, row, 1)
    catalog = Catalog()
    catalog.stream("S", schema)
    plan = bind_query(Text("<query>", query), catalog).plan
    cuts = sorted(data.draw(st.sets(st.integers(1, 8), max_size=3)))
    expected: dict[int, Bag] = Histories({"S": changes}).changes(plan)
    assert run_kernels(plan, schema, changes, cuts) == expected
