"""Safe and unsafe queries, beyond those that rewriting produces (sections 3.1 and 3.4.3)."""

from __future__ import annotations

import pytest

from slackwater.base.span import Text
from slackwater.flux.oracle.safety import unsafe
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.syntax import EVERYTHING, Handler, On, OnFirst, ProcessStream
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.normal import normal
from slackwater.language.xquery import parse
from slackwater.schema import TEXT, Schema, read_schema

ANY = "<!ELEMENT book (title | author)*>"
PRICED = "<!ELEMENT book ((title | author)*, price)>"
CHOICE = "<!ELEMENT book ((author, title) | (price, author))>"
LEAVES = "".join(f"<!ELEMENT {name} (#PCDATA)>" for name in ("title", "author", "price"))


def schema(book: str) -> Schema:
    return read_schema(Text("schema", f"<!ELEMENT bib (book)*>{book}{LEAVES}"))


def facts(book: str, query: str) -> tuple[Facts, flux.Query]:
    """The facts of a query of the form `for $b in /bib/book return …`, and what it returns."""
    form = normal(parse(Text("query", f"for $b in /bib/book return {query}")), schema(book))
    loop = form.body
    while isinstance(loop, flux.Loop):
        (branch,) = loop.branches
        if branch.variable == "b":
            return Facts.of(form), branch.body
        loop = branch.body
    raise AssertionError(query)


def reasons(book: str, query: str, *handlers: Handler) -> list[tuple[str, str]]:
    known, _ = facts(book, query)
    scope = ProcessStream("b", known.type("b"), handlers)
    return [(violation.name, violation.why) for violation in unsafe(scope, known)]


def test_the_query_of_section_3_1_is_safe() -> None:
    _, body = facts(ANY, "$b/author")
    assert reasons(ANY, "$b/author", OnFirst(frozenset({"title", "author"}), body)) == []


def test_with_price_instead_of_author_it_is_not() -> None:
    _, body = facts(PRICED, "$b/price")
    handler = OnFirst(frozenset({"title", "author"}), body)
    assert reasons(PRICED, "$b/price", handler) == [("price", "may come after the handler has fired")]


def test_children_before_those_that_are_past_need_not_be_named() -> None:
    _, body = facts(PRICED, "$b/author")
    assert reasons(PRICED, "$b/author", OnFirst(frozenset({"price"}), body)) == []


def test_an_order_between_children_that_exclude_each_other_settles_nothing() -> None:
    """No author comes after a title, but where a price came there is no title, and an author comes."""
    known, body = facts(CHOICE, "$b/author")
    assert known.type("b").automaton.ordered("author", "title")
    handler = OnFirst(frozenset({"title"}), body)
    assert reasons(CHOICE, "$b/author", handler) == [("author", "may come after the handler has fired")]


@pytest.mark.parametrize("past", [frozenset({"title"}), frozenset({TEXT})])
def test_the_whole_of_an_element_is_known_at_its_end_only(past: flux.Past) -> None:
    _, body = facts(ANY, "string($b)")
    assert reasons(ANY, "string($b)", OnFirst(past, body))
    assert reasons(ANY, "string($b)", OnFirst(EVERYTHING, body)) == []


def test_a_condition_on_what_is_in_an_element_comes_too_late_for_its_copy() -> None:
    known, _ = facts(ANY, "<x/>")
    condition = parse(Text("condition", "$ROOT/title = 1")).body
    early = flux.CopyThrough(condition)
    scope = ProcessStream("ROOT", known.type("b"), (early,))
    assert [violation.why for violation in unsafe(scope, known)] == ["comes after the start tag"]


def test_output_in_another_order_than_the_input_is_unsafe() -> None:
    known, _ = facts(ANY, "<x/>")
    copy = ProcessStream("t", known.type("b"), (flux.CopyThrough(),))
    handlers = (On("title", "t", copy), On("author", "a", copy))
    assert [why for _, why in reasons(ANY, "<x/>", *handlers)] == [
        "is written before author, and may come after it"
    ]
    branches = (On("title", "t", copy), On("author", "a", copy, continues=True))
    assert reasons(ANY, "<x/>", *branches) == []
