"""A table of expressions and what they give: the reference must agree with it, and SaxonC, too."""

from __future__ import annotations

import re

import pytest

from slackwater.base.span import Text
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS, FUNCTIONS
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from xquery.asked import asked, query_in

_, DOCUMENT, *_ROWS = query_in("expressions.txt").split("\n\n")
ROWS = [tuple(row.rstrip("\n").split("\n=> ")) for row in _ROWS]


@pytest.mark.parametrize(("query", "expected"), ROWS)
def test_an_expression_gives(query: str, expected: str) -> None:
    assert asked(query, DOCUMENT).replace("\n", "\\n") == expected


@pytest.mark.parametrize(("query", "expected"), ROWS)
def test_saxon_agrees(query: str, expected: str) -> None:
    from xquery.saxon import saxon_answer

    found = saxon_answer(query, DOCUMENT)
    assert found is not None
    assert found.replace("\n", "\\n") == expected


def test_every_function_is_in_the_table() -> None:
    text = "\n".join(query for query, _ in ROWS)
    called = set(re.findall(r"([a-z][a-z\-]*)\(", text))
    assert set(FUNCTIONS) - called == {"unordered", "error"}


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"unordered", "error"}))
def test_a_call_gives_what_its_record_says(name: str) -> None:
    """Every call of the function in the table that stands alone, or in a list of such calls."""
    calls = [call for query, _ in ROWS for call in _calls(query) if call.startswith(f"{name}(")]
    for call in calls:
        assert asked(f"({call}) instance of {FUNCTIONS[name].result}", DOCUMENT) == "true", call
    assert calls or name in {"position", "last", "root"}


def _calls(query: str) -> list[str]:
    """The items of the outermost list that are calls."""
    found = parse(Text("query.xq", query)).body
    items = found.items if isinstance(found, ast.Sequence) else (found,)
    return [print_query(each) for each in items if isinstance(each, ast.Call)]


def test_every_cast_gives_its_type() -> None:
    for name in CASTS:
        assert asked(f"{name}('1')") == ("true" if name == "xs:boolean" else "1")
