"""Best-match joins in all places of a query: the engine gives what the reference gives."""

from __future__ import annotations

import pytest

from slackwater.flux.run import XQuery
from xquery.engine import streamed
from xquery.oracle import oracle_answer

DOCUMENT = (
    '<w><r x="1" y="2"><t>a</t></r><r x="5" y="9"/>'
    '<s x="2" y="2"><t>a</t></s><s x="4" y="1"/><s x="1" y="20"/><s x="7"/></w>'
)
NEAR = "(abs($r/@x - $s/@x)) min"
CASES = {
    "parents": (
        f"for $r in /w/r for $s in $r/../s where $r left outer bestmatch join $s on {NEAR} 3 "
        "return <p>{string($r/@x), string($s/@x)}</p>",
        "<p>1 1</p><p>5 4</p>",
    ),
    "outer may be left out": (
        f"for $r in /w/r for $s in /w/s where $r left bestmatch join $s on {NEAR} 3 "
        "return <p>{string($r/@x), string($s/@x)}</p>",
        "<p>1 1</p><p>5 4</p>",
    ),
    "a function": (
        f"""declare function local:best($rs, $ss) {{
          for $r in $rs for $s in $ss where $r right outer bestmatch join $s on {NEAR} return string($s/@x)
        }};
        for $r in /w/r return <q>{{local:best($r, /w/s)}}</q>""",
        "<q>2 4 1 7</q><q>2 4 1 7</q>",
    ),
    "a function that calls itself between the loops and the join": (
        """declare function local:n($n as xs:integer) {
          if ($n = 0) then 0 else
          count(for $a in (1, 2, 3) for $b in (2, 3, 9, 1, 4, 5, 6, 7, 8, 10)
            where local:n($n - 1) >= 0 and $a left outer bestmatch join $b on (abs($a - $b)) min 1, ($b) max
            return $b)
        };
        local:n(3)""",
        "6",
    ),
    "values and positions": (
        'for $a in (1, 3) for $b at $i in (2, 3, 2.5, "7") '
        "where $a left outer bestmatch join $b on (abs($a - number($b))) min, ($i) max return ($a, $b)",
        "1 2 1 2.5 1 7 3 3 3 2.5 3 7",
    ),
    "order by": (
        "for $r in /w/r for $s in /w/s "
        "where $r left outer bestmatch join $s on ($r/t, $s/t) subset, ($s/@x) max "
        "order by $s/@x return string($s/@x)",
        "2 7 7",
    ),
    "a condition after the join": (
        "for $w in /w for $r in $w/r for $s in $w/s where $r bestmatch join $s on ($s/@x) max "
        "where $r/@x > 1 return string($r/@x)",
        "5",
    ),
    "a condition of the join": (
        f"for $r in /w/r for $s in /w/s where $r left outer bestmatch join $s on {NEAR} and $s/t "
        "return string($s/@x)",
        "2 2",
    ),
    "an aggregate": (
        "count(for $r in /w/r for $s in /w/s where $r left outer bestmatch join $s on ($s/@y) max return $s)",
        "2",
    ),
    "a bound that is a variable": (
        f"declare variable $e := 3; for $r in /w/r for $s in /w/s "
        f"where $r left outer bestmatch join $s on {NEAR} $e return string($s/@x)",
        "1 4",
    ),
}


@pytest.mark.parametrize(("query", "answer"), CASES.values(), ids=CASES)
def test_a_join_in_its_place(query: str, answer: str) -> None:
    assert oracle_answer(query, DOCUMENT) == answer
    assert streamed(query, DOCUMENT, sizes=[5]) == answer


def test_another_run_reads_its_own_document() -> None:
    """The grid of one run is not that of the next."""
    query = XQuery(
        'for $r in /w/r for $s in doc("d")/w/s '
        f"where $r left outer bestmatch join $s on {NEAR} 3 return string($s/@x)"
    )
    partners = "<w>{}</w>".format("".join(f'<s x="{number}"/>' for number in range(20)))
    stream = '<w><r x="1"/></w>'
    assert query.answer(stream, {"d": partners}) == "1"
    assert query.answer(stream, {"d": partners.replace('"1"', '"1.5"')}) == "1.5"
