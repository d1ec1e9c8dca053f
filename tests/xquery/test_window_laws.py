"""Windows over a stream are those of the reference: counted or timed, overlapping or not."""

from __future__ import annotations

from hypothesis import event, given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.base.span import Text
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.run import XQuery
from slackwater.language.xquery.parse import parse
from slackwater.schema import NO_SCHEMA, read_schema
from xquery.engine import expected, streamed

SCHEMA = read_schema(
    Text(
        "dtd",
        "<!ELEMENT r (h?, a*, z?)> <!ELEMENT a (b*)> <!ELEMENT b (t, v?)> <!ATTLIST b n CDATA #IMPLIED>"
        "<!ELEMENT t (#PCDATA)> <!ELEMENT v (#PCDATA)> <!ELEMENT h (#PCDATA)> <!ELEMENT z (#PCDATA)>",
    ),
    "r",
)
COUNTED = st.builds(lambda size, step: f"|count {size} step {step}|", st.integers(1, 4), st.integers(1, 5))
TIMED = st.builds(lambda size, step: f"|t diff {size} step {step}|", st.integers(1, 6), st.integers(1, 8))
BODIES = st.sampled_from(
    [
        "<w>{$w}</w>",
        "<w>{count($w)}</w>",
        "<w><n>{avg($w/t)}</n>{max($w/v)}</w>",
        "<w>{sum($w/v)}</w>",
        "<w>{$w/v}</w>",
        "<w>{for $x in $w order by $x/v return $x/t}</w>",
        "if (count($w/v) > 1) then <w>{$w/@n/string()}</w> else ()",
        "<w>{$r/h, $w[last()]}</w>",
    ]
)
WHERE = st.sampled_from(["", "", "[@n > 1]", "[v]", "[t mod 2 = 0]"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    time = 0
    groups = []
    for _ in range(draw(st.integers(0, 3))):
        items = []
        for _ in range(draw(st.integers(0, 5))):
            time += draw(st.integers(0, 4))
            value = f"<v>{draw(st.integers(0, 9))}</v>" if draw(st.booleans()) else ""
            attribute = f' n="{draw(st.integers(0, 3))}"' if draw(st.booleans()) else ""
            items.append(f"<b{attribute}><t>{time}</t>{value}</b>")
        groups.append(f"<a>{''.join(items)}</a>")
    head, tail = draw(st.sampled_from(["", "<h>h</h>"])), draw(st.sampled_from(["", "<z>z</z>"]))
    return f"<r>{head}{''.join(groups)}{tail}</r>"


@given(documents(), COUNTED | TIMED, BODIES, WHERE, st.lists(st.integers(1, 30), min_size=1, max_size=3))
@trying(80)
def test_windows_are_those_of_the_reference(
    document: str, window: str, body: str, where: str, sizes: list[int]
) -> None:
    query = f"<o>{{ for $r in /r return (for $w in $r/a/b{where}{window} return {body}, $r/z) }}</o>"
    reference = expected(parse(Text("query", query)), document)
    handlers = [
        type(handler).__name__
        for scope in traversal.scopes(XQuery(query, SCHEMA).flux.body)
        for handler in scope.handlers
        if isinstance(handler, flux.OnWindow | flux.OnEach)
    ]
    event(f"{handlers}, {'an error' if reference is None else 'an answer'}")
    assert streamed(query, document, SCHEMA, sizes) == reference
    assert streamed(query, document, NO_SCHEMA, sizes) == reference
