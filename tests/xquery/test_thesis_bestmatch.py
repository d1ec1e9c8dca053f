"""The best-match joins of the thesis: "Bursts" of section 2.4, and the examples of chapter 4."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.flux.run import XQuery
from slackwater.language.xquery.parse import parse
from xquery.engine import pieces, streamed
from xquery.oracle import oracle_answer, query_in

PARTS = """<parts>
  <part1 no="a"><cost>10</cost><weight>5</weight></part1>
  <part1 no="b"><cost>12</cost><weight>2</weight></part1>
  <part1 no="c"><cost>12</cost><weight>6</weight></part1>
  <part2 no="x"><cost>3</cost><weight>4</weight></part2>
  <part2 no="y"><cost>5</cost><weight>2</weight></part2>
  <part2 no="z"><cost>3</cost><weight>4</weight></part2>
</parts>"""
AGENCY = """<agency>
  <project id="dam"><location>10</location></project>
  <project id="mast"><location>90</location></project>
  <person id="ann"><location>12</location><grade>1</grade><experience>9</experience></person>
  <person id="ben"><location>80</location><grade>3</grade><experience>2</experience></person>
  <person id="cat"><location>95</location><grade>3</grade><experience>1</experience></person>
  <person id="dan"><location>96</location><grade>2</grade><experience>1</experience></person>
  <person id="eve"><location>10</location><grade>3</grade></person>
</agency>"""
POINTS = """<points>
  <r id="A" y1="2" y2="2"/><r id="B" y1="8" y2="8"/>
  <s id="a" y1="3" y2="3"/><s id="b" y1="6" y2="2.1"/><s id="c" y1="2.5" y2="4"/><s id="d" y1="9" y2="10"/>
</points>"""
TAGGED = """<tagged>
  <r id="A"><y1>1</y1><y2>red</y2><y2>hot</y2></r>
  <r id="B"><y1>5</y1><y2>red</y2></r>
  <s id="a"><y1>1</y1><y2>red</y2></s>
  <s id="b"><y1>3</y1><y2>hot</y2><y2>red</y2></s>
  <s id="c"><y1>1</y1></s>
</tagged>"""
WEATHER = """<weather>
  <temp t="0" x="0" y="0" v="20"/><temp t="30" x="500" y="0" v="21"/><temp t="31" x="0" y="50" v="22"/>
  <hum t="2" x="90" y="10" v="0.4"/><hum t="9" x="5" y="20" v="0.5"/><hum t="10" x="90" y="10" v="0.6"/>
  <hum t="30" x="120" y="50" v="0.7"/><hum t="41" x="100" y="150" v="0.8"/><hum t="42" x="0" y="50" v="0.9"/>
</weather>"""

STORIES = [
    # Example 4.1.1. a costs less, b weighs less; c is worse than b. x and z are equally good: both stay.
    ("parts", PARTS, [("a", "x"), ("a", "z"), ("b", "x"), ("b", "y"), ("b", "z")]),
    # Example 4.1.2. For the dam: the experienced one near, the better grade farther away. eve has no
    # experience to compare. For the mast: cat is nearer than ben, ben has more experience; ann has most.
    (
        "recruitment", AGENCY,
        [("dam", "ann"), ("dam", "ben"), ("mast", "ann"), ("mast", "ben"), ("mast", "cat")],
    ),
    # Example 4.2.7, figure 4.1 (a): no other pair is as good as one of these three in both dimensions.
    ("best-match-points", POINTS, [("A", "a"), ("A", "b"), ("A", "c")]),
    # Example 4.2.8, figure 4.1 (b): d is the best for B, though A has better pairs.
    ("left-outer-points", POINTS, [("A", "a"), ("A", "b"), ("A", "c"), ("B", "d")]),
    # Example 4.2.11: (A, a) is nearest, with red in common; (A, b) has red and hot.
    ("subset", TAGGED, [("A", "a"), ("A", "b")]),
    ("subset-declared", TAGGED, [("A", "a"), ("A", "b")]),
    # Example 4.2.14: 0.6 is worse than 0.4 everywhere or equal; nothing is near the second sensor.
    ("weather", WEATHER, [("20", "0.4"), ("20", "0.5"), ("22", "0.8")]),
]  # fmt: skip


def pairs(answer: str | None) -> list[tuple[str, ...]]:
    """The values of the two attributes of each element."""
    return [tuple(element.split('"')[1::2]) for element in (answer or "").split("/>")[:-1]]


@pytest.mark.parametrize(("name", "document", "best"), STORIES, ids=[name for name, _, _ in STORIES])
def test_an_example(name: str, document: str, best: list[tuple[str, str]]) -> None:
    query = query_in(f"thesis/{name}.xq")
    assert pairs(oracle_answer(query, document)) == best
    assert pairs(streamed(query, document, sizes=[11])) == best


def photons(*rows: tuple[float, float, float, int]) -> str:
    return "<photons>{}</photons>".format(
        "".join(
            f"<photon><ra>{ra}</ra><dec>{dec}</dec><en>{energy}</en><det_time>{time}</det_time></photon>"
            for ra, dec, energy, time in rows
        )
    )


KNOWN = photons(
    (130.02, -46.0, 1.0, 100),  # the same spot, 90 minutes before 5500
    (130.05, -46.0, 1.5, 90),  # farther away, in space and in time
    (130.01, -46.05, 2.0, 300),  # nearer in ra, farther in dec and in time
    (130.0, -46.0, 9.0, 400),  # the same spot, but 300 seconds off
    (140.0, -46.0, 4.0, 700),
)
STREAM = photons((130.0, -46.0, 3.0, 5500), (131.0, -46.0, 3.0, 5500), (140.0, -46.0, 5.0, 6100))
BURSTS = (
    "<photons>"
    "<rel_energy><ra>130.0</ra><dec>-46.0</dec>2</rel_energy>"
    "<rel_energy><ra>130.0</ra><dec>-46.0</dec>1</rel_energy>"
    "<rel_energy><ra>140.0</ra><dec>-46.0</dec>1</rel_energy>"
    "</photons>"
)


def test_the_subscription_bursts() -> None:
    """A photon without an earlier one in its spot, the second, is in no pair (compare 4.2.14)."""
    query = query_in("thesis/bursts.xq")
    module = parse(Text("bursts", query))
    inputs = {"photons_db": read(KNOWN)}
    assert answer(module, streams={"photons": read(STREAM)}, documents=inputs) == BURSTS
    assert "".join(XQuery(query).run(pieces(STREAM, [9]), {"photons_db": KNOWN.encode()})) == BURSTS


def test_bursts_are_reported_as_photons_arrive() -> None:
    """Nothing of the stream but the current photon is buffered, and its pairs are known at its end tag."""
    first, rest = STREAM[: STREAM.index("<photon><ra>131")], STREAM[STREAM.index("<photon><ra>131") :]
    reported: list[str] = []

    def arriving() -> Iterator[bytes]:
        yield first.encode()
        assert "".join(reported) == BURSTS[: BURSTS.index("<rel_energy><ra>140")]
        yield rest.encode()

    query = XQuery(query_in("thesis/bursts.xq"))
    for piece in query.run(arriving(), {"photons_db": KNOWN.encode()}):
        reported.append(piece)
    assert "".join(reported) == BURSTS


def test_the_stream_of_bursts_is_not_buffered() -> None:
    query = XQuery(query_in("thesis/bursts.xq"))
    peaks = []
    for times in (1, 100):
        stream = STREAM.replace("</photons>", "").replace("<photons>", "") * times
        query.answer(f"<photons>{stream}</photons>", {"photons_db": KNOWN.encode()})
        peaks.append(query.stats.peak)
    assert peaks[0] == peaks[1] > 0
