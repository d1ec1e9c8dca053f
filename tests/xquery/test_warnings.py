"""With a schema, a step that matches nothing gets a warning, with its position and the possible names."""

from __future__ import annotations

import pytest

from slackwater.base.diagnostic import Severity
from slackwater.base.span import Text
from slackwater.flux.run import XQuery
from slackwater.schema import Schema, read_schema

DTD = """
<!ELEMENT bib (book*)> <!ELEMENT book (title, author+, price, part?)> <!ATTLIST book year CDATA #IMPLIED>
<!ELEMENT title (#PCDATA)> <!ELEMENT author (#PCDATA)> <!ELEMENT price (#PCDATA)>
<!ELEMENT part (part?, any)> <!ELEMENT any ANY>
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_schema(Text("bib.dtd", DTD), "bib")


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("/bib/book/prise", ["prise"]),
        ("/book/title", ["book"]),
        ("//autor", ["autor"]),
        ("for $b in /bib/book where $b/prise < 3 return $b/@yeer", ["prise", "@yeer"]),
        ("/bib/book[pryce > 3]/title/*", ["pryce", "*"]),
        ("let $b := /bib return ($b/book/title, $b/title[1])", ["title"]),
        ("some $b in //book satisfies $b/descendant::text/x", ["descendant::text"]),
        ("declare function local:f($b) { $b/tidle }; local:f(/bib/book)", ["tidle"]),
        ("declare variable $b := /bib/bok; $b", ["bok"]),
        ("/bib/element(bok)", ["element(bok)"]),
    ],
)
def test_a_step_that_matches_nothing_is_marked(query: str, marked: list[str], schema: Schema) -> None:
    warnings = XQuery(query, schema).warnings
    assert [warning.span.content for warning in warnings if warning.span] == marked
    assert {(warning.code, warning.severity) for warning in warnings} == {("never-matches", Severity.WARNING)}


@pytest.mark.parametrize(
    "query",
    [
        "/bib/book/price",
        "//any/title",
        "/bib/book/@year",
        "/bib/book/@xml:lang",
        "/bib/book/title/text()",
        "<x><y/></x>/z",
        "/bib/book/title/../prise",
        "declare function local:f($b) { ($b/title, $b/year) }; (local:f(/bib/book), local:f(<a/>))",
        "declare function local:f($b) { $b/title }; (local:f(/bib/book), local:f(/bib))",
        "declare function local:f($b) { ($b/bok, local:f($b)) }; local:f(/bib)",
        '(/bib, doc("other.xml")/bok)',
        "count(1)",
    ],
)
def test_a_step_that_may_match_is_not_marked(query: str, schema: Schema) -> None:
    assert XQuery(query, schema).warnings == ()
    assert XQuery("/bok").warnings == ()


def test_the_warning_lists_the_possible_names(schema: Schema) -> None:
    query = XQuery("for $b in /bib/book\nreturn $b/prise", schema)
    (warning,) = query.warnings
    assert str(warning) == (
        'warning[never-matches]: "prise" matches nothing in any document of the schema\n'
        " --> <query>:2:11\n"
        "  |\n"
        "2 | return $b/prise\n"
        "  |           ^^^^^ no such element\n"
        '  = detail: In "book" there can be "title", "author", "price" and "part".\n'
        '  = hint: Did you mean "price"?'
    )
    assert query.explain().endswith(str(warning))
