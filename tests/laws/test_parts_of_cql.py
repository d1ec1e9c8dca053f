"""A CQL query is its rest over its filters, also over streams that contain these."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import event, given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.algebra import Stream
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog, Source
from slackwater.bind.program import bind, bind_query
from slackwater.engines.engine import Reference
from slackwater.globe.model import Properties, Published, Statistics, Subscription
from slackwater.globe.properties import contains, cover
from slackwater.globe.split import Input, filter_text, in_order, parts_of, raw, rest_text
from slackwater.reference.bags import Changes

COLUMNS = "(a INT, b DOUBLE, c STRING)"
PUBLISHED = {
    name: Published(name, "P", "rows", f"CREATE STREAM {name} {COLUMNS} TIME t INT", Statistics(1, 9))
    for name in ("s", "r")
}
WINDOWS = ("NOW", "RANGE 3", "RANGE UNBOUNDED", "ROWS 2", "RANGE 4 SLIDE 2")
NUMBER = st.integers(0, 3)


@st.composite
def conditions(draw: st.DrawFn, table: str) -> str:
    number = draw(NUMBER)
    return draw(
        st.sampled_from(
            [
                f"{table}.a > {number}", f"{table}.a <= {number}", f"{number} < {table}.b",
                f"{table}.b = {number}", f"{table}.b >= {number}.5", f"{table}.c = 'x'",
                f"({table}.a = {number} OR {table}.c LIKE 'y%')",
                f"{table}.a + 1 < {table}.b", f"NOT {table}.c = 'x''y'", f"{table}.c IS NULL",
                f"{table}.a BETWEEN {number} AND 2", f"UPPER({table}.c) = 'X'",
            ]
        )
    )  # fmt: skip


@st.composite
def queries(draw: st.DrawFn) -> str:
    window, other = draw(st.sampled_from(WINDOWS)), draw(st.sampled_from(WINDOWS))
    source, tables = draw(
        st.sampled_from(
            [
                (f"s [{window}]", ["s"]), (f"s [{window}] AS x", ["x"]),
                (f"s [{window}] AS x, r [{other}] AS y", ["x", "y"]),
                (f"s [{window}] AS x, s [{other}] AS y", ["x", "y"]),
            ]
        )
    )  # fmt: skip
    checks = draw(st.lists(conditions(draw(st.sampled_from(tables))), max_size=3))
    checks += ["x.a = y.a"] if len(tables) > 1 else []
    first = tables[0]
    selected = draw(
        st.sampled_from(
            [f"{first}.a, {first}.c", f"{first}.b + 1 AS n", f"COUNT(*) AS n, SUM({first}.a) AS m", "*"]
        )
        if len(tables) == 1
        else st.sampled_from([f"{first}.a, y.b", "COUNT(*) AS n"])
    )
    where = f" WHERE {' AND '.join(checks)}" if checks else ""
    return f"SELECT {selected} FROM {source}{where}"


ROWS = st.tuples(
    NUMBER, st.sampled_from([None, 0.0, 1.5, 2.0, 3.0]), st.sampled_from([None, "x", "yy", "x'y"])
)
INPUTS = st.dictionaries(
    st.integers(0, 6), st.dictionaries(ROWS, st.integers(1, 2), min_size=1, max_size=3), max_size=5
)


def answered(text: str, catalog: Catalog, inputs: Mapping[str, Changes]) -> Changes:
    plan = bind_query(Text("query", text), catalog).plan
    return Reference().run(plan, inputs, [])


def catalog_of(*streams: tuple[str, Stream]) -> Catalog:
    catalog = Catalog()
    for one in PUBLISHED.values():
        bind(Text("schema", one.schema), catalog)
    for _, stream in streams:
        catalog.declare(Source(stream))
    return catalog


def over(
    need: Properties, stream: Input, catalog: Catalog, inputs: dict[str, Changes], name: str
) -> tuple[Stream, Changes]:
    text = filter_text(need, stream, PUBLISHED)
    plan = bind_query(Text("filter", text), catalog).plan
    return Stream(name, plan.schema), Reference().run(plan, inputs, [])


@trying(250)
@given(queries(), queries(), INPUTS, INPUTS)
def test_a_query_is_its_rest_over_its_filters(text: str, other: str, s: Changes, r: Changes) -> None:
    inputs = {"s": s, "r": r}
    catalog = catalog_of()
    expected = answered(text, catalog, inputs)
    parts = parts_of(Subscription("Q", "P", "cql", text), PUBLISHED)
    others = {need.source: need for need in parts_of(Subscription("O", "P", "cql", other), PUBLISHED).needs}
    for wide in (False, True):
        streams: dict[str, Input] = {}
        for need in parts.needs:
            source, known = Input(need.source, raw(PUBLISHED[need.source])), need
            if wide and need.source in others:
                known = in_order(cover(others[need.source], need), PUBLISHED[need.source])
                assert contains(known, need)
                event("contained" if contains(others[need.source], need) else "covered")
            name = f"{need.source}-f{wide}"
            stream, inputs[name] = over(known, source, catalog, inputs, name)
            catalog.declare(Source(stream))
            streams[need.source] = Input(name, known)
            if wide:
                again, inputs[f"{name}-2"] = over(need, streams[need.source], catalog, inputs, f"{name}-2")
                catalog.declare(Source(again))
                streams[need.source] = Input(f"{name}-2", need)
        assert answered(rest_text(parts.result, streams, PUBLISHED), catalog, inputs) == expected
