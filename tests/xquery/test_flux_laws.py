"""The normal form and its simplification keep the meaning of a query, and every translation is safe."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.flux.oracle.read import read
from slackwater.flux.oracle.safety import unsafe
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.handlers import rewritten
from slackwater.flux.rewrite.lift import lifted_query
from slackwater.flux.rewrite.normal import Normal, normal
from slackwater.flux.rewrite.simplify import simplified
from slackwater.flux.rewrite.translate import flux_of, flux_of_normal
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from slackwater.schema import NO_SCHEMA, Schema
from xquery.engine import expected
from xquery.flux_interpreter import interpret
from xquery.normal_forms import SplitConstructor, expression_of
from xquery.plain_queries import plain_queries
from xquery.schemas import documents_of, schema_of, schemas
from xquery.typed_queries import documents, queries

THOROUGH = trying(150)


def parsed(query: ast.Module) -> ast.Module:
    """The query as a text gives it."""
    return parse(Text("query", print_query(query)))


def check_meaning(query: ast.Module, form: Normal, document: str) -> None:
    reference = expected(parsed(query), document)
    event("an error" if reference is None else "an answer")
    if reference is None:
        return
    facts = Facts.of(form)
    for body in (form.body, simplified(form.body, facts), lifted_query(form.body, facts.depends)):
        try:
            actual = expected(ast.Module(expression_of(body, form.lets)), document)
        except SplitConstructor:
            event("tags in different loops")
            continue
        event("the same answer" if actual == reference else "an error of another order")
        assert actual in (reference, None), print_query(query)


@pytest.mark.slow
@given(documents(), queries())
@THOROUGH
def test_a_normal_form_means_what_the_query_means(document: str, query: ast.Module) -> None:
    check_meaning(query, normal(parsed(query), NO_SCHEMA), document)


@pytest.mark.slow
@given(st.data(), schemas(), queries())
@THOROUGH
def test_a_normal_form_with_a_schema_means_what_the_query_means(
    data: st.DataObject, text: str, query: ast.Module
) -> None:
    schema = schema_of(text)
    document = data.draw(documents_of(schema))
    check_meaning(query, normal(parsed(query), schema), document)


@given(schemas() | st.none(), queries())
@trying(60)
def test_every_query_becomes_a_safe_one(text: str | None, query: ast.Module) -> None:
    schema = schema_of(text) if text else NO_SCHEMA
    form = normal(parsed(query), schema)
    facts = Facts.of(form)
    body = rewritten(simplified(form.body, facts), facts)
    assert unsafe(body, facts) == []
    assert unsafe(flux_of_normal(form, facts).body, facts) == []


def check_answer(module: ast.Module, schema: Schema, document: str) -> None:
    reference = expected(module, document)
    event("an error" if reference is None else "an answer")
    if reference is None:
        return
    try:
        actual = interpret(flux_of(module, schema), read(document))
    except (EngineError, Wrong):
        event("an error of another order")
        return
    assert actual == reference, print_query(module)


@pytest.mark.slow
@given(documents(), queries())
@THOROUGH
def test_interpreted_flux_gives_what_the_query_gives(document: str, query: ast.Module) -> None:
    check_answer(parsed(query), NO_SCHEMA, document)


@pytest.mark.slow
@given(st.data(), schemas(), queries())
@THOROUGH
def test_interpreted_flux_with_a_schema_gives_what_the_query_gives(
    data: st.DataObject, text: str, query: ast.Module
) -> None:
    schema = schema_of(text)
    check_answer(parsed(query), schema, data.draw(documents_of(schema)))


@given(st.data(), schemas(), plain_queries())
@THOROUGH
def test_interpreted_flux_gives_what_a_query_of_the_fragment_gives(
    data: st.DataObject, text: str, query: str
) -> None:
    schema = schema_of(text)
    module = parse(Text("query", query))
    document = data.draw(documents_of(schema))
    check_answer(module, schema, document)
    check_answer(module, NO_SCHEMA, document)
    form = normal(module, schema)
    facts = Facts.of(form)
    assert unsafe(flux_of_normal(form, facts).body, facts) == []
