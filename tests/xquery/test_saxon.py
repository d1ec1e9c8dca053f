"""The reference gives what SaxonC gives, on generated documents and queries."""

from __future__ import annotations

import re

import pytest
from hypothesis import event, given

from laws.effort import trying
from slackwater.base.span import Text
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from xquery.engine import expected
from xquery.saxon import saxon_answer
from xquery.typed_queries import documents, queries

SAXONS_OWN = re.compile(r"(?:contains|starts-with|ends-with)\(name\(")
"""SaxonC 12 says that the name of a text, which is "", does not contain ""; it says so of no other ""."""


@pytest.mark.slow
@given(documents(), queries())
@trying(200)
def test_a_generated_query_gives_what_saxon_gives(document: str, query: ast.Module) -> None:
    text = print_query(query)
    ours, theirs = expected(parse(Text("query", text)), document), saxon_answer(text, document)
    event(f"errors: {(ours is None) + (theirs is None)}")
    if ours is not None and theirs is not None and not SAXONS_OWN.search(text):
        assert ours == theirs, text
