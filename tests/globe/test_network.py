"""Routes of networks."""

from __future__ import annotations

from collections import deque

from hypothesis import given

from globe.networks import deployments
from slackwater.globe.model import Deployment, Link, Network, Peer


def network(*links: str) -> Network:
    pairs = [link.split("-") for link in links]
    names = sorted({name for pair in pairs for name in pair})
    return Network(tuple(map(Peer, names)), tuple(Link(a, b) for a, b in pairs))


def test_equally_short_routes_come_in_the_order_of_names() -> None:
    square = network("A-B", "A-C", "B-D", "C-D", "D-E")
    assert square.routes("A", "E") == (("A", "B", "D", "E"), ("A", "C", "D", "E"))
    assert square.routes("A", "E", 1) == (("A", "B", "D", "E"),)
    assert square.routes("A", "A") == (("A",),)


def test_no_route_leads_to_another_part_of_a_network() -> None:
    parts = network("A-B", "C-D")
    assert parts.routes("A", "C") == ()
    assert parts.distance("A", "C") is None


def test_a_network_without_a_peer_has_no_link_to_it() -> None:
    rest = network("A-B", "B-C", "A-D", "D-C").without({"B"})
    assert rest.routes("A", "C") == (("A", "D", "C"),)
    assert "B" not in rest


@given(deployments())
def test_distances_are_those_of_a_search_through_all_peers(deployment: Deployment) -> None:
    known = deployment.network
    for start in known.peers:
        hops, waiting = {start.name: 0}, deque([start.name])
        while waiting:
            name = waiting.popleft()
            for other in known.neighbours(name):
                if other not in hops:
                    hops[other] = hops[name] + 1
                    waiting.append(other)
        for end in known.peers:
            assert known.distance(start.name, end.name) == hops.get(end.name)
            for route in known.routes(start.name, end.name):
                assert len(route) == hops[end.name] + 1 == len({*route})
                assert (route[0], route[-1]) == (start.name, end.name)
