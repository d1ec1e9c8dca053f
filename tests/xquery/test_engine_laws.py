"""The engine gives what the reference gives: any query, any document of any schema, in pieces of any size."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.base.span import Text
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from slackwater.schema import NO_SCHEMA, Schema
from xquery.engine import expected, streamed
from xquery.plain_queries import plain_queries
from xquery.schemas import documents_of, schema_of, schemas
from xquery.typed_queries import documents, queries

THOROUGH = trying(100)
SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=4)


def check(query: str, schema: Schema, document: str, sizes: list[int]) -> None:
    reference = expected(parse(Text("query", query)), document)
    event("an error" if reference is None else "an answer")
    if reference is not None:
        answer = streamed(query, document, schema, sizes)
        event("the same answer" if answer == reference else "an error of another order")
        assert answer in (reference, None), query


@given(st.data(), schemas(), plain_queries(), SIZES)
@THOROUGH
def test_a_query_of_the_fragment(data: st.DataObject, text: str, query: str, sizes: list[int]) -> None:
    schema = schema_of(text)
    document = data.draw(documents_of(schema))
    check(query, schema, document, sizes)
    check(query, NO_SCHEMA, document, sizes)


@pytest.mark.slow
@given(documents(), queries(), SIZES)
@THOROUGH
def test_any_query_without_a_schema(document: str, query: ast.Module, sizes: list[int]) -> None:
    check(print_query(query), NO_SCHEMA, document, sizes)


@pytest.mark.slow
@given(st.data(), schemas(), queries(), SIZES)
@THOROUGH
def test_any_query_with_a_schema(data: st.DataObject, text: str, query: ast.Module, sizes: list[int]) -> None:
    schema = schema_of(text)
    check(print_query(query), schema, data.draw(documents_of(schema)), sizes)
