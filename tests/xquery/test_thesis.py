"""The queries of the thesis: appendix C, the windows of 3.8.2 and the subscriptions of chapter 2."""

from __future__ import annotations

import pytest

from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from xquery.auctions import as_elements, auctions, shortened
from xquery.oracle import CHAPTER_2, HERE, oracle_answer, query_in

QUERIES = sorted(path.name for folder in (HERE / "thesis", CHAPTER_2) for path in folder.glob("*.xq"))
APPENDIX = ("q1", "q5", "q8", "q8b", "q11", "q13", "q16", "q17", "q20", "qa")

CWIN = """
declare function local:cwin($count as xs:integer, $step as xs:integer, $e as node()*) as node()*
{
  let $win := fn:subsequence($e, 1, $count)
  let $rest := fn:subsequence($e, $step + 1)
  return
    if (fn:count($e) <= $count)
    then (<wc>{$win}</wc>)
    else (<wc>{$win}</wc>, local:cwin($count, $step, $rest))
};
"""


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_printed_as_it_was_parsed(name: str) -> None:
    module = parse(Text(name, query_in(f"thesis/{name}")))
    assert parse(Text("printed", print_query(module))) == module


@pytest.mark.slow
@pytest.mark.parametrize("name", APPENDIX)
def test_a_query_of_appendix_c_gives_what_saxon_gives(name: str) -> None:
    from xquery.saxon import saxon_answer

    document = as_elements(shortened(auctions(), 60 if name in ("q8", "q8b", "q11", "qa") else 1000))
    query = query_in(f"thesis/{name}.xq")
    assert oracle_answer(query, document) == saxon_answer(query.replace("$ROOT", ""), document)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count", "step"), [("qw1", 10, 10), ("qw2", 10, 5), ("qw3", 20, 5)])
def test_a_window_is_what_the_function_of_the_thesis_computes(name: str, count: int, step: int) -> None:
    from xquery.saxon import saxon_answer

    document = as_elements(auctions())
    native = f"""{CWIN}
    <query_win>{{
      for $tmp in local:cwin({count}, {step}, /site/open_auctions/open_auction)
      let $w := $tmp/* return <max_item>{{fn:max($w/current)}}</max_item>
    }}</query_win>"""
    assert oracle_answer(query_in(f"thesis/{name}.xq"), document) == saxon_answer(native, document)


def test_the_windows_of_example_3_8_15() -> None:
    document = (
        "<root><a><b>some b data</b><b>other b data</b>"
        "<c><d>1</d><d>2</d><d>3</d><d>4</d></c><c><d>5</d><d>6</d><d>7</d></c></a></root>"
    )
    assert oracle_answer(query_in("thesis/windows.xq"), document) == (
        "<results><result><b>some b data</b><b>other b data</b>"
        "<winavg>2.5</winavg><winavg>4.5</winavg><winavg>6</winavg></result></results>"
    )


PHOTONS = "<photons>{}</photons>".format(
    "".join(
        f"<photon><ra>{ra}</ra><dec>-46.5</dec><en>{energy}</en><det_time>{time}</det_time></photon>"
        for ra, energy, time in [
            (131, 1.0, 0),
            (132, 2.0, 20),
            (140, 9.0, 30),
            (133, 1.8, 70),
            (134, 1.1, 200),
        ]
    )
)


def subscribed(name: str) -> str:
    module = parse(Text(name, query_in(f"thesis/{name}.xq")))
    return answer(module, streams={"photons": read(PHOTONS)})


def test_the_subscription_rxj() -> None:
    assert subscribed("rxj") == (
        "<photons><rxj><ra>132</ra><dec>-46.5</dec><en>2.0</en><det_time>20</det_time></rxj>"
        "<rxj><ra>133</ra><dec>-46.5</dec><en>1.8</en><det_time>70</det_time></rxj></photons>"
    )


def test_the_subscription_vela() -> None:
    assert subscribed("vela").count("<vela>") == 4


def test_the_subscription_rxj_alert() -> None:
    """Windows of the photons at 0, 20, 70 and 200: [0, 60) [15, 75) [30, 90) … each 15 after the last."""
    assert subscribed("rxj-alert") == (
        "<photons>"
        + "".join(f"<avg_energy>{energy}</avg_energy>" for energy in ("1.5", "1.9", "1.8", "1.8", "1.8"))
        + "</photons>"
    )
