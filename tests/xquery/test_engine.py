"""The engine gives what the reference gives: on chapter 3, on appendix C and on XMark."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.flux.run import XQuery
from slackwater.flux.values.tree import Node
from slackwater.language.xquery.parse import parse
from slackwater.schema import Schema, read_schema
from xquery.auctions import as_elements, auctions, shortened
from xquery.engine import expected, pieces, streamed
from xquery.flux_examples import Example, examples
from xquery.oracle import HERE, query_in
from xquery.schemas import elements
from xquery.test_thesis import PHOTONS
from xquery.test_xmark import OURS, W3C, w3c_query

DTDS = Path(__file__).parents[2] / "benchmarks"
APPENDIX = ("q1", "q5", "q8", "q8b", "q11", "q13", "q16", "q17", "q20", "qa", "qw1", "qw2", "qw3")
PHOTON = Text(
    "photons.dtd",
    "<!ELEMENT photons (photon*)> <!ELEMENT photon (ra, dec, en, det_time)> <!ELEMENT ra (#PCDATA)>"
    "<!ELEMENT dec (#PCDATA)> <!ELEMENT en (#PCDATA)> <!ELEMENT det_time (#PCDATA)>",
)
SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=3)


@cache
def tree(document: str) -> Node:
    return read(document)


@cache
def dtd(name: str) -> Schema:
    return read_schema(DTDS / name, "site")


def check(query: str, document: str, schema: Schema | None, size: int = 4001) -> None:
    module = parse(Text("query.xq", query))
    compiled = XQuery(Text("query.xq", query), schema)
    inputs = [compiled.flux.input, *compiled.flux.inputs.values()]
    documents = {part.name: tree(document) for part in inputs if part is not None}
    chunks = compiled.run(pieces(document, [size]), dict.fromkeys(documents, document.encode()))
    assert "".join(chunks) == answer(module, tree(document), documents, documents)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", [*OURS, *W3C])
def test_a_query_of_xmark(name: str, known: bool) -> None:
    query = query_in(f"xmark/{name}") if name in OURS else w3c_query(name)
    check(query, shortened(auctions(), 12), dtd("auction.dtd") if known else None)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", APPENDIX)
def test_a_query_of_appendix_c(name: str, known: bool) -> None:
    document = as_elements(shortened(auctions(), 25))
    check(query_in(f"thesis/{name}.xq"), document, dtd("auction_elements.dtd") if known else None)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", ["vela", "rxj", "rxj-alert"])
def test_a_subscription_of_chapter_2(name: str, known: bool) -> None:
    check(query_in(f"thesis/{name}.xq"), PHOTONS, read_schema(PHOTON) if known else None)


EXAMPLES = [
    example
    for example in examples()
    if example.path.stem[0].isdigit() and example.sections["schema"] != "none"
]
_NAMES = [example.path.stem for example in EXAMPLES]


@pytest.mark.parametrize("example", EXAMPLES, ids=_NAMES)
@given(data=st.data(), sizes=SIZES)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_an_example_of_chapter_3(example: Example, data: st.DataObject, sizes: list[int]) -> None:
    schema, query = example.schema, example.sections["query"]
    root = next(name for name in ("bib", "root", *schema.roots) if name in schema.roots)
    document = data.draw(elements(root, schema.roots[root]))
    reference = expected(parse(Text("query", query)), document)
    if reference is not None:
        assert streamed(query, document, schema.with_roots([root]), sizes) == reference
        assert streamed(query, document, sizes=sizes) == reference


def test_the_result_of_example_3_8_15() -> None:
    document = (
        "<root><a><b>some b data</b><b>other b data</b>"
        "<c><d>1</d><d>2</d><d>3</d><d>4</d></c><c><d>5</d><d>6</d><d>7</d></c></a></root>"
    )
    assert streamed((HERE / "thesis/windows.xq").read_text(encoding="utf-8"), document) == (
        "<results><result><b>some b data</b><b>other b data</b>"
        "<winavg>2.5</winavg><winavg>4.5</winavg><winavg>6</winavg></result></results>"
    )
