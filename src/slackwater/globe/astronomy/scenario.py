"""The example of chapter 2: a satellite, a backbone of four super-peers, and three groups of astronomers.

P4 ── SP3 ── SP2 ── SP0 ── P0
              │
             SP1 ── P1, P2            P3, which does nothing, at SP2
"""

from __future__ import annotations

from pathlib import Path

from slackwater.globe.astronomy.photons import DTD
from slackwater.globe.model import (
    Deployment,
    Histogram,
    Link,
    Network,
    Peer,
    Published,
    Statistics,
    Subscription,
)

_TRANSFORMS = frozenset({"transform"})
NETWORK = Network(
    (
        *(Peer(f"SP{number}", capacity=1e6) for number in range(4)),
        *(Peer(f"P{number}", "thin", 1e4, _TRANSFORMS) for number in range(4)),
        Peer("P4", "thin", 1e4, frozenset()),
    ),
    (
        Link("SP3", "SP2", 1e7), Link("SP2", "SP0", 1e7), Link("SP2", "SP1", 1e7), Link("P4", "SP3", 2e6),
        Link("P0", "SP0", 2e6), Link("P1", "SP1", 2e6), Link("P2", "SP1", 2e6), Link("P3", "SP2", 2e6),
    ),
)  # fmt: skip
"""Figure 2.1. The satellite computes nothing itself; the other thin peers can transform what they receive."""

SUBSCRIPTIONS = (("Vela", "P0"), ("RXJ", "P2"), ("RXJ-alert", "P2"), ("Bursts", "P1"))
"""The subscriptions of chapter 2, in the order in which they are registered, and where."""

ONE_OF = 10
"""Of so many photons of the satellite, two come from Vela: see `photons`."""
_SIZES = (
    ("ra", 18.0), ("dec", 19.0), ("pos_error", 31.0), ("phc", 14.0), ("en", 15.0), ("field_id", 25.0),
    ("det_time", 30.0), ("dx", 14.0), ("dy", 14.0),
)  # fmt: skip
_HISTOGRAMS = (
    ("ra", Histogram((0.0, 46.0, 89.8, 128.3, 132.5, 137.5, 180.1, 225.2, 271.3, 316.5, 360.0))),
    ("dec", Histogram((-89.9, -49.0, -46.4, -44.4, -30.4, -14.5, -0.1, 14.5, 30.4, 49.2, 89.9))),
    ("en", Histogram((0.1, 0.13, 0.17, 0.21, 0.26, 0.32, 0.39, 0.48, 0.61, 0.86, 2.4))),
    ("det_time", Histogram((0.0, 86_400.0))),
)
STATISTICS = Statistics(4.0, 200.0, _SIZES, _HISTOGRAMS)
"""Of generated photons."""


def photons_at(peer: str = "P4", statistics: Statistics = STATISTICS, location: str = "") -> Published:
    """The stream of photons, published by the satellite."""
    schema = DTD.read_text(encoding="utf-8")
    return Published("photons", peer, "xml", schema, statistics, "/photons/photon", location=location)


def archive_at(peer: str = "SP3", items: int = 5_000, location: str = "") -> Published:
    """The photons of earlier orbits, held by the super-peer of the satellite."""
    statistics = Statistics(items, STATISTICS.bytes_per_item, _SIZES, _HISTOGRAMS)
    schema = DTD.read_text(encoding="utf-8")
    return Published("photons_db", peer, "xml", schema, statistics, "/photons/photon", "document", location)


def query(name: str) -> str:
    """The text of one of the subscriptions."""
    return Path(__file__).with_name(f"{name.lower()}.xq").read_text(encoding="utf-8")


def subscriptions() -> tuple[Subscription, ...]:
    """All four, to be registered in this order."""
    return tuple(Subscription(name, peer, "xquery", query(name)) for name, peer in SUBSCRIPTIONS)


def deployment() -> Deployment:
    """The network with what is published in it, before anybody subscribes."""
    return Deployment(NETWORK).publish(photons_at(), archive_at())
