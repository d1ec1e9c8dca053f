"""All twenty XMark queries: against the W3C's results where there are any, against SaxonC everywhere."""

from __future__ import annotations

import pytest

from slackwater.base.span import Text
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from xquery.auctions import XMARK, auctions, canonical, shortened
from xquery.oracle import HERE, oracle_answer, query_in

OURS = sorted(path.name for path in (HERE / "xmark").glob("*.xq"))
W3C = ("Q1", "Q5", "Q8", "Q13", "Q17", "Q20")
JOINS = ("q09.xq", "q10.xq", "q11.xq", "q12.xq")
"""Quadratic in the reference, so answered on a shorter document."""


def w3c_query(name: str) -> str:
    path = XMARK / "queries" / f"{name}.xq"
    if not path.exists():
        pytest.skip(f"the W3C's query {name} is not there")
    return path.read_text(encoding="utf-8")


def test_there_are_twenty() -> None:
    numbers = {int(name[1:3]) for name in OURS} | {int(name[1:]) for name in W3C}
    assert numbers == set(range(1, 21))


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in W3C])
def test_a_query_gives_the_result_of_the_w3c(name: str) -> None:
    query = w3c_query(name)
    expected = (XMARK / "expected" / f"{name}.xml").read_text(encoding="utf-8")
    assert canonical(oracle_answer(query, auctions())) == canonical(expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_a_query_gives_what_saxon_gives(name: str) -> None:
    from xquery.saxon import saxon_answer

    document = shortened(auctions(), 60) if name in JOINS else auctions()
    query = query_in(f"xmark/{name}")
    answer = oracle_answer(query, document)
    assert answer == saxon_answer(query, document)
    assert answer.count("<") > 2 or answer.strip("<>result/").strip()


@pytest.mark.parametrize("name", [*OURS, *W3C])
def test_a_query_is_printed_as_it_was_parsed(name: str) -> None:
    text = query_in(f"xmark/{name}") if name in OURS else w3c_query(name)
    module = parse(Text(name, text))
    assert parse(Text("printed", print_query(module))) == module
