"""Reading any text gives a schema or a diagnostic, never another exception."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.base.diagnostic import render
from slackwater.base.span import Text
from slackwater.schema.dtd import read_dtd, read_internal_dtd
from slackwater.schema.errors import SchemaError

WORDS = """
    <!ELEMENT <!ATTLIST <!ENTITY <!NOTATION <!DOCTYPE <![INCLUDE[ <![IGNORE[ ]]> <!-- --> <? ?> <?xml <!
    a b p:c %x; %y; &x; &y; % & &#37; &#38; &#40; &#x0; EMPTY ANY #PCDATA #REQUIRED #IMPLIED #FIXED CDATA ID
    ( ) )* )? )+ | , a? b* > < [ ] ]> ' " = SYSTEM PUBLIC "x" 'y' NOTATION é \U0001f600
"""
PIECES = st.sampled_from([*WORDS.split(), "\n", "\r", "\0", "\ufeff", "\ud800"])
DTD = """<?xml version="1.0" encoding="utf-8"?>
<!ENTITY % x "b, (p:c | d)*"> <!ENTITY % y "<!ELEMENT b (#PCDATA | d)*>"> <!ENTITY z "&#38;#60; z">
<!ELEMENT a (%x;, e?)> %y; <!-- a comment ( -->
<![INCLUDE[ <!ELEMENT p:c EMPTY> <![IGNORE[ <!ELEMENT d ( ]]> ]]> <!ELEMENT d ANY> <?say so?>
<!NOTATION n SYSTEM "n">
<!ATTLIST a i ID #REQUIRED k (x | y) "x" v CDATA #FIXED "&z;" o NOTATION (n) #IMPLIED>
"""
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DTDS = [DTD, *(path.read_text(encoding="utf-8") for path in sorted(BENCHMARKS.glob("*.dtd")))]


def check(text: str) -> None:
    for read in (read_dtd, read_internal_dtd):
        try:
            schema = read(Text("soup", text))
        except SchemaError as error:
            for diagnostic in error.diagnostics:
                assert render(diagnostic)
        else:
            assert schema is None or schema.document.names


def test_the_dtd_is_read_as_it_is() -> None:
    assert list(read_dtd(Text("whole", DTD)).roots) == ["a"]


@given(st.lists(PIECES, max_size=20), st.sampled_from(["", " "]))
@trying(300)
def test_pieces_of_dtds_in_any_order(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    check(text)
    check(f"<!DOCTYPE a [{text}]>")


@given(st.sampled_from(DTDS), st.data())
@trying(300)
def test_a_dtd_with_a_hole_or_a_piece_too_many(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 8, len(text))))
        text = text[:start] + data.draw(st.just("") | PIECES) + text[end:]
    check(text)
    check(f"<!DOCTYPE a [{text}]>")


@given(st.text(max_size=40))
@trying(100)
def test_any_characters(text: str) -> None:
    check(text)
    check(f"<!DOCTYPE a [{text}]>")
