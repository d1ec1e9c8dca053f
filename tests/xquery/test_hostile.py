"""Documents that mean harm, or only look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.flux.run import XQuery
from slackwater.flux.runtime.nodes import MOST_NAMES, expat_name
from slackwater.xml.errors import XmlError
from xquery.asked import asked
from xquery.engine import streamed

GOLDEN = Path(__file__).parents[1] / "xml/errors/many-namespaces.txt"
SIDE_BY_SIDE = "<a><v>1</v>\n<v " + " ".join(f'xmlns:p{each}="u"' for each in range(2000)) + "/></a>"
NESTED = "<a><v>1</v>\n" + "".join(f'<v xmlns:p{each}="u">' for each in range(2000)) + "</v>" * 2000 + "</a>"


@pytest.mark.parametrize("document", [SIDE_BY_SIDE, NESTED], ids=["side by side", "nested"])
def test_namespaces_are_bounded(document: str) -> None:
    """Every declaration makes a table of those around it: n of them would make n² entries."""
    found: list[str] = []
    with pytest.raises(XmlError) as raised:
        found.extend(XQuery("/a/v").run([document[:11].encode(), document[11:].encode()]))
    assert found[0] == "<v>1</v>"
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "many-namespaces"
    if document == SIDE_BY_SIDE:
        assert f"{raised.value}\n" == GOLDEN.read_text(encoding="utf-8")


def test_many_names_are_not_remembered() -> None:
    document = "<a>" + "".join(f"<n{each}/>" for each in range(2 * MOST_NAMES)) + "</a>"
    assert XQuery("count(/a/*)").answer(document) == str(2 * MOST_NAMES)
    assert expat_name.cache_info().currsize <= MOST_NAMES


@pytest.mark.parametrize("query", ["/a/*", 'declare namespace z = "urn a b"; //z:v'])
def test_a_namespace_may_have_spaces(query: str) -> None:
    document = '<a xmlns:p="urn a b" xmlns:q="x y"><p:v q:k="1">2</p:v><v/></a>'
    assert streamed(query, document) == asked(query, document)


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
