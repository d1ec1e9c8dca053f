"""CQL texts over the whole grammar, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

names = st.sampled_from(
    ["a", "b", "price", "time", "rows", "range", "key", "Now", "S", "timestamp", "slide", '"a b"', "`c`"]
)
streams = st.sampled_from(["S", "T", "trades", "stream", "R", '"Odd name"'])
numbers = st.one_of(st.integers(0, 999).map(str), st.sampled_from(["1.5", "0.25", "1e3"]))
strings = st.sampled_from(["''", "'x'", "'it''s'", "'a;b -- c'", "'%'"])
units = st.sampled_from(["", " Seconds", " second", " MINUTES", "ms", " h", " days", " Weeks"])
types = st.sampled_from(
    ["INT", "BIGINT", "DOUBLE", "VARCHAR(5)", "CHAR(4)", "DECIMAL(10, 2)", "BOOLEAN", "TIMESTAMP"]
)
columns = st.one_of(names, st.builds("{}.{}".format, streams, names))


def joined(strategy: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[str]:
    return st.lists(strategy, min_size=1, max_size=most).map(", ".join)


def maybe(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(st.just(""), strategy.map(" {}".format))


def lengths(least: int = 0) -> st.SearchStrategy[str]:
    amounts = st.one_of(st.integers(max(least, 1), 5000).map(str), st.sampled_from(["1.5", ".5", "5,000"]))
    bare = st.builds("{}{}".format, amounts, units)
    quoted = st.sampled_from(["INTERVAL '5' MINUTE", "INTERVAL 5 MINUTES", "'5 minutes'"])
    return st.one_of(bare, quoted) if least else st.one_of(bare, quoted, st.just("0"))


counts = st.one_of(st.integers(1, 10**6).map(str), st.sampled_from(["50,000", "1,000,000"]))
partitions = maybe(joined(columns).map("Partition By {}".format))
rows = st.builds(
    "{} Rows {}{}{}{}".format,
    partitions,
    st.one_of(counts, st.just("Unbounded")),
    maybe(st.just("Preceding")),
    maybe(lengths().map("Range {}".format)),
    maybe(counts.map("Slide {}".format)),
)
ranges = st.builds(
    "{} Range {}{}{}".format,
    partitions,
    st.one_of(lengths(), st.just("Unbounded")),
    maybe(st.just("PRECEDING")),
    maybe(lengths(1).map("Slide {}".format)),
)
others = st.one_of(
    st.sampled_from(["Now", "NOW", "Unbounded"]),
    st.builds("{} {}".format, st.sampled_from(["Sliding", "Fixed"]), lengths(1)),
)
windows = st.one_of(rows, ranges, others).map("[{}]".format)

leaves = st.one_of(columns, numbers, strings, st.sampled_from(["NULL", "TRUE", "CURRENT"]))


def _expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = ["+", "-", "*", "/", "%", "||", "=", "<>", "<", ">=", "AND", "OR", "LIKE", "DIV", "mod", "≤"]
    functions = ["COUNT", "Max", "coalesce", "f", "ABS", "Upper", "left_of", "avg", "GREATEST"]
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(binary), inner),
        st.builds("{} {} {}".format, inner, st.sampled_from(["+", "-", "*"]), leaves),
        st.builds("{}({})".format, st.sampled_from(functions), inner),
        st.builds("COUNT(DISTINCT {})".format, inner),
        st.builds("(NOT {})".format, inner),
        st.builds("(- {})".format, inner),
        st.builds("({} IS{} NULL)".format, inner, st.sampled_from(["", " NOT"])),
        st.builds("({} BETWEEN {} AND {})".format, inner, leaves, leaves),
        st.builds("({}{} IN ({}))".format, inner, st.sampled_from(["", " NOT"]), joined(leaves)),
        st.builds("CAST({} AS {})".format, inner, types),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, inner, leaves, inner),
    )


scalars = st.recursive(leaves, _expressions, max_leaves=4)
aliases = maybe(names.map("AS {}".format))
items = st.one_of(st.just("*"), st.builds("{}{}".format, scalars, aliases))
operators = st.sampled_from(["Istream", "DSTREAM", "rstream"])
lists = st.one_of(
    joined(items),
    joined(items).map("DISTINCT {}".format),
    st.builds("{}({}{})".format, operators, st.sampled_from(["", "Distinct "]), joined(items)),
    st.builds("DISTINCT {}({})".format, operators, joined(items)),
)
every = st.builds("EVERY {}{}".format, lengths(1), maybe(lengths().map("OFFSET {}".format)))
synchronizations = st.one_of(streams, every).map("SYNC BY {}".format)
relations_of = st.one_of(
    st.builds("{}({})".format, st.sampled_from(["R", "ℜ", "r"]), streams),
    st.builds("{}[{}]({})".format, st.sampled_from(["R", "ℜ"]), streams, streams),
)
tables = st.one_of(
    st.builds("{}{}{}".format, streams, maybe(windows), aliases),
    st.builds("{} AS {} {}".format, streams, names, windows),
    st.builds("{}{}".format, relations_of, aliases),
    st.builds("R({}) {}{}".format, streams, synchronizations, aliases),
    st.builds(
        "R({}) {} {}".format, streams, st.sampled_from(["∪", "∩", "UNION", "EXCEPT ALL"]), relations_of
    ),
    st.builds("{}{} {}".format, streams, aliases, synchronizations),
)
outputs = st.sampled_from(["STREAMED", "complete"])

plain = st.builds("SELECT {} FROM {}".format, joined(items), tables)
answers = st.builds(
    "SELECT {}{} {} FROM {}{}".format,
    outputs,
    st.sampled_from(["", " DISTINCT"]),
    joined(st.builds("{}{}".format, st.one_of(columns, numbers), aliases)),
    tables,
    maybe(st.just("AT FULL POINTS")),
)
"""Queries that say in which form their answer is."""
"""Queries of a relation, for the places where a stream is not allowed."""


def _queries(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    subqueries = st.builds("({}){}{}".format, inner, maybe(windows), aliases)
    sources = st.one_of(tables, subqueries)
    kinds = st.sampled_from(["JOIN", "LEFT JOIN", "FULL OUTER JOIN", "SEMI JOIN", "LEFT ANTI JOIN"])
    joins = st.one_of(
        st.builds("{} {} {} ON {}".format, sources, kinds, sources, scalars),
        st.builds("{} JOIN {} USING ({})".format, sources, sources, names),
        st.builds("{} CROSS JOIN {}".format, sources, sources),
        st.builds("({} JOIN {} ON TRUE)".format, tables, tables),
    )
    conditions = st.one_of(
        scalars,
        st.builds("{} IN ({})".format, columns, plain),
        st.builds("EXISTS ({})".format, plain),
        st.builds("{} > {} ({})".format, columns, st.sampled_from(["ANY", "ALL", "SOME"]), plain),
    )
    selects = st.builds(
        "SELECT {} FROM {}{}{}{}{}".format,
        lists,
        st.one_of(joined(sources), joins),
        maybe(conditions.map("WHERE {}".format)),
        maybe(joined(scalars).map("GROUP BY {}".format)),
        maybe(scalars.map("HAVING {}".format)),
        maybe(st.builds("ORDER BY {}{}".format, columns, st.sampled_from(["", " DESC"]))),
    )
    setops = ["UNION", "UNION ALL", "UNION MAX", "EXCEPT", "EXCEPT STRICT", "MINUS ALL", "INTERSECT"]
    return st.one_of(
        selects,
        st.builds("({}) {} ({})".format, inner, st.sampled_from(setops), inner),
        st.builds("{} {} {}".format, selects, st.sampled_from(setops), selects),
        st.builds("{}({})".format, operators, inner),
        st.builds("({}) {}".format, inner, windows),
        st.builds("WITH {} AS ({}) {}".format, streams, inner, selects),
    )


simple = st.builds("SELECT {} FROM {}{}".format, lists, tables, maybe(scalars.map("WHERE {}".format)))
queries = st.recursive(simple, _queries, max_leaves=3)

definitions = joined(st.builds("{} {}{}".format, names, types, maybe(st.just("NOT NULL"))))
shared_clauses = (
    st.builds("TIME {}{}".format, names, maybe(types)),
    strings.map("FROM {}".format),
    st.sampled_from(["FORMAT csv", "format json"]),
    joined(st.builds("{} = {}".format, names, st.one_of(numbers, strings, names))).map("WITH ({})".format),
)
relation_clauses = (joined(names).map("KEY ({})".format), names.map("OP {}".format), st.just("APPEND ONLY"))


replacing = st.sampled_from(["", "", "OR REPLACE "])
if_new = st.sampled_from(["", "", "IF NOT EXISTS "])


@st.composite
def sources(draw: st.DrawFn) -> str:
    """A CREATE STREAM or CREATE RELATION with some of its clauses in some order."""
    kind = draw(st.sampled_from(["STREAM", "RELATION"]))
    possible = shared_clauses + (relation_clauses if kind == "RELATION" else ())
    chosen = draw(st.lists(st.sampled_from(range(len(possible))), unique=True))
    clauses = "".join(f" {draw(possible[which])}" for which in chosen)
    return f"CREATE {draw(replacing)}{kind} {draw(streams)} ({draw(definitions)}){clauses}"


declared = st.sampled_from(["STREAM", "RELATION", "VIEW", "SINK", "FUNCTION"])
statements = st.one_of(
    queries,
    answers,
    sources(),
    st.builds(
        "CREATE STREAM {} OVER {} KEY {}".format, streams, streams, st.one_of(st.just("NULL"), joined(names))
    ),
    st.builds("CREATE {} VIEW {}{} AS {}".format, outputs, if_new, streams, answers),
    st.builds("DROP {}{} {}".format, declared, st.sampled_from(["", " IF EXISTS"]), streams),
    declared.map("SHOW {}S".format),
    st.one_of(streams, queries).map("DESCRIBE {}".format),
    st.builds(
        "CREATE {}VIEW {}{} AS {}".format,
        replacing,
        streams,
        maybe(joined(names).map("({})".format)),
        queries,
    ),
    lengths(1).map("SET CHRONON {}".format),
)
