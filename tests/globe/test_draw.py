"""Pictures of deployments, and the XML of a plan."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from golden import golden
from slackwater.globe.astronomy import scenario
from slackwater.globe.draw import as_page, as_svg, as_xml
from slackwater.globe.draw.svg import _cards
from slackwater.globe.model import Deployment, Link, Network, Peer
from slackwater.globe.plan import register

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "globe.svg"
FIGURE = Path(__file__).parent / "chapter_2" / "figure_2_8.xml"
NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.fixture(scope="module")
def deployment() -> Deployment:
    known = scenario.deployment()
    for subscription in scenario.subscriptions():
        known, _ = register(known, subscription)
    return known


def test_the_picture_in_the_documentation_is_the_example(deployment: Deployment) -> None:
    """Numbers may differ a little: they come from linear algebra, which machines round differently."""
    text = as_svg(deployment, "The example of chapter 2")
    known = golden(PICTURE, text)
    assert NUMBER.sub("0", text) == NUMBER.sub("0", known)
    numbers = [[float(number) for number in NUMBER.findall(one)] for one in (text, known)]
    assert numbers[0] == pytest.approx(numbers[1], abs=1.5)


def test_the_plan_of_rxj_is_that_of_figure_2_8() -> None:
    vela, rxj, *_ = scenario.subscriptions()
    known, _ = register(scenario.deployment(), vela)
    known, explanation = register(known, rxj)
    text = as_xml(explanation, known.subscriptions[-1])
    assert text == golden(FIGURE, text)
    assert ElementTree.fromstring(text).attrib["atPeer"] == "P2"


def test_a_picture_is_well_formed_whatever_names_are(deployment: Deployment) -> None:
    network = Network((Peer('A<"&'), Peer("B")), (Link('A<"&', "B"),))
    for known in (deployment, Deployment(network), Deployment(Network((), ()))):
        ElementTree.fromstring(as_svg(known, 'a <title> & "more"'))


def test_the_page_has_the_picture_and_where_to_get_the_next(deployment: Deployment) -> None:
    page = as_page(as_svg(deployment), "a <b>", 'x"</script>', 0.5)
    assert "</svg>" in page
    assert "<title>a &lt;b&gt;</title>" in page
    assert page.count("</script>") == 1
    assert "setInterval(look, 500)" in page


def test_no_card_covers_another(deployment: Deployment) -> None:
    for one, other in combinations(_cards(deployment, {}).values(), 2):
        apart = abs(one.x - other.x) >= (one.width + other.width) / 2
        assert apart or abs(one.y - other.y) >= (one.height + other.height) / 2


def test_parts_of_a_network_that_nothing_joins_are_drawn() -> None:
    network = Network(tuple(Peer(f"P{number}") for number in range(4)), (Link("P0", "P1"), Link("P2", "P3")))
    assert as_svg(Deployment(network)).count('class="name"') == 4
