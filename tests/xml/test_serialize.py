"""Serialized text and attributes are parsed back unchanged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slackwater.xml import Parser
from slackwater.xml.serialize import attributes, escape_text

CHARACTERS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\ufffe\uffff").filter(
        lambda c: c >= " " or c in "\t\n\r"
    )
)


def test_text_escapes_what_would_be_markup() -> None:
    assert escape_text('a < b > c & "d"') == 'a &lt; b &gt; c &amp; "d"'


def test_attributes_escape_quotes_and_white_space_too() -> None:
    assert attributes([("x", '"a"\n\t<'), ("y", "it's")]) == ' x="&#34;a&#34;&#xA;&#x9;&lt;" y="it\'s"'


@given(CHARACTERS, CHARACTERS)
def test_what_is_written_reads_back(content: str, value: str) -> None:
    read: list[str] = []
    values: list[str] = []
    parser = Parser(f"<a{attributes([('x', value)])}>{escape_text(content)}</a>".encode())
    parser.handle(lambda _, attributes: values.append(attributes["x"]), None, read.append)
    parser.run()
    assert ("".join(read), values) == (content, [value])
