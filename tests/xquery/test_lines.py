"""At the command line each item of an answer is a line, however the document is cut; elsewhere it is not."""

from __future__ import annotations

import pytest

import slackwater as sw
from slackwater.flux.run import XQueries
from xquery.engine import pieces

LOG = '<log><e>e0</e><x/><e>e1 &amp; <b>q</b><!--c--></e><e k="1">e2</e></log>'
E1 = "<e>e1 &amp; <b>q</b><!--c--></e>"


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("for $e in /log/e return $e/text()", ["e0", "e1 &amp; ", "e2"]),
        ("/log/e", ["<e>e0</e>", E1, '<e k="1">e2</e>']),
        ("/log/e[b]", [E1]),
        ("//e/@k/string()", ["1"]),
        ("for $e in /log/e return string($e)", ["e0", "e1 &amp; q", "e2"]),
        ("1 to 3, 'a'", ["1", "2", "3", "a"]),
        (
            "for $e in /log/e return <o>{$e/text()}{1, 2}</o>",
            [f"<o>{text}1 2</o>" for text in ("e0", "e1 &amp; ", "e2")],
        ),
        ("for $e in /log/e return ($e/@k/string(), count($e/*))", ["0", "1", "1", "0"]),
        ("for $e in /log/e order by $e descending return $e/text()", ["e2", "e1 &amp; ", "e0"]),
        ("for $w in /log/e|count 2 step 1| return <w>{count($w)}</w>", ["<w>2</w>", "<w>2</w>"]),
        ("/log/e[2]/node()", ["e1 &amp; ", "<b>q</b>", "<!--c-->"]),
        ("<a/>, document { <b/>, <c/> }, 5", ["<a/>", "<b/><c/>", "5"]),
        ("<all>{/log/e/text()}</all>", ["<all>e0e1 &amp; e2</all>"]),
        ("/", [LOG]),
        ("()", []),
    ],
)
@pytest.mark.parametrize("size", [3, 1000])
def test_each_item_is_a_line(query: str, lines: list[str], size: int) -> None:
    pairs = XQueries([sw.xquery(query)], ending="\n").run(pieces(LOG, [size]))
    assert "".join(text for _, text in pairs) == "".join(f"{line}\n" for line in lines)


def test_a_line_is_complete_as_soon_as_its_item_is() -> None:
    pairs = XQueries([sw.xquery("/log/e/text()")], ending="\n").run(
        iter([b"<log><e>e0</e>", b"<e>e1</e></log>"])
    )
    assert [text for _, text in pairs] == ["e0\n", "e1\n"]


def test_without_an_ending_the_answer_is_that_of_xquery() -> None:
    assert sw.xquery("(/log/e/text(), 1, 2)").answer(LOG) == "e0e1 &amp; e21 2"
