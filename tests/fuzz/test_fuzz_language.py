"""Whatever the text, the answer is statements or a QueryError.

SLACKWATER_FUZZ multiplies the number of examples.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from laws.cql_texts import statements
from laws.effort import trying
from slackwater.base.diagnostic import QueryError, render
from slackwater.base.span import Text
from slackwater.language.cql import parse, to_sql

bounded = trying(60)

CODES = {"syntax", "too-deep", "unsupported-statement", "stream-operator-place", "bad-window"}
# fmt: off
WORDS = [
    "SELECT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "UNION", "ALL", "EXCEPT", "STRICT",
    "MAX", "INTERSECT", "JOIN", "LEFT", "ON", "USING", "ISTREAM", "RSTREAM", "(", ")", "[", "]", ",",
    ";", ".", "*", "+", "-", "/", "%", "=", "<", ">", "<>", "||", "::", "'", '"', "`", "--", "/*", "*/",
    "RANGE", "ROWS", "NOW", "PARTITION", "SLIDE", "UNBOUNDED", "5", "1.5", "0", "SECONDS", "AS", "WITH",
    "CREATE", "STREAM", "RELATION", "VIEW", "TIME", "KEY", "SET", "CHRONON", "a", "b", "S", "'x'",
    "NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "IN", "EXISTS", "CAST", "INTERVAL", "NOT", "AND",
    "OR", "BETWEEN", "LIKE", "DISTINCT", "VALUES", "INT", "{", "}", "?", "@", "#", "$", ":", "LATERAL",
    "TABLE", "UNNEST", "PIVOT", "OVER", "FILTER", "LIMIT", "OFFSET", "DATE", "TIMESTAMP", "CHAR", "UNPIVOT",
    "FOR", "USING", "SHOW", "DROP", "DESCRIBE", "REPLACE", "IF", "ROW", "BY", "NAME", "UNION", "ANY",
]
# fmt: on


def survives(source: str) -> None:
    try:
        parsed = parse(Text("<fuzz>", source))
    except QueryError as caught:
        error = caught
    else:
        for statement in parsed:
            assert isinstance(statement, exp.Expression)
            assert parse(Text("<again>", to_sql(statement))) == [statement]
        return
    assert error.diagnostics
    for diagnostic in error.diagnostics:
        assert diagnostic.code in CODES
        assert diagnostic.span is not None
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(source)
        assert "\x1b" not in render(diagnostic) or "\x1b" in source


@given(st.binary(max_size=200))
@bounded
def test_bytes_are_survived(source: bytes) -> None:
    survives(source.decode("utf-8", errors="surrogateescape"))


@given(st.text(max_size=200))
@bounded
def test_texts_are_survived(source: str) -> None:
    survives(source)


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.sampled_from([" ", "", "\n"]))
@bounded
def test_known_words_in_any_order_are_survived(words: list[str], between: str) -> None:
    survives(between.join(words))


@given(st.lists(st.sampled_from(WORDS), max_size=12))
@bounded
def test_a_query_that_goes_astray_is_survived(words: list[str]) -> None:
    survives("SELECT a FROM S " + " ".join(words))


@given(statements, st.data())
@bounded
def test_truncated_statements_are_survived(source: str, data: st.DataObject) -> None:
    survives(source[: data.draw(st.integers(0, len(source)))])


@given(statements, st.data())
@bounded
def test_mutated_statements_are_survived(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, min(len(source), start + 10)))
    inserted = data.draw(st.one_of(st.sampled_from(WORDS), st.text(max_size=3)))
    survives(source[:start] + inserted + source[end:])
