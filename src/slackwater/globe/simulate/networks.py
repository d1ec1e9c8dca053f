"""Random networks: one subnet, several that are linked, or one that is split again and again."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from slackwater.globe.model import Link, Network, Peer, PeerName
from slackwater.globe.protocol.membership import Sizes

Shape = Literal["one", "linked", "split"]
SHAPES: tuple[Shape, ...] = ("one", "linked", "split")


@dataclass(frozen=True, slots=True)
class Size:
    """How large a scenario is at most, and how long its faults last, in simulated seconds."""

    supers: int = 4
    thins: int = 4
    subscriptions: int = 4
    epochs: int = 12
    faults: int = 4
    seconds: float = 60.0
    quiet: float = 60.0
    windows: bool = False
    shape: Shape = "one"


def several(shape: Shape, *, windows: bool = False) -> Size:
    """The size of a scenario of this shape: with several subnets it takes longer until all is settled."""
    if shape == "one":
        return Size(windows=windows)
    if shape == "linked":
        return Size(3, 2, quiet=120.0, windows=windows, shape=shape)
    return Size(6, 5, quiet=120.0, windows=windows, shape=shape)


@dataclass(frozen=True, slots=True)
class Layout:
    """Peers with their links, where each may join, and how large subnets are."""

    network: Network
    contacts: dict[PeerName, tuple[PeerName, ...]]
    sizes: Sizes


def layout_of(random: Random, size: Size) -> Layout:
    """A random network of a shape."""
    if size.shape == "one":
        network = network_of(random, size)
        return Layout(network, _contacts(network), Sizes(1, 64))
    if size.shape == "split":
        network = network_of(random, size)
        return Layout(network, _contacts(network), Sizes(random.choice((1, 2)), random.randrange(3, 6)))
    subnets = [network_of(random, size, prefix) for prefix in "ABC"[: random.choice((2, 2, 3))]]
    network = Network(
        tuple(peer for one in subnets for peer in one.peers),
        (*(link for one in subnets for link in one.links), *_borders(random, subnets)),
    )
    return Layout(network, {name: some for one in subnets for name, some in _contacts(one).items()}, Sizes())


def _contacts(network: Network) -> dict[PeerName, tuple[PeerName, ...]]:
    """The first peer begins a subnet, the others join through its super-peers."""
    supers = [one.name for one in network.peers if one.kind == "super"]
    first = network.peers[0].name
    return {
        peer.name: () if peer.name == first else tuple(name for name in supers if name != peer.name)
        for peer in network.peers
    }


def _borders(random: Random, subnets: list[Network]) -> list[Link]:
    """Links between each subnet and one before it, and some more."""
    pairs = [(subnets[random.randrange(place)], subnets[place]) for place in range(1, len(subnets))]
    pairs += [tuple(random.sample(subnets, 2)) for _ in range(random.randrange(3))]  # type: ignore[misc]
    ends = {
        tuple(sorted((random.choice(one.peers).name, random.choice(other.peers).name)))
        for one, other in pairs
    }
    return [Link(a, b, 1e7) for a, b in sorted(ends)]


def network_of(random: Random, size: Size, prefix: str = "") -> Network:
    """Super-peers in a tree with some more links, thin peers at one or two of them."""
    supers = [f"{prefix}S{number}" for number in range(random.randrange(2, size.supers + 1))]
    links = {(supers[random.randrange(place)], supers[place]) for place in range(1, len(supers))}
    for _ in range(random.randrange(3)):
        a, b = sorted(random.sample(supers, 2))
        links.add((a, b))
    thins = [f"{prefix}T{number}" for number in range(random.randrange(1, size.thins + 1))]
    for thin in thins:
        links |= {(one, thin) for one in random.sample(supers, random.choice((1, 1, 2)))}
    peers = [Peer(name, capacity=float(random.randrange(10**5, 10**6))) for name in supers]
    peers += [Peer(name, "thin", 1e4, frozenset({"transform"})) for name in thins]
    return Network(tuple(peers), tuple(Link(a, b, 1e7) for a, b in sorted(links)))
