"""A table of expressions with their values, with which the reference and SaxonC agree."""

from __future__ import annotations

import re

import pytest

from slackwater.base.span import Text
from slackwater.flux.values.mobile import MOBILE
from slackwater.flux.values.sky import SKY
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS, FUNCTIONS
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from xquery.oracle import oracle_answer, query_in

_, DOCUMENT, *_ROWS = query_in("expressions.txt").split("\n\n")
APART = {"unordered", "error", *SKY, *MOBILE}
"""Functions that Saxon has not, or gives nothing to compare of; those of the sky are in `test_sky`, and
`call-module` in the tests of networks."""
ROWS = [tuple(row.rstrip("\n").split("\n=> ")) for row in _ROWS]


@pytest.mark.parametrize(("query", "expected"), ROWS)
def test_an_expression_has_its_value(query: str, expected: str) -> None:
    assert oracle_answer(query, DOCUMENT).replace("\n", "\\n") == expected


@pytest.mark.parametrize(("query", "expected"), ROWS)
def test_saxon_agrees(query: str, expected: str) -> None:
    from xquery.saxon import saxon_answer

    answer = saxon_answer(query, DOCUMENT)
    assert answer is not None
    assert answer.replace("\n", "\\n") == expected


def test_every_function_is_in_the_table() -> None:
    text = "\n".join(query for query, _ in ROWS)
    called = set(re.findall(r"([a-z][a-z\-]*)\(", text))
    assert set(FUNCTIONS) - called == APART


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - APART))
def test_a_call_has_the_type_of_its_record(name: str) -> None:
    """Every call of the function in the table that stands alone, or in a list of such calls."""
    calls = [call for query, _ in ROWS for call in _calls(query) if call.startswith(f"{name}(")]
    for call in calls:
        assert oracle_answer(f"({call}) instance of {FUNCTIONS[name].result}", DOCUMENT) == "true", call
    assert calls or name in {"position", "last", "root"}


def _calls(query: str) -> list[str]:
    """The items of the outermost list that are calls."""
    body = parse(Text("query.xq", query)).body
    items = body.items if isinstance(body, ast.Sequence) else (body,)
    return [print_query(item) for item in items if isinstance(item, ast.Call)]


def test_every_cast_gives_its_type() -> None:
    for name in CASTS:
        assert oracle_answer(f"{name}('1')") == ("true" if name == "xs:boolean" else "1")
