"""Schemas and namespaces: an element has one name in the query, one in the document, one in the schema."""

from __future__ import annotations

import pytest

from slackwater.base.span import Text
from slackwater.flux.run import XQuery, xqueries
from slackwater.schema import Schema, read_schema
from slackwater.xml.errors import XmlError
from xquery.engine import pieces, streamed
from xquery.oracle import oracle_answer

ORDERS = """
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:o" xmlns:o="urn:o" {form}>
  <xs:element name="orders"><xs:complexType><xs:sequence>
    <xs:element name="order" maxOccurs="unbounded" type="o:Order"/>
    <xs:element name="tail" type="xs:string" minOccurs="0"/>
  </xs:sequence></xs:complexType></xs:element>
  <xs:complexType name="Order"><xs:sequence>
    <xs:element name="id" type="xs:integer"/>
    <xs:element name="note" type="xs:string" minOccurs="0"/>
    <xs:element name="item" type="xs:decimal" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType>
  {more}
</xs:schema>
"""
EXTENDED = """
  <xs:complexType name="Urgent"><xs:complexContent><xs:extension base="o:Order"><xs:sequence>
    <xs:element name="until" type="xs:string"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
"""
QUALIFIED = 'elementFormDefault="qualified"'
INSIDE = (
    "<order><id>1</id><note>n</note><item>3.50</item><item>1</item></order>"
    "<order><id>2</id><item>5</item></order><tail>t</tail>"
)
DEFAULT = f'<orders xmlns="urn:o">{INSIDE}</orders>'
PREFIXED = f"<orders>{INSIDE}</orders>".replace("</", "</x:").replace("<", "<x:").replace("<x:/x:", "</x:")
PREFIXED = PREFIXED.replace("<x:orders>", '<x:orders xmlns:x="urn:o">')
UNQUALIFIED = f'<x:orders xmlns:x="urn:o">{INSIDE}</x:orders>'
QUERIES = (
    'declare default element namespace "urn:o"; /orders/order/id',
    'declare default element namespace "urn:o"; sum(//item)',
    'declare namespace o = "urn:o"; for $o in /o:orders/o:order return <t>{$o/o:item}{$o/o:id}</t>',
    'declare namespace o = "urn:o"; <r>{/o:orders/o:order[o:id = 2]/o:item}</r>',
    'declare namespace o = "urn:o"; declare namespace p = "urn:o"; /o:orders/p:order/p:id',
    'declare namespace o = "urn:o"; count(/o:orders/o:order[o:note])',
    'declare namespace o = "urn:o"; /o:orders/order/id',
    'declare namespace o = "urn:other"; /o:orders/o:order',
    "/*/*/*[1]/text()",
    "for $o in /*/* return <n>{local-name($o)}</n>",
    "//*:note",
    "//item",
)


def orders(form: str = QUALIFIED, more: str = "") -> Schema:
    return read_schema(Text("orders.xsd", ORDERS.format(form=form, more=more)))


@pytest.mark.parametrize("document", [DEFAULT, PREFIXED])
@pytest.mark.parametrize("query", QUERIES)
def test_an_xml_schema_has_namespaces(query: str, document: str) -> None:
    assert streamed(query, document, orders()) == oracle_answer(query, document)


@pytest.mark.parametrize("query", QUERIES)
def test_elements_of_an_xml_schema_may_have_no_namespace(query: str) -> None:
    assert streamed(query, UNQUALIFIED, orders("")) == oracle_answer(query, UNQUALIFIED)


def test_nothing_is_buffered_because_of_a_missing_prefix() -> None:
    query = 'declare namespace q = "urn:o"; for $o in /q:orders/q:order return <t>{$o/q:id}{$o/q:item}</t>'
    compiled = XQuery(query, orders())
    assert not compiled.flux.buffers
    assert compiled.answer(PREFIXED) == oracle_answer(query, PREFIXED)


def test_queries_with_different_prefixes_are_answered_together() -> None:
    texts = [QUERIES[0], QUERIES[2], QUERIES[8]]
    answers = ["", "", ""]
    for number, text in xqueries(texts, orders()).run(pieces(PREFIXED, [9])):
        answers[number] += text
    assert answers == [oracle_answer(text, PREFIXED) for text in texts]


def test_an_element_of_another_type_may_hold_more() -> None:
    document = DEFAULT.replace(
        "<order><id>2</id><item>5</item>",
        '<order xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Urgent">'
        "<id>2</id><item>5</item><until>noon</until>",
    )
    query = 'declare namespace o = "urn:o"; //o:until/text(), count(/o:orders/o:order/o:item)'
    assert streamed(query, document, orders(more=EXTENDED)) == "noon3"


def test_another_namespace_is_not_the_schemas() -> None:
    with pytest.raises(XmlError) as raised:
        XQuery("/*/*", orders()).answer(DEFAULT.replace("urn:o", "urn:p"))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "unexpected-element"
    assert diagnostic.hint == 'It is in namespace "urn:p"; the schema\'s elements are in "urn:o".'


PLAIN = "<!ELEMENT r (a*, b?)> <!ELEMENT a (#PCDATA)> <!ELEMENT b (#PCDATA)>"
WITH_PREFIX = (
    "<!ELEMENT p:r (p:a*, p:b?)> <!ELEMENT p:a (#PCDATA)> <!ELEMENT p:b (#PCDATA)>"
    '<!ATTLIST p:r xmlns:p CDATA #FIXED "urn:d">'
)
ITS = '<p:r xmlns:p="urn:d"><p:a>1</p:a><p:a>2</p:a><p:b>3</p:b></p:r>'


@pytest.mark.parametrize(
    "query",
    [
        "/*",
        "for $x in /* return <z>{$x/*}</z>",
        'declare namespace p = "urn:d"; <o>{/p:r/p:b}{/p:r/p:a}</o>',
        'declare namespace q = "urn:d"; <o>{/q:r/q:b}{/q:r/q:a}</o>',
        'declare namespace p = "urn:x"; <o>{/p:r/p:b}{/*}</o>',
        'declare default element namespace "urn:d"; sum(//a)',
    ],
)
def test_a_dtd_has_prefixes(query: str) -> None:
    assert streamed(query, ITS, read_schema(Text("d.dtd", WITH_PREFIX))) == oracle_answer(query, ITS)
    default = ITS.replace("p:", "").replace("xmlns:p", "xmlns")
    declaring = read_schema(Text("d.dtd", PLAIN + '<!ATTLIST r xmlns CDATA #FIXED "urn:d">'))
    assert streamed(query, default, declaring) == oracle_answer(query, default)
    inside = f"<!DOCTYPE r [{PLAIN}]>{default}"
    assert streamed(query, inside) == oracle_answer(query, inside)


def test_a_namespace_that_a_dtd_does_not_declare_is_reported() -> None:
    with pytest.raises(XmlError) as raised:
        XQuery("/*", read_schema(Text("d.dtd", PLAIN))).answer('<r xmlns="urn:d"><a/></r>')
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "unexpected-element"
    assert diagnostic.hint == 'It is in namespace "urn:d", and the DTD declares no attribute "xmlns".'


def test_validation_does_not_depend_on_the_prefixes_of_the_query() -> None:
    query = 'declare namespace q = "urn:d"; <o>{/q:r/q:b}{/q:r/q:a}</o>'
    compiled = XQuery(query, read_schema(Text("d.dtd", WITH_PREFIX)))
    assert "".join(compiled.run(ITS, validate=True)) == oracle_answer(query, ITS)
    with pytest.raises(XmlError) as raised:
        "".join(compiled.run(ITS.replace("</p:r>", "<p:a/></p:r>"), validate=True))
    assert [diagnostic.code for diagnostic in raised.value.diagnostics] == ["unexpected-element"]
