"""Content models are built from tokens, and say what can come next."""

from __future__ import annotations

import pytest

from slackwater.schema.content import EMPTY, Choice, Repeat, Sequence, Symbol
from slackwater.schema.model import Model
from slackwater.schema.schema import Kind


def build_model(tokens: str) -> Model:
    model = Model()
    for token in tokens.split():
        model.take(token)
    return model


def test_groups_become_content() -> None:
    model = build_model("book ( title , ( author+ | editor+ )? , price? )")
    people = Choice((Repeat(Symbol("author"), 1), Repeat(Symbol("editor"), 1)))
    assert model.name == "book"
    assert model.kind is Kind.ELEMENTS
    assert model.content == Sequence((Symbol("title"), Repeat(people, 0, 1), Repeat(Symbol("price"), 0, 1)))
    assert model.size == 4


@pytest.mark.parametrize(
    ("tokens", "kind", "content"),
    [
        ("a EMPTY", Kind.EMPTY, EMPTY),
        ("EMPTY ANY", Kind.ANY, EMPTY),
        ("a ( #PCDATA )", Kind.TEXT, EMPTY),
        ("a ( #PCDATA )*", Kind.TEXT, EMPTY),
        ("a ( #PCDATA | b | b )*", Kind.MIXED, Repeat(Choice((Symbol("b"),)), 0, None)),
    ],
)
def test_the_kind_of_other_content_is_recognized(tokens: str, kind: Kind, content: object) -> None:
    model = build_model(tokens)
    assert (model.kind, model.content) == (kind, content)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("", "a name"),
        ("a", '"(", "EMPTY" or "ANY"'),
        ("a (", 'a name, "(" or "#PCDATA"'),
        ("a ( (", 'a name or "("'),
        ("a ( b", '",", "|" or ")"'),
        ("a ( b , c?", '"," or ")"'),
        ("a ( b | ( c )", '"|" or ")"'),
        ("a ( b ,", 'a name or "("'),
        ("a ( #PCDATA", '"|" or ")"'),
        ("a ( #PCDATA |", "a name"),
        ("a ( #PCDATA | b", '"|" or ")*"'),
        ("a ( b )", '">"'),
        ("a EMPTY", '">"'),
    ],
)
def test_what_can_come_next_is_known(tokens: str, expected: str) -> None:
    assert build_model(tokens).expected == expected
