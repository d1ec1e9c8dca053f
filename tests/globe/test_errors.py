"""What cannot be deployed, in the words a user sees. In `errors`, NAME.txt is that text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from golden import golden
from slackwater.base.diagnostic import QueryError, render
from slackwater.globe.astronomy import scenario
from slackwater.globe.model import Deployment, Link, Network, Peer, Subscription
from slackwater.globe.plan import register, unregister

FOLDER = Path(__file__).parent / "errors"
VELA = scenario.query("Vela")


def subscribe(text: str = VELA, at: str = "P0", deployment: Deployment | None = None) -> Deployment:
    known = scenario.deployment() if deployment is None else deployment
    return register(known, Subscription("Mine", at, "xquery", text))[0]


def weak(capacity: float, operators: frozenset[str], bandwidth: float = 1e7) -> Deployment:
    """The example with all peers alike."""
    network = Network(
        tuple(Peer(peer.name, peer.kind, capacity, operators) for peer in scenario.NETWORK.peers),
        tuple(Link(link.a, link.b, bandwidth) for link in scenario.NETWORK.links),
    )
    return replace(scenario.deployment(), network=network)


EVERYTHING = frozenset({"filter", "transform"})
CASES: dict[str, Callable[[], object]] = {
    "unknown-stream": lambda: subscribe(VELA.replace('photons")', 'photos")')),
    "unknown-document": lambda: subscribe(scenario.query("Bursts").replace("photons_db", "photons_bd"), "P1"),
    "unknown-peer": lambda: subscribe(at="P9"),
    "subscription-exists": lambda: subscribe(deployment=subscribe()),
    "unknown-subscription": lambda: unregister(scenario.deployment(), "Vega"),
    "no-route": lambda: subscribe(
        deployment=replace(scenario.deployment(), network=Network(scenario.NETWORK.peers, ()))
    ),
    "no-capability": lambda: subscribe(deployment=weak(1e6, frozenset({"filter"}))),
    "no-capacity": lambda: subscribe(deployment=weak(1.0, EVERYTHING)),
    "no-bandwidth": lambda: subscribe(deployment=weak(1e6, EVERYTHING, 10.0)),
    "syntax": lambda: subscribe(VELA.replace("return", "retrun")),
    "no-stream": lambda: register(
        scenario.deployment(), Subscription("Mine", "P0", "cql", "SELECT 1 AS one")
    ),
    "not-a-subscription": lambda: subscribe("count(stream('photons')/photons/photon)"),
}


@pytest.mark.parametrize("name", CASES)
def test_an_error_says_what_is_wrong_and_what_to_do(name: str) -> None:
    with pytest.raises(QueryError) as caught:
        CASES[name]()
    text = "\n".join(map(render, caught.value.diagnostics)) + "\n"
    assert text == golden(FOLDER / f"{name}.txt", text)


def test_every_text_belongs_to_a_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*CASES}
