"""From XML Schema to types: by context, with counts, substitution, and the builtins of simple content."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.base.span import Text
from slackwater.schema import Schema, Type, read_schema
from slackwater.schema.errors import SchemaError
from slackwater.schema.schema import UNKNOWN

HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'


def xsd(body: str, head: str = HEAD) -> Schema:
    return read_schema(Text("test.xsd", f"{head}{body}</xs:schema>"))


def root(body: str, name: str = "r") -> Type:
    type_ = xsd(f'<xs:element name="r"><xs:complexType>{body}</xs:complexType></xs:element>').root(name)
    assert type_ is not None
    return type_


def element(name: str, low: int = 1, high: int = 1, type: str = "xs:string") -> str:
    return f'<xs:element name="{name}" type="{type}" minOccurs="{low}" maxOccurs="{high}"/>'


A, B, MAY_B = element("a"), element("b"), element("b", 0)


@pytest.mark.parametrize(
    ("body", "model"),
    [
        (f"<xs:sequence>{A}{MAY_B}</xs:sequence>", "(a, b?)"),
        (f'<xs:choice maxOccurs="unbounded">{A}{B}</xs:choice>', "(a | b)+"),
        (f'<xs:sequence minOccurs="0">{element("a", 1, 3)}</xs:sequence>', "(a{1,3})?"),
        (f"<xs:all>{A}{MAY_B}</xs:all>", "(a & b?)"),
        ("", "EMPTY"),
        ('<xs:sequence><xs:any processContents="lax"/></xs:sequence>', "ANY"),
    ],
)
def test_content_is_printed_as_it_was_declared(body: str, model: str) -> None:
    assert str(root(body)) == model


def test_one_name_has_two_types_by_where_it_stands() -> None:
    inner = (
        '<xs:element name="{}"><xs:complexType><xs:sequence>{}</xs:sequence></xs:complexType></xs:element>'
    )
    book = inner.format("book", element("title"))
    person = inner.format("person", inner.format("title", element("short")))
    both = root(f"<xs:sequence>{book}{person}</xs:sequence>")
    one, other = both.child("book"), both.child("person")
    assert one is not None
    assert other is not None
    assert str(one.child("title")) == "(xs:string)"
    assert str(other.child("title")) == "(short)"


def test_builtins_of_simple_content_are_kept() -> None:
    small = '<xs:restriction base="xs:integer"><xs:maxInclusive value="9"/></xs:restriction>'
    digit = f'<xs:element name="b"><xs:simpleType>{small}</xs:simpleType></xs:element>'
    number = '<xs:attribute name="n" type="xs:int" use="required"/><xs:attribute name="u" default="m"/>'
    type_ = root(f"<xs:sequence>{element('a', type='xs:decimal')}{digit}</xs:sequence>{number}")
    assert [child.text for name in type_.names if (child := type_.child(name))] == [
        "xs:decimal",
        "xs:integer",
    ]
    attributes = {a.name: (a.required, a.default, a.type) for a in type_.attributes.values()}
    assert attributes == {"n": (True, None, "xs:int"), "u": (False, "m", "xs:anySimpleType")}


def test_what_may_stand_in_anothers_place_is_listed() -> None:
    schema = xsd(
        '<xs:element name="head" abstract="true" type="xs:string"/>'
        '<xs:element name="one" substitutionGroup="head" type="xs:string"/>'
        '<xs:element name="two" substitutionGroup="head" type="xs:string"/>'
        '<xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="head"/></xs:sequence>'
        "</xs:complexType></xs:element>"
    )
    assert str(schema.root("r")) in ("(one | two)", "(two | one)")
    assert schema.root("head") is None


def test_a_type_that_holds_itself_is_one_type() -> None:
    schema = xsd(
        '<xs:element name="part" type="Part"/><xs:complexType name="Part"><xs:sequence>'
        '<xs:element name="part" type="Part" minOccurs="0"/></xs:sequence></xs:complexType>'
    )
    part = schema.root("part")
    assert part is not None
    assert part.child("part") is part


def test_names_are_local_names() -> None:
    head = HEAD.replace(">", ' targetNamespace="urn:x" xmlns="urn:x" elementFormDefault="qualified">')
    assert list(xsd('<xs:element name="a"/>', head).roots) == ["a"]


def test_what_may_be_anything_is_unknown() -> None:
    assert xsd('<xs:element name="a"/>').root("a") is UNKNOWN


def test_what_is_included_must_lie_beside_the_schema(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "types.xsd").write_text(f"{HEAD}<xs:complexType name='T'/></xs:schema>")
    use = f'{HEAD}<xs:include schemaLocation="{{}}"/><xs:element name="a" type="T"/></xs:schema>'
    (tmp_path / "good.xsd").write_text(use.format("types.xsd"))
    (tmp_path / "inner" / "bad.xsd").write_text(use.format("../types.xsd"))
    assert list(read_schema(tmp_path / "good.xsd").roots) == ["a"]
    with pytest.raises(SchemaError) as caught:
        read_schema(tmp_path / "inner" / "bad.xsd")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["external-schema"]
