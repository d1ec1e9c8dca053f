"""A table of queries with their answers or errors, on which reference, engine and SaxonC agree."""

from __future__ import annotations

from collections.abc import Callable

from slackwater.base.diagnostic import SlackwaterError
from slackwater.base.span import Text
from slackwater.flux.run import XQuery
from xquery.oracle import oracle_answer, query_in

_, DOCUMENT, *_ROWS = query_in("agreement.txt").removesuffix("\n").split("\n\n")
ROWS = [tuple(row.split("\n=> ")) for row in _ROWS]


def other_than_expected(ask: Callable[[str], str | None]) -> list[tuple[str, str, str]]:
    """The queries with another answer; an exception that is no diagnostic is raised."""
    answers = [(query, expected, ask(query)) for query, expected in ROWS]
    shown = [
        (query, expected, "error" if answer is None else answer.replace("\n", "\\n"))
        for query, expected, answer in answers
    ]
    return [row for row in shown if row[1] != row[2]]


def refused(ask: Callable[[str], str]) -> Callable[[str], str | None]:
    def answer(query: str) -> str | None:
        try:
            return ask(query)
        except SlackwaterError:
            return None

    return answer


def test_the_reference_answers() -> None:
    assert other_than_expected(refused(lambda query: oracle_answer(query, DOCUMENT))) == []


def test_the_engine_answers() -> None:
    assert other_than_expected(refused(lambda query: XQuery(Text("q", query)).answer(DOCUMENT))) == []


def test_saxon_answers() -> None:
    from xquery.saxon import saxon_answer

    assert other_than_expected(lambda query: saxon_answer(query, DOCUMENT)) == []
