"""Generated pairs of a query and a view: made to match, so that the query can be computed from the view."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from laws.relational import catalog
from slackwater.algebra import Kind, Operator, Synchronize
from slackwater.algebra.points import Points
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.optimize.cost.statistics import SourceStatistics, Statistics

DENSE = Statistics({
    name: SourceStatistics(rate=1_000_000, rows=1_000, distinct=dict.fromkeys("abcd", 5)) for name in "rst"
})  # fmt: skip
"""Many rows at an instant, in few groups: what others have computed is then cheaper than the rows."""
KEYED = Statistics({
    name: SourceStatistics(rate=1_000, rows=1_000, distinct={"a": 100_000, "b": 100_000}) for name in "rst"
})  # fmt: skip
"""Many rows with few partners: finding them is most of the work of a join."""
WINDOWS = ("RANGE 2", "RANGE UNBOUNDED", "RANGE 4 SLIDE 3", "SLIDING 3", "FIXED 4", "ROWS 3")
AGGREGATES = ("COUNT(*)", "COUNT(x.b)", "COUNT(x.c)", "SUM(x.b)", "MIN(x.b)", "MAX(x.a)", "SUM(x.a + x.b)",
              "AVG(x.b)")  # fmt: skip
COLUMNS = ("x.a", "x.b", "x.c")
KEYS = ("x.a", "x.b", "x.c", "x.a + x.b", "COALESCE(x.c, 'z')")


@dataclass(frozen=True)
class Pair:
    """The texts, and the plans of them with their refresh periods."""

    texts: tuple[str, str]
    query: Operator
    view: Operator


def planned(text: str) -> Operator:
    return optimized(bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan)


@st.composite
def sources(draw: st.DrawFn) -> tuple[str, list[str]]:
    """FROM, and the equalities of its joins."""
    window, other = draw(st.sampled_from(WINDOWS)), draw(st.sampled_from(WINDOWS))
    return draw(st.sampled_from([
        (f"S [{window}] AS x", []),
        (f"S [{window}] AS x", []),
        ("R AS x", []),
        (f"S [{window}] AS x, T [{other}] AS y", ["x.a = y.a"]),
        (f"S [{window}] AS x, R AS y", ["x.a = y.b"]),
        (f"S [{window}] AS x, S [{window}] AS y", ["x.a = y.b"]),
        (f"S [{window}] AS x SEMI JOIN R AS y ON x.a = y.a", []),
        (f"S [{window}] AS x ANTI JOIN R AS y ON x.a = y.a AND x.b > y.b", []),
        (f"S [{window}] AS x LEFT JOIN R AS y ON x.a = y.a", []),
    ]))  # fmt: skip


@st.composite
def conditions(draw: st.DrawFn) -> tuple[str, str]:
    """A condition, and one that implies it."""
    low, more = draw(st.integers(-3, 1)), draw(st.integers(0, 2))
    column = draw(st.sampled_from(("x.a", "x.b")))
    return draw(st.sampled_from([
        (f"{column} > {low}", f"{column} > {low + more}"),
        (f"{column} >= {low}", f"{column} > {low + more}"),
        (f"{column} <= {low + 3}", f"{low + 3 - more} >= {column}"),
        (f"{column} BETWEEN {low} AND {low + 4}", f"{column} = {low + more}"),
        ("x.c LIKE 'a%'", "x.c LIKE 'a%'"),
        ("x.b <> 1", "x.b <> 1"),
        ("x.a + x.b > 0", "x.b + x.a > 0"),
        ("x.b IS NOT NULL", "x.b < 3"),
        ("x.c IS NOT NULL", "x.c = 'a'"),
        ("x.c >= 'a'", "x.c > 'a'"),
        ("(x.a IN (1, 2) OR x.b = 0)", "(x.a IN (1, 2) OR x.b = 0)"),
    ]))  # fmt: skip


def where(chosen: list[str]) -> str:
    return f" WHERE {' AND '.join(chosen)}" if chosen else ""


def listed(expressions: list[str]) -> str:
    return ", ".join(f"{expr} AS v{number}" for number, expr in enumerate(expressions))


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    """A query and a view that it can be computed from."""
    source, joined = draw(sources())
    common = draw(st.lists(conditions(), max_size=2))
    wide, narrow = [*joined, *(v for v, _ in common)], [*joined, *(q for _, q in common)]
    if joined and draw(st.booleans()):
        wide = wide[1:]
    match draw(st.sampled_from(("rows", "rows to groups", "groups", "groups", "distinct"))):
        case "rows" | "rows to groups" as kind:
            columns = [*COLUMNS, *(["y.a", "y.b"] if joined and "R AS y" in source else [])]
            columns += ["y.a", "y.d"] if "T [" in source else []
            columns += ["y.a", "y.b"] if source.count("S [") == 2 else []
            view = f"SELECT {listed(columns)} FROM {source}{where(wide)}"
            narrow += [q for _, q in draw(st.lists(conditions(), max_size=2))]
            if kind == "rows":
                outputs = draw(
                    st.lists(st.sampled_from([*columns, *KEYS, "x.b * 2"]), min_size=1, max_size=3)
                )
                return f"SELECT {listed(outputs)} FROM {source}{where(narrow)}", view
            keys = draw(st.lists(st.sampled_from(KEYS), max_size=2, unique=True))
            return _grouped(draw, source, narrow, keys, [*AGGREGATES, "COUNT(DISTINCT x.a)"]), view
        case "groups":
            keys = draw(st.lists(st.sampled_from(COLUMNS), max_size=3, unique=True))
            narrow = [*joined, *(v for v, _ in common)]
            more = draw(st.lists(conditions(), max_size=2))
            narrow += [q for _, q in more if {c for c in COLUMNS if c in q} <= set(keys)]
            # Conditions that only the query has are on the keys.
            wide = [*joined, *wide[len(wide) - len(common) :]]
            view = f"SELECT {listed([*keys, *AGGREGATES])} FROM {source}{where(wide)}{_by(keys)}"
            coarser = [key for key in keys if draw(st.booleans())]
            return _grouped(draw, source, narrow, coarser, AGGREGATES), view
        case _:
            outputs = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=2, unique=True))
            wide = [*joined, *wide[len(wide) - len(common) :]]
            view = f"SELECT DISTINCT {listed(list(COLUMNS))} FROM {source}{where(wide)}"
            return f"SELECT DISTINCT {listed(outputs)} FROM {source}{where(narrow)}", view


def _by(keys: list[str]) -> str:
    return f" GROUP BY {', '.join(map(str, range(1, len(keys) + 1)))}" if keys else ""


def _grouped(draw: st.DrawFn, source: str, narrow: list[str], keys: list[str], calls: object) -> str:
    chosen = draw(st.lists(st.sampled_from(calls), min_size=1, max_size=3))
    having = " HAVING COUNT(*) > 1" if keys and draw(st.integers(0, 3)) == 0 and "COUNT(*)" in chosen else ""
    return f"SELECT {listed([*keys, *chosen])} FROM {source}{where(narrow)}{_by(keys)}{having}"


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """A query and a view made to match, refreshed at points of which the query's are some of the view's."""
    both = draw(texts())
    query, view = map(planned, both)
    match draw(st.sampled_from(("always", "always", "query", "both"))):
        case "query":
            query = Synchronize(query, Points.every(draw(st.integers(2, 4)), draw(st.integers(0, 3))))
        case "both":
            period, phase, times = draw(st.integers(1, 3)), draw(st.integers(0, 2)), draw(st.integers(1, 3))
            view = Synchronize(view, Points.every(period, phase))
            query = Synchronize(query, Points.every(period * times, phase))
    return Pair(both, query, view)
