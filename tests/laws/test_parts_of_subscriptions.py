"""trans(filter(s)) = query(s), whichever stream the filter reads, by reference and by stream."""

from __future__ import annotations

from hypothesis import event, example, given

from laws.effort import trying
from laws.subscriptions import documents, subscriptions
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.flux.run import XQuery
from slackwater.globe.model import Properties
from slackwater.globe.properties import contains, cover
from slackwater.globe.properties.xml import Need, need_of
from slackwater.globe.split.xquery import filter_query, query_over
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query

RAW = Properties("photons", "xml")
FAILS = "error"


def by_reference(module: ast.Module, document: str, name: str = "photons") -> str:
    try:
        return answer(module, streams={name: read(document)})
    except EngineError:
        return FAILS


def by_stream(module: ast.Module, document: str) -> str:
    try:
        return XQuery(Text("query", print_query(module))).answer(document.encode())
    except EngineError:
        return FAILS


def need(text: str) -> tuple[ast.Module, Need]:
    module = parse(Text("query", text))
    return module, need_of(module)


def filtered(properties: Properties, document: str, over: Properties = RAW) -> str:
    return by_reference(filter_query(("photons", "photon"), "photons", properties, over), document)


@example(
    '<out>{ for $q in stream("photons")/photons/photon where $q/ra < 0 and 0 < $q/ra return $q/ra }</out>',
    "<photons><photon><ra>0</ra></photon></photons>",
)
@trying(300)
@given(subscriptions(), documents())
def test_a_subscription_is_its_transformation_of_its_filter(text: str, document: str) -> None:
    module, known = need(text)
    expected = by_reference(module, document)
    event("whole" if known.properties == RAW else "divided")
    if expected == FAILS:
        return
    some = filtered(known.properties, document)
    assert by_reference(query_over(known, "f", known.properties), some, "f") == expected
    assert by_stream(query_over(known, "f", known.properties), some) == expected
    made = by_stream(filter_query(("photons", "photon"), "photons", known.properties, RAW), document)
    assert read(made) is not None
    assert by_reference(query_over(known, "photons", RAW), document) == expected


@trying(400)
@given(subscriptions(), subscriptions(), documents())
def test_a_filter_over_a_stream_that_contains_it_is_the_same(one: str, other: str, document: str) -> None:
    module, inner = need(one)
    outer = need(other)[1].properties
    expected = by_reference(module, document)
    if expected == FAILS:
        return
    shared = cover(outer, inner.properties)
    assert contains(shared, inner.properties)
    assert contains(shared, outer)
    for stream in (outer, shared):
        if not contains(stream, inner.properties):
            continue
        event("contained" if stream is outer else "covered")
        some = filtered(stream, document)
        if some == FAILS:
            continue
        assert by_reference(query_over(inner, "s", stream), some, "s") == expected
        again = filtered(inner.properties, some, stream)
        assert by_reference(query_over(inner, "s", inner.properties), again, "s") == expected


@trying(200)
@given(subscriptions(), subscriptions())
def test_a_stream_contains_itself_and_the_source_contains_all(one: str, other: str) -> None:
    mine, theirs = need(one)[1].properties, need(other)[1].properties
    assert contains(RAW, mine)
    assert contains(mine, mine)
    if contains(mine, theirs) and contains(theirs, RAW):
        assert contains(mine, RAW)
