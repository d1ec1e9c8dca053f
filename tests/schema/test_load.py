"""Which kind of schema a text is."""

from __future__ import annotations

from slackwater.base.span import Text
from slackwater.schema import read_schema


def test_many_comments_do_not_make_the_prolog_backtrack() -> None:
    """The pattern for the prolog used to backtrack over every combination of comments."""
    comments = "<!-- c -->\n" * 500
    assert [*read_schema(Text("a.dtd", comments + "<!ELEMENT a (#PCDATA)>")).roots] == ["a"]
    schema = '<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="b"/></schema>'
    assert [*read_schema(Text("b.xsd", comments + schema)).roots] == ["b"]
