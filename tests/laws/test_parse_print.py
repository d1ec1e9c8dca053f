"""parse ∘ to_sql = id, on the tree of every text."""

from __future__ import annotations

from hypothesis import given
from sqlglot import exp

from laws.cql_texts import queries, statements
from laws.effort import trying
from slackwater.base.span import Text
from slackwater.language.cql import parse, span_of, to_sql

examples = trying(60)


def parsed(source: str) -> list[exp.Expression]:
    return parse(Text("<query>", source))


@given(statements)
@examples
def test_a_printed_statement_parses_to_the_same_tree(source: str) -> None:
    (statement,) = parsed(source)
    assert parsed(to_sql(statement)) == [statement]
    assert parsed(to_sql(statement, pretty=True)) == [statement]


@given(statements)
@examples
def test_printing_is_idempotent(source: str) -> None:
    once = to_sql(parsed(source)[0])
    assert to_sql(parsed(once)[0]) == once


@given(statements, statements)
@examples
def test_statements_are_parsed_independently(left: str, right: str) -> None:
    assert parsed(f"{left} ;\n-- between\n{right}") == parsed(left) + parsed(right)


@given(queries, queries)
@examples
def test_spans_stay_inside_their_statement(left: str, right: str) -> None:
    text = Text("<query>", f"{left};{right}")
    for node in parse(text)[1].walk():
        span = span_of(node, text)
        assert len(left) < span.start < span.end <= len(text.content)
    for column in parse(text)[1].find_all(exp.Column):
        assert column.name in span_of(column, text).content
