"""Random networks, with streams of photons published in them."""

from __future__ import annotations

from hypothesis import strategies as st

from slackwater.globe.model import Deployment, Histogram, Link, Network, Peer, Published, Statistics

DTD = """
<!ELEMENT photons (photon*)> <!ELEMENT photon (ra*, dec*, en*, pos, t)> <!ATTLIST photon id CDATA #IMPLIED>
<!ELEMENT pos (x*)> <!ELEMENT ra (#PCDATA)> <!ELEMENT dec (#PCDATA)> <!ELEMENT en (#PCDATA)>
<!ELEMENT x (#PCDATA)> <!ELEMENT t (#PCDATA)>
"""
NUMBERS = Histogram((-1.0, 0.0, 1.0, 2.0, 3.0, 4.0), 6)
STATISTICS = Statistics(
    100.0, 150.0,
    (("@id", 7.0), ("ra", 12.0), ("dec", 14.0), ("en", 12.0), ("pos", 40.0), ("t", 10.0)),
    tuple((name, NUMBERS) for name in ("ra", "dec", "en", "pos/x", "@id")),
)  # fmt: skip


def published(name: str, at: str) -> Published:
    return Published(name, at, "xml", DTD, STATISTICS, "/photons/photon")


@st.composite
def deployments(draw: st.DrawFn, tight: bool = False) -> Deployment:
    """A backbone with cycles, thin peers at it, and a stream of photons published by one of them."""
    size = draw(st.integers(1, 6))
    capacity = draw(st.sampled_from([300.0, 900.0])) if tight else 1e9
    bandwidth = draw(st.sampled_from([9_000.0, 30_000.0])) if tight else 1e9
    peers = [Peer(f"S{number}", capacity=capacity) for number in range(size)]
    pairs = {(draw(st.integers(0, number - 1)), number) for number in range(1, size)}
    pairs |= {(a, b) for a in range(size) for b in range(a + 2, size) if draw(st.integers(0, 4)) == 0}
    links = [Link(f"S{a}", f"S{b}", bandwidth) for a, b in sorted(pairs)]
    for number in range(draw(st.integers(1, 5))):
        operators = draw(st.sampled_from([frozenset[str](), frozenset({"transform"})]))
        peers.append(Peer(f"T{number}", "thin", capacity, operators))
        links.append(Link(f"T{number}", f"S{draw(st.integers(0, size - 1))}", bandwidth))
    at = draw(st.sampled_from([peer.name for peer in peers]))
    return Deployment(Network(tuple(peers), tuple(links))).publish(published("photons", at))
