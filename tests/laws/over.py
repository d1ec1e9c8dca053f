"""Generated queries with window functions, QUALIFY, LIMIT and DISTINCT ON, as CQL and as SQL for DuckDB.

In SQL the rule for ties is written out: a call that depends on it is ordered by all columns at last.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from laws.relational import SCHEMAS, WINDOWS, Generated, Source

AGGREGATES = ("COUNT(*)", "COUNT({})", "SUM({})", "MIN({})", "MAX({})", "AVG({})", "MEDIAN({})",
              "COUNT(DISTINCT {})", "STDDEV({})", "SUM({}) FILTER (WHERE x.a > 0)",
              "MEDIAN(DISTINCT {})")  # fmt: skip
PEERS = ("RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()")
TIED = ("ROW_NUMBER()", "NTILE(2)", "NTILE(3)", "LAG({})", "LEAD({})", "LAG({}, 2, 7)", "LEAD({}, 2, x.a)",
        "LAG({}, 0)")  # fmt: skip
FRAMED = ("FIRST_VALUE({})", "LAST_VALUE({})", "NTH_VALUE({}, 2)", "FIRST_VALUE({} IGNORE NULLS)",
          "LAST_VALUE({} IGNORE NULLS)", "NTH_VALUE({}, 2 IGNORE NULLS)")  # fmt: skip
BOUNDS = ("UNBOUNDED PRECEDING", "2 PRECEDING", "1 PRECEDING", "CURRENT ROW", "1 FOLLOWING",
          "2 FOLLOWING", "UNBOUNDED FOLLOWING")  # fmt: skip


@dataclass
class OverQuery(Generated):
    """A query, and the same in SQL."""

    plain: str = ""

    def sql(self, table: dict[str, str]) -> str:
        return self.plain.format(**table)


class Written:
    """A piece of a query in CQL and in SQL."""

    def __init__(self, cql: str, sql: str | None = None) -> None:
        self.cql, self.sql = cql, cql if sql is None else sql


class _Writer:
    def __init__(self, draw: st.DrawFn, *, by_duckdb: bool) -> None:
        self.draw = draw
        self.by_duckdb = by_duckdb
        name = draw(st.sampled_from(["S", "R", "T", "R"]))
        window = None if name == "R" else draw(st.sampled_from(WINDOWS))
        self.source = Source("s1", "x", name, window)
        self.columns = SCHEMAS[name].names
        self.numbers = [f"x.{column}" for column in self.columns if column != "c"]

    def pick(self, items: tuple | list):
        return self.draw(st.sampled_from(items))

    def ties(self, columns: list[str]) -> str:
        return ", ".join(f"{column} NULLS FIRST" for column in columns)

    def order(self, terms: list[str], least: int = 0) -> list[Written]:
        """Terms of ORDER BY; in CQL the place of NULLs may be Spark's default."""
        listed = self.draw(st.lists(st.sampled_from(terms), min_size=least, max_size=2, unique=True))
        keys = []
        for term in listed:
            direction, nulls = (
                self.pick(["", " ASC", " DESC"]),
                self.pick(["", " NULLS FIRST", " NULLS LAST"]),
            )
            default = " NULLS LAST" if direction == " DESC" else " NULLS FIRST"
            keys.append(Written(f"{term}{direction}{nulls}", f"{term}{direction}{nulls or default}"))
        return keys

    def call(self) -> Written:
        kind = self.pick(["peers", "tied", "framed", "aggregate", "aggregate"])
        x = self.pick(self.numbers)
        partition = self.draw(st.lists(st.sampled_from(["x.a % 2", *self.numbers]), max_size=1))
        by = f"PARTITION BY {partition[0]} " if partition else ""
        terms = [f"x.{column}" for column in self.columns] + ["x.a + 1"]
        keys = self.order(terms)
        frame, is_tied = "", kind == "tied"
        if kind in ("framed", "aggregate"):
            frame, is_tied = self.frame(keys, of_values=kind == "framed")
        words = {"peers": PEERS, "tied": TIED, "framed": FRAMED, "aggregate": AGGREGATES}[kind]
        call = self.pick(words).replace("{}", x)
        cql = ", ".join(key.cql for key in keys)
        sql = ", ".join(
            [*(key.sql for key in keys), *([self.ties([f"x.{c}" for c in self.columns])] if is_tied else [])]
        )
        windows = [f"{by}{f'ORDER BY {text} ' if text else ''}{frame}".strip() for text in (cql, sql)]
        return Written(f"{call} OVER ({windows[0]})", f"{call} OVER ({windows[1]})")

    def frame(self, keys: list[Written], *, of_values: bool) -> tuple[str, bool]:
        """A frame, and whether the rule for ties matters to it in a way that SQL can say."""
        start = self.draw(st.integers(0, len(BOUNDS) - 2))
        end = self.draw(st.integers(max(start, 1), len(BOUNDS) - 1))
        between = f"BETWEEN {BOUNDS[start]} AND {BOUNDS[end]}"
        if self.draw(st.booleans()) or (of_values and self.by_duckdb):
            return f"ROWS {between}", True
        is_plain = any(number in (0, 3, 6) and other in (0, 3, 6) for number, other in [(start, end)])
        is_number = len(keys) == 1 and not keys[0].cql.startswith("x.c")
        if is_plain or is_number:
            return f"RANGE {between}", False
        return "", False

    def query(self) -> OverQuery:
        form = self.pick(["plain", "plain", "qualify", "filter", "limit", "ties", "on", "inside", "grouped"])
        if form in ("limit", "ties", "on"):
            return self.first_rows(form)
        if form in ("inside", "grouped"):
            return self.for_each_row() if form == "inside" else self.of_groups()
        calls = [self.call() for _ in range(self.draw(st.integers(1, 2)))]
        sides = []
        columns = ", ".join(self.numbers)
        most = self.draw(st.integers(0, 3))
        comparison = self.pick(["<=", "<", "=", ">"])
        for side in ("cql", "sql"):
            values = ", ".join(f"{getattr(call, side)} AS v{place}" for place, call in enumerate(calls))
            text = f"SELECT {columns}, {values} FROM {{s1}} AS x"
            if form == "qualify":
                text = f"{text} QUALIFY v0 {comparison} {most}"
            if form == "filter":
                text = f"SELECT * FROM ({text}) AS y WHERE y.v0 {comparison} {most} AND y.a >= 0"
            sides.append(text)
        return OverQuery(sides[0], [self.source], sides[1])

    def for_each_row(self) -> OverQuery:
        """The first value of the rows that match an enclosing row."""
        other = Source("s2", "y", "R", None)
        keys = self.order(["y.b", "y.c"], least=1)
        offset = self.draw(st.integers(0, 1))
        texts = []
        for terms in ([key.cql for key in keys], [*(key.sql for key in keys), self.ties(["y.b"])]):
            inner = f"SELECT y.b FROM {{s2}} AS y WHERE y.a = x.a ORDER BY {', '.join(terms)}"
            texts.append(f"SELECT x.a, ({inner} LIMIT 1 OFFSET {offset}) AS v FROM {{s1}} AS x")
        return OverQuery(texts[0], [self.source, other], texts[1])

    def of_groups(self) -> OverQuery:
        """Calls over the groups of a query."""
        x = self.pick(self.numbers)
        calls = ("RANK() OVER (ORDER BY COUNT(*) DESC)", "SUM(COUNT(*)) OVER (ORDER BY x.a NULLS FIRST)",
                 f"MAX(SUM({x})) OVER ()", f"COUNT(*) OVER (PARTITION BY COUNT({x}))")  # fmt: skip
        values = ", ".join(f"{call} AS v{place}" for place, call in enumerate(calls))
        text = f"SELECT x.a, {values} FROM {{s1}} AS x GROUP BY x.a"
        having = self.pick(["", " HAVING COUNT(*) > 1"])
        qualify = self.pick(["", " QUALIFY v0 <= 2"])
        return OverQuery(f"{text}{having}{qualify}", [self.source], f"{text}{having}{qualify}")

    def first_rows(self, form: str) -> OverQuery:
        """Ties are broken by the columns of the select list."""
        keys = self.order([f"x.{column}" for column in self.columns], least=1)
        listed = ", ".join(self.numbers)
        cql = ", ".join(key.cql for key in keys)
        total = ", ".join([*(key.sql for key in keys), self.ties(self.numbers)])
        count, offset = self.draw(st.integers(0, 3)), self.draw(st.integers(0, 2))
        text = f"SELECT {{on}}{listed} FROM {{s1}} AS x ORDER BY "
        if form == "on":
            on = "DISTINCT ON (x.a) "
            # In SQL the key of DISTINCT ON comes first.
            plain = text.replace("{on}", on) + f"x.a, {total}"
            return OverQuery(text.replace("{on}", on) + cql, [self.source], plain)
        text = text.replace("{on}", "")
        if form == "limit":
            limit = f" LIMIT {count} OFFSET {offset}"
            return OverQuery(f"{text}{cql}{limit}", [self.source], f"{text}{total}{limit}")
        sql = ", ".join(key.sql for key in keys)
        plain = f"SELECT {listed} FROM {{s1}} AS x QUALIFY RANK() OVER (ORDER BY {sql}) <= {count}"
        fetched = f"{text}{cql} FETCH FIRST {count} ROWS WITH TIES"
        return OverQuery(fetched, [self.source], plain)


@st.composite
def overs(draw: st.DrawFn, *, by_duckdb: bool = False) -> OverQuery:
    """A query; if DuckDB is to answer it, one of which SQL says which rows are first among peers."""
    return _Writer(draw, by_duckdb=by_duckdb).query()
