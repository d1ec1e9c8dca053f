"""Which kind of schema a text is."""

from __future__ import annotations

from slackwater.base.span import Text
from slackwater.schema import read_schema


def test_many_comments_take_no_time() -> None:
    """They were tried in every combination, to see whether an XML Schema follows."""
    comments = "<!-- c -->\n" * 500
    assert [*read_schema(Text("a.dtd", comments + "<!ELEMENT a (#PCDATA)>")).roots] == ["a"]
    schema = '<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="b"/></schema>'
    assert [*read_schema(Text("b.xsd", comments + schema)).roots] == ["b"]
