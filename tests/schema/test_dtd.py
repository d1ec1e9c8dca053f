"""From DTDs to types: content, attributes, roots, and the DTD inside a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.base.span import Text
from slackwater.schema import NO_SCHEMA, Kind, Schema, read_schema
from slackwater.schema.declarations import MOST_DEEP
from slackwater.schema.dtd import read_internal_dtd
from slackwater.schema.errors import SchemaError
from slackwater.schema.paths import resolve_descendants
from slackwater.schema.schema import UNKNOWN


def dtd(text: str, root: str | None = None) -> Schema:
    return read_schema(Text("test.dtd", text), root)


@pytest.mark.parametrize(
    "model",
    [
        "(a, b?, (c | d)*, (e, f)+)",
        "(a)",
        "(a*)",
        "((a | b), c, (d | (e, f))?)",
        "(a | (b, c) | d)",
        "((a, b), (c, d))",
        "(EMPTY, ANY, p:c+)",
        "EMPTY",
        "(#PCDATA)",
        "(#PCDATA | a | b)*",
        "ANY",
    ],
)
def test_content_is_printed_as_it_was_declared(model: str) -> None:
    assert str(dtd(f"<!ELEMENT root {model}>").root("root")) == model


def test_kinds_are_distinguished() -> None:
    schema = dtd(
        "<!ELEMENT e EMPTY><!ELEMENT t (#PCDATA)><!ELEMENT m (#PCDATA|x)*><!ELEMENT l (x)><!ELEMENT a ANY>"
    )
    kinds = {name: schema.roots[name].kind for name in schema.roots}
    assert kinds == {"e": Kind.EMPTY, "t": Kind.TEXT, "m": Kind.MIXED, "l": Kind.ELEMENTS, "a": Kind.ANY}


def test_attributes_keep_what_is_declared_of_them() -> None:
    root = dtd(
        '<!ELEMENT r EMPTY><!ATTLIST r id ID #REQUIRED k (x|y) "x" v CDATA #FIXED "1" o CDATA #IMPLIED>'
    ).root("r")
    assert root is not None
    attributes = {a.name: (a.required, a.default, a.type) for a in root.attributes.values()}
    assert attributes == {
        "id": (True, None, "ID"),
        "k": (False, "x", "ENUMERATION"),
        "v": (False, "1", "CDATA"),
        "o": (False, None, "CDATA"),
    }


def test_roots_are_the_elements_that_occur_in_no_other() -> None:
    schema = dtd("<!ELEMENT bib (book*)><!ELEMENT book (#PCDATA)>")
    assert list(schema.roots) == ["bib"]
    assert schema.root("book") is None
    assert str(schema.document) == "(bib)"


def test_where_every_element_occurs_in_another_all_are_roots() -> None:
    assert set(dtd("<!ELEMENT a (b?)><!ELEMENT b (a?)>").roots) == {"a", "b"}


def test_the_root_can_be_named() -> None:
    assert list(dtd("<!ELEMENT a (b?)><!ELEMENT b (a?)>", "b").roots) == ["b"]


def test_an_undeclared_child_is_unknown() -> None:
    root = dtd("<!ELEMENT a (b)>").root("a")
    assert root is not None
    assert root.child("b") is UNKNOWN
    assert root.child("c") is None


def test_parameter_entities_are_read() -> None:
    schema = dtd('<!ENTITY % inner "b, c"><!ELEMENT a (%inner;)>')
    assert str(schema.root("a")) == "(b, c)"


def test_entities_are_expanded_everywhere() -> None:
    schema = dtd(
        """
        <!ENTITY % name "a"> <!ENTITY % some "(b, c)*"> <!ENTITY % more "(%some;, d)">
        <!ENTITY % all "<!ELEMENT %name; %more;> <!ATTLIST %name; n CDATA 'x&amp;y'>">
        %all;
        """
    )
    root = schema.roots["a"]
    assert str(root) == "((b, c)*, d)"
    assert root.attributes["n"].default == "x&y"


def test_conditional_sections_are_included_or_ignored() -> None:
    schema = dtd(
        """
        <!ENTITY % draft "IGNORE">
        <![INCLUDE[ <!ELEMENT a (b)> <![%draft;[ <!ELEMENT a (c)> ( %nowhere; ]]> ]]>
        """
    )
    assert str(schema.root("a")) == "(b)"


def test_prefixes_are_part_of_names() -> None:
    root = dtd("<!ELEMENT a (p:b, q:b, c)><!ELEMENT p:b EMPTY><!ELEMENT q:b (d)>").root("a")
    assert root is not None
    assert root.names == ("p:b", "q:b", "c")
    assert [str(root.child(name)) for name in root.names] == ["EMPTY", "(d)", "ANY"]


def test_the_first_declaration_of_an_attribute_holds() -> None:
    root = dtd('<!ATTLIST a n CDATA "1"><!ELEMENT a EMPTY><!ATTLIST a n ID #REQUIRED m ID #IMPLIED>').root(
        "a"
    )
    assert root is not None
    assert {name: attribute.default for name, attribute in root.attributes.items()} == {"n": "1", "m": None}


@pytest.mark.parametrize("declared", ['<?xml version="1.0"?>', '<?xml version="1.0" encoding="latin1"?>', ""])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_a_text_needs_no_encoding(mark: str, declared: str) -> None:
    assert list(dtd(f"{mark}{declared}<!ELEMENT ä EMPTY>").roots) == ["ä"]
    schema = read_internal_dtd(Text("doc.xml", f"{mark}{declared}<!DOCTYPE ä [<!ELEMENT ä EMPTY>]>"))
    assert schema is not None
    assert list(schema.roots) == ["ä"]


@pytest.mark.parametrize(
    ("before", "line", "column"),
    [
        ("", 1, 13),
        ('\ufeff<?xml version="1.0" encoding="latin1"?>', 1, 53),
        ("\n<!-- ä\n\U0001f600 -->", 3, 18),
        ("<!ENTITY % b 'b'>\r\n", 2, 13),
    ],
)
def test_a_mistake_has_its_position(before: str, line: int, column: int) -> None:
    with pytest.raises(SchemaError) as caught:
        dtd(f"{before}<!ELEMENT a ?>")
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (line, column)


def test_a_mistake_in_an_entity_is_where_it_is_used() -> None:
    with pytest.raises(SchemaError) as caught:
        dtd("<!ENTITY % x '<!ELEMENT a (b'>\n<!ELEMENT c EMPTY>\n  %x;")
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (3, 3)


def test_parentheses_may_nest_as_deep_as_they_are_read() -> None:
    deep = "b"
    for level in range(MOST_DEEP - 1):
        deep = f"(a{level}, {deep})?"
    root = dtd(f"<!ELEMENT a ({deep})>").root("a")
    assert root is not None
    assert len(root.names) == MOST_DEEP
    assert str(root).count("(") == MOST_DEEP - 1
    assert root.automaton.at_most_one("b")


def test_an_ambiguous_model_is_warned_of_and_still_works() -> None:
    schema = dtd("<!ELEMENT a ((b, c) | (b, d))>")
    assert [note.code for note in schema.notes] == ["ambiguous-content"]
    assert schema.roots["a"].automaton.exactly_one("b")


def test_a_file_outside_the_schema_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "other.dtd").write_text("<!ELEMENT b EMPTY>")
    path = tmp_path / "schema.dtd"
    path.write_text(f'<!ENTITY % x SYSTEM "{tmp_path / "other.dtd"}">%x;<!ELEMENT a (b)>')
    with pytest.raises(SchemaError) as caught:
        read_schema(path)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["external-schema"]


def test_a_document_can_have_its_own_dtd() -> None:
    declared = "<!ELEMENT bib (book*)><!ELEMENT book ANY>"
    prolog = f'<?xml version="1.0"?>\n<!DOCTYPE bib SYSTEM "nowhere.dtd" [{declared}]>\n'
    schema = read_internal_dtd(Text("doc.xml", prolog))
    assert schema is not None
    assert list(schema.roots) == ["bib"]
    assert str(schema.root("bib")) == "(book*)"


def test_the_external_subset_of_a_document_is_ignored() -> None:
    declared = '<!ENTITY % more SYSTEM "more.dtd"> %more; <!ELEMENT a (b)> <!ATTLIST a n CDATA #IMPLIED>'
    schema = read_internal_dtd(Text("doc.xml", f'<!DOCTYPE a PUBLIC "it" "nowhere.dtd" [{declared}]>'))
    assert schema is not None
    assert list(schema.roots["a"].attributes) == ["n"]


def test_a_mistake_in_a_document_has_its_position() -> None:
    with pytest.raises(SchemaError) as caught:
        read_internal_dtd(Text("doc.xml", '<?xml version="1.0"?>\n<!DOCTYPE a [\n <!ELEMENT a (b>]>'))
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (3, 16)


def test_a_document_may_have_no_dtd() -> None:
    assert read_internal_dtd(Text("doc.xml", '<?xml version="1.0"?>\n')) is None


def test_without_a_schema_every_root_is_possible() -> None:
    root = NO_SCHEMA.root("anything")
    assert root is UNKNOWN
    assert root.child("more") is UNKNOWN
    assert resolve_descendants(NO_SCHEMA.document, "a") is None
