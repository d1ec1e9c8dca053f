"""Any text gives a syntax tree or diagnostics, and no other exception."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.base.diagnostic import QueryError, render
from slackwater.base.span import Text
from slackwater.language.xquery.parse import parse
from xquery.oracle import HERE

WORDS = """
    for let where return in at some every satisfies if then else order by stable element attribute text and or
    { } ( ) [ ] < > </a> <a> <a /> <a b=" ' " , ; := = != <= << | |count |count 3| / // . .. @ * $ $x a b:c
    2e0 (: :) <!-- --> <? ?> <![CDATA[ ]]> & &lt; &#x20; to div - + :: child:: text() fn:count(
    1 1.5 declare function variable namespace external as xs:integer cast instance of ! # \\ é
"""
PIECES = st.sampled_from([*WORDS.split(), "\n", "|count 3|"])
QUERIES = [path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*/q*.xq"))]


def check(text: str) -> None:
    try:
        parse(Text("query", text))
    except QueryError as error:
        for diagnostic in error.diagnostics:
            assert diagnostic.span is not None
            assert render(diagnostic)


@given(st.lists(PIECES, max_size=15), st.sampled_from(["", " "]))
@trying(300)
def test_pieces_of_queries_in_any_order(pieces: list[str], between: str) -> None:
    check(between.join(pieces))


@given(st.sampled_from(QUERIES), st.data())
@trying(200)
def test_a_query_with_a_hole_or_a_piece_too_many(query: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(query)))
    end = data.draw(st.integers(start, min(start + 8, len(query))))
    check(query[:start] + data.draw(st.just("") | PIECES) + query[end:])


@given(st.text(max_size=40))
def test_any_characters(text: str) -> None:
    check(text)
