"""Hostile documents, and harmless ones that look like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.flux.run import XQuery
from slackwater.flux.runtime.nodes import MOST_NAMES, expat_name
from slackwater.xml.errors import XmlError
from xquery.engine import streamed
from xquery.oracle import oracle_answer

GOLDEN = Path(__file__).parents[1] / "xml/errors/many-namespaces.txt"
SIDE_BY_SIDE = "<a><v>1</v>\n<v " + " ".join(f'xmlns:p{number}="u"' for number in range(2000)) + "/></a>"
NESTED = (
    "<a><v>1</v>\n" + "".join(f'<v xmlns:p{number}="u">' for number in range(2000)) + "</v>" * 2000 + "</a>"
)


@pytest.mark.parametrize("document", [SIDE_BY_SIDE, NESTED], ids=["side by side", "nested"])
def test_namespaces_are_bounded(document: str) -> None:
    """Every declaration makes a table of those around it: n of them would make n² entries."""
    output: list[str] = []
    with pytest.raises(XmlError) as raised:
        output.extend(XQuery("/a/v").run([document[:11].encode(), document[11:].encode()]))
    assert output[0] == "<v>1</v>"
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "many-namespaces"
    if document == SIDE_BY_SIDE:
        assert f"{raised.value}\n" == GOLDEN.read_text(encoding="utf-8")


def test_the_cache_of_names_is_bounded() -> None:
    document = "<a>" + "".join(f"<n{number}/>" for number in range(2 * MOST_NAMES)) + "</a>"
    assert XQuery("count(/a/*)").answer(document) == str(2 * MOST_NAMES)
    assert expat_name.cache_info().currsize <= MOST_NAMES


@pytest.mark.parametrize("query", ["/a/*", 'declare namespace z = "urn a b"; //z:v'])
def test_a_namespace_may_have_spaces(query: str) -> None:
    document = '<a xmlns:p="urn a b" xmlns:q="x y"><p:v q:k="1">2</p:v><v/></a>'
    assert streamed(query, document) == oracle_answer(query, document)


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE r [<!ELEMENT r ANY><!ENTITY e "a]>b"><!ELEMENT a (#PCDATA)>]>',
        "<!DOCTYPE r [<!ELEMENT r (a*)><!-- ]> ' --><!ELEMENT a (#PCDATA)>]>",
        "<!DOCTYPE r [<!ELEMENT r (a*)><?pi ]> ?><!ELEMENT a (#PCDATA)>]>",
        "<!-- <!DOCTYPE x [ <!ELEMENT q (z)> ]> -->",
        "<?pi <!DOCTYPE x [ <!ELEMENT q (z)> ]> ?>",
        '<!DOCTYPE r PUBLIC "-//x//y" "z[>" [<!ELEMENT r (a*)><!ELEMENT a (#PCDATA)>]>',
        "<!DOCTYPE r [<!ELEMENT r (a)><!ELEMENT r (a*)>]>",
    ],
)
def test_a_schema_inside_a_document_ends_where_it_ends(prolog: str) -> None:
    document = f"{prolog}<r><a>1</a><a>2</a></r>"
    assert XQuery("/r/a/text()").answer(document) == "12"
