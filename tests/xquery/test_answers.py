"""Typical queries and their answers: those of the engine, of the reference and of SaxonC.

A file of `answers` begins with a title and a document, perhaps its DTD, then come queries with their answers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.base.span import Text
from slackwater.schema import read_schema
from xquery.engine import streamed
from xquery.oracle import oracle_answer

FOLDER = Path(__file__).parent / "answers"


def rows(path: Path) -> list[tuple[str, str | None, str, str]]:
    """Document, DTD, query and answer of every row."""
    _, document, *rest = path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    dtd = rest.pop(0) if rest[0].startswith("<!ELEMENT") else None
    pairs = (row.partition("\n=>") for row in rest)
    return [(document, dtd, query, answer.removeprefix(" ")) for query, _, answer in pairs]


ROWS = [row for path in sorted(FOLDER.glob("*.txt")) for row in rows(path)]


@pytest.mark.parametrize(("document", "dtd", "query", "answer"), ROWS)
def test_the_engine_answers(document: str, dtd: str | None, query: str, answer: str) -> None:
    assert streamed(query, document, sizes=[7]) == answer
    if dtd is not None:
        assert streamed(query, document, read_schema(Text("schema.dtd", dtd)), sizes=[7]) == answer


@pytest.mark.parametrize(("document", "dtd", "query", "answer"), ROWS)
def test_the_reference_answers(document: str, dtd: str | None, query: str, answer: str) -> None:
    assert oracle_answer(query, document) == answer


@pytest.mark.parametrize(("document", "dtd", "query", "answer"), ROWS)
def test_saxon_answers(document: str, dtd: str | None, query: str, answer: str) -> None:
    from xquery.saxon import saxon_answer

    assert saxon_answer(query, document) == answer


@pytest.mark.parametrize(
    "query",
    [
        'let $x as xs:integer := "a" return 1',
        "let $x as element() := /r/n return count($x)",
        "for $x as element(m) in /r/n return name($x)",
        'declare variable $x as xs:integer := "a"; $x',
    ],
)
def test_a_value_of_another_type_is_refused(query: str) -> None:
    assert streamed(query, "<r><n>5</n><n>6</n></r>") is None
