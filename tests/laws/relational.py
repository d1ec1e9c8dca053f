"""Generated queries of the relational part, as text that is both CQL and plain SQL.

A query names its sources by `{placeholder}`: `{s1}` becomes `S [RANGE 3]` in CQL, and the table of this
window's rows at an instant in SQL. `{div}` is integer division in either.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

from slackwater.algebra import Schema
from slackwater.algebra.types import DOUBLE, INT, STRING, Type
from slackwater.bind.catalog import Catalog
from slackwater.reference.bags import Changes, record

SCHEMAS = {
    "S": Schema.of(a=INT, b=INT, c=STRING),
    "T": Schema.of(a=INT, d=DOUBLE),
    "R": Schema.of(a=INT, b=INT, c=STRING),
}
STREAMS = ("S", "T")
WINDOWS = ("RANGE 0", "RANGE 2", "RANGE UNBOUNDED", "NOW", "RANGE 4 SLIDE 3", "SLIDING 3", "FIXED 4",
           "ROWS 2", "ROWS 3 SLIDE 2", "PARTITION BY a ROWS 1", "PARTITION BY a ROWS 2 RANGE 3", "SESSION 1",
           "PARTITION BY a SESSION 2")  # fmt: skip


def catalog() -> Catalog:
    """The declarations that generated queries are written against."""
    declarations = Catalog()
    for name, schema in SCHEMAS.items():
        if name in STREAMS:
            declarations.stream(name, schema)
        else:
            declarations.relation(name, schema)
    return declarations


integers = st.one_of(st.none(), st.integers(-3, 3))
texts = st.one_of(st.none(), st.sampled_from(["", "a", "ab", "b", "Ab"]))
doubles = st.one_of(st.none(), st.sampled_from([-1.5, 0.0, 0.25, 2.0, 3.5]))
Values = dict[Type, st.SearchStrategy]
_VALUES: Values = {INT: integers, STRING: texts, DOUBLE: doubles}


def rows(schema: Schema, values: Values) -> st.SearchStrategy[tuple]:
    return st.tuples(*(values[type_] for type_ in schema.types))


def streams(
    schema: Schema, size: int = 7, last: int = 9, values: Values = _VALUES, least: int = 0
) -> st.SearchStrategy[Changes]:
    """Elements with duplicates, equal times and gaps."""
    elements = st.lists(st.tuples(st.integers(0, last), rows(schema, values)), min_size=least, max_size=size)

    def gathered(stamped: list[tuple[int, tuple]]) -> Changes:
        changes: Changes = {}
        for at, row in stamped:
            record(changes, at, row, 1)
        return changes

    return elements.map(gathered)


@st.composite
def relations(
    draw: st.DrawFn, schema: Schema, size: int = 6, last: int = 9, values: Values = _VALUES, least: int = 0
) -> Changes:
    """Rows that are inserted at one instant and may be deleted at a later one."""
    changes: Changes = {}
    for start, length, row in draw(
        st.lists(
            st.tuples(st.integers(0, last), st.integers(1, 6), rows(schema, values)),
            min_size=least,
            max_size=size,
        )
    ):
        record(changes, start, row, 1)
        if draw(st.booleans()):
            record(changes, start + length, row, -1)
    return changes


inputs = st.fixed_dictionaries(
    {name: streams(schema) if name in STREAMS else relations(schema) for name, schema in SCHEMAS.items()}
)


@dataclass
class Source:
    """A source in FROM: its alias, the table under it and its window, if it has one."""

    placeholder: str
    alias: str
    name: str
    window: str | None

    @property
    def cql(self) -> str:
        return f"{self.name} [{self.window}]" if self.window else self.name


@dataclass
class Generated:
    """A query's text with placeholders, and their sources."""

    text: str = ""
    sources: list[Source] = field(default_factory=list)

    @property
    def cql(self) -> str:
        return self.text.format(div="/", **{source.placeholder: source.cql for source in self.sources})

    def sql(self, table: dict[str, str]) -> str:
        return self.text.format(div="//", **table)


class _Writer:
    """Generates one query from Hypothesis' draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.query = Generated()

    def pick(self, options: list[str] | tuple[str, ...]) -> str:
        return self.draw(st.sampled_from(options))

    def coin(self) -> bool:
        return self.draw(st.booleans())

    def source(self) -> Source:
        name = self.pick(tuple(SCHEMAS))
        number = len(self.query.sources) + 1
        window = self.pick(WINDOWS) if name in STREAMS else None
        source = Source(f"s{number}", f"x{number}", name, window)
        self.query.sources.append(source)
        return source

    def columns(self, scope: list[Source], type_: object) -> list[str]:
        return [
            f"{source.alias}.{name}" for source in scope for name, of in SCHEMAS[source.name] if of == type_
        ]

    def integer(self, scope: list[Source], depth: int) -> str:
        leaves = [*self.columns(scope, INT), str(self.draw(st.integers(0, 3)))]
        kind = self.pick(("leaf", "leaf", "arithmetic", "case", "function", "scalar")) if depth else "leaf"
        match kind:
            case "arithmetic":
                operator = self.pick(("+", "-", "*", "{div}", "%"))
                return f"({self.integer(scope, depth - 1)} {operator} {self.integer(scope, depth - 1)})"
            case "case":
                then, other = self.integer(scope, depth - 1), self.integer(scope, depth - 1)
                return f"CASE WHEN {self.condition(scope, depth - 1)} THEN {then} ELSE {other} END"
            case "function":
                inner = self.integer(scope, depth - 1)
                call = self.pick(("ABS({})", "COALESCE({}, 0)", "NULLIF({}, 1)", "GREATEST({}, 1)", "-({})"))
                return call.replace("{}", inner)
            case "scalar":
                return self.scalar(scope, depth - 1)
            case _:
                return self.pick(leaves)

    def text(self, scope: list[Source]) -> str:
        leaf = self.pick([*self.columns(scope, STRING), "'a'", "'B'"])
        return self.pick(("{}", "UPPER({})", "COALESCE({}, 'z')", "{} || 'x'")).replace("{}", leaf)

    def number(self, scope: list[Source]) -> str:
        return self.pick([*self.columns(scope, DOUBLE), "1.5"])

    def condition(self, scope: list[Source], depth: int) -> str:
        kinds = ["compare", "compare", "null", "between", "in", "like", "double"]
        if depth:
            kinds += ["and", "or", "not", "exists", "in query", "quantified"]
        match self.pick(kinds):
            case "and" | "or" as word:
                return (
                    f"({self.condition(scope, depth - 1)} {word.upper()} {self.condition(scope, depth - 1)})"
                )
            case "not":
                return f"NOT ({self.condition(scope, depth - 1)})"
            case "null":
                return f"{self.integer(scope, 0)} IS {self.pick(('', 'NOT '))}NULL"
            case "between":
                return (
                    f"{self.integer(scope, 0)} BETWEEN {self.integer(scope, 0)} AND {self.integer(scope, 0)}"
                )
            case "in":
                return (
                    f"{self.integer(scope, 0)} {self.pick(('IN', 'NOT IN'))} (1, 2, {self.integer(scope, 0)})"
                )
            case "like":
                return f"{self.text(scope)} {self.pick(('LIKE', 'NOT LIKE'))} {self.pick(QUOTED_PATTERNS)}"
            case "double":
                return f"{self.number(scope)} {self.pick(COMPARISONS)} {self.number(scope)}"
            case "exists":
                return f"{self.pick(('EXISTS', 'NOT EXISTS'))} ({self.subquery(scope, depth - 1)})"
            case "in query":
                word = self.pick(("IN", "NOT IN"))
                return f"{self.integer(scope, 0)} {word} ({self.subquery(scope, depth - 1)})"
            case "quantified":
                word = f"{self.pick(COMPARISONS)} {self.pick(('ANY', 'ALL'))}"
                return f"{self.integer(scope, 0)} {word} ({self.subquery(scope, depth - 1)})"
            case _:
                return f"{self.integer(scope, depth)} {self.pick(COMPARISONS)} {self.integer(scope, depth)}"

    def subquery(self, outer: list[Source], depth: int) -> str:
        """One integer column; half of them are correlated."""
        inner = self.source()
        scope = [*outer, inner] if self.coin() else [inner]
        where = f" WHERE {self.condition(scope, depth)}" if self.coin() else ""
        return f"SELECT {self.integer([inner], 0)} AS v FROM {{{inner.placeholder}}} AS {inner.alias}{where}"

    def scalar(self, outer: list[Source], depth: int) -> str:
        inner = self.source()
        scope = [*outer, inner] if self.coin() else [inner]
        call = self.pick(("COUNT(*)", "MAX({})", "SUM({})")).replace("{}", self.integer([inner], 0))
        where = f" WHERE {self.condition(scope, depth)}" if self.coin() else ""
        return f"(SELECT {call} AS v FROM {{{inner.placeholder}}} AS {inner.alias}{where})"

    def from_clause(self) -> tuple[str, list[Source]]:
        first = self.source()
        text, scope = f"{{{first.placeholder}}} AS {first.alias}", [first]
        if self.draw(st.integers(0, 2)):
            second = self.source()
            joined = f"{{{second.placeholder}}} AS {second.alias}"
            kind = self.pick(("CROSS", "INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"))
            if kind == "CROSS":
                return f"{text} CROSS JOIN {joined}", [*scope, second]
            on = f"{first.alias}.a = {second.alias}.a"
            if kind == "INNER" and self.coin():
                on = self.condition([first, second], 0)
            elif self.coin():
                on += f" AND {self.condition([first, second], 0)}"
            scope = scope if kind in ("SEMI", "ANTI") else [*scope, second]
            text = f"{text} {kind} JOIN {joined} ON {on}"
        return text, scope

    def select(self, depth: int) -> str:
        """A SELECT of two integer columns."""
        source, scope = self.from_clause()
        where = f" WHERE {self.condition(scope, depth)}" if self.coin() else ""
        match self.pick(("plain", "distinct", "grouped", "global")):
            case "grouped":
                key = self.integer(scope, 1)
                call, having = (
                    self.aggregate(scope),
                    f" HAVING {self.aggregate(scope)} > 1" if self.coin() else "",
                )
                return f"SELECT {key} AS p, {call} AS q FROM {source}{where} GROUP BY 1{having}"
            case "global":
                return (
                    f"SELECT {self.aggregate(scope)} AS p, {self.aggregate(scope)} AS q FROM {source}{where}"
                )
            case kind:
                word = "DISTINCT " if kind == "distinct" else ""
                columns = f"{self.integer(scope, depth)} AS p, {self.integer(scope, 0)} AS q"
                return f"SELECT {word}{columns} FROM {source}{where}"

    def aggregate(self, scope: list[Source]) -> str:
        call = self.pick(AGGREGATES)
        return call.replace("{}", self.number(scope) if self.coin() else self.integer(scope, 0))

    def whole(self) -> Generated:
        text = self.select(2)
        match self.pick(("alone", "alone", "set", "nested")):
            case "set":
                word = self.pick(("UNION", "EXCEPT", "INTERSECT")) + self.pick((" ALL", ""))
                text = f"({text}) {word} ({self.select(1)})"
            case "nested":
                call = self.pick(AGGREGATES).replace("{}", "q")
                text = f"SELECT p, {call} AS q FROM ({text}) AS o GROUP BY p"
        self.query.text = text
        return self.query


COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
QUOTED_PATTERNS = ("'a%'", "'%b'", "'_'", "''")
AGGREGATES = ("COUNT(*)", "COUNT({})", "SUM({})", "MIN({})", "MAX({})", "AVG({})", "COUNT(DISTINCT {})",
              "SUM(DISTINCT {})", "MEDIAN({})", "STDDEV({})", "VARIANCE({})", "STDDEV_POP({})")  # fmt: skip


@st.composite
def queries(draw: st.DrawFn) -> Generated:
    """Queries of a relation, with everything in the relational part."""
    return _Writer(draw).whole()


@st.composite
def streamed(draw: st.DrawFn, *words: str) -> str:
    """A stream of a relation, optionally with a window and streamed again."""
    query: Generated = draw(queries())
    operators = st.sampled_from(words or ("ISTREAM", "DSTREAM"))
    text = f"{draw(operators)}({query.cql})"
    if draw(st.booleans()):
        window = draw(st.sampled_from(WINDOWS)).replace("BY a", "BY p")
        text = f"SELECT p, COUNT(*) AS n, MAX(q) AS m FROM ({text}) [{window}] AS w GROUP BY p"
        if draw(st.booleans()):
            text = f"{draw(operators)}({text})"
    return text
