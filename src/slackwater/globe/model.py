"""What is published in a network of peers, what runs where, and what flows between them.

P4 ──► SP3 ──► SP2 ──► SP0 ──► P0        peers, and the links between neighbours
       filter           transform       tasks, each at a peer
       ═══════ vela-filter ═════►       a flow: one stream along neighbours
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from slackwater.globe.network import Link, Network, Peer, PeerName

StreamId = str
Language = Literal["xquery", "cql"]
Format = Literal["xml", "rows", "wasm"]

__all__ = [
    "Condition", "Deployment", "Estimate", "Flow", "Format", "Histogram", "Language", "Link", "Network",
    "Peer", "PeerName", "Properties", "Published", "Range", "Statistics", "StreamId", "Subscription", "Task",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Histogram:
    """How the numbers of a path or column are distributed: quantiles, from the least to the greatest value.

    Between two neighbouring quantiles lie equally many values, evenly spread.
    """

    quantiles: tuple[float, ...]
    distinct: int | None = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a stream carries: items a second, bytes of an item, and of its parts (by path or column)."""

    items_per_second: float
    bytes_per_item: float
    sizes: tuple[tuple[str, float], ...] = ()
    histograms: tuple[tuple[str, Histogram], ...] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """A stream that a peer feeds into the network, a document that it holds, or a module of functions."""

    id: StreamId
    at: PeerName
    format: Format
    schema: str
    """XML: a DTD. Rows: the declaration of the stream in CQL. A module: its bytes, in base 64."""
    statistics: Statistics
    record: str = ""
    """XML: the path of a record, as `/photons/photon`."""
    kind: Literal["stream", "document", "module"] = "stream"
    location: str = ""
    """Where its peer reads it: a file or folder, of no concern to others."""
    origin: PeerName = ""
    """The peer that publishes it, if `at` is the subnet that it comes from."""


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds on the numbers of a path or column. `None` is no bound."""

    low: float | None = None
    high: float | None = None
    includes_low: bool = False
    includes_high: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one record that is no range, as text, and the parts of the record that it reads.

    In XQuery the record is `$p`; in CQL its columns are named.
    """

    text: str
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Properties:
    """What a stream contains: the part of a published stream, or what a query computed from it.

    A stream without `computed` has the structure of its source: the records in all `ranges` that satisfy all
    `conditions`, with only these `parts` (`"."` is the whole record). Otherwise `computed` is the text of the
    query over that part, and only an equal query can use its result.
    """

    source: StreamId
    format: Format
    ranges: tuple[tuple[str, Range], ...] = ()
    conditions: tuple[Condition, ...] = ()
    parts: tuple[str, ...] = (".",)
    computed: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a stream is expected to carry, and the work that computing it takes, in units a second."""

    items_per_second: float
    bytes_per_second: float
    work: float = 0.0


@dataclass(frozen=True, slots=True)
class Task:
    """A query or operator that a peer computes over streams that it has; its result is the stream `output`.

    `language`: XQuery or CQL; `operator`: the name of an installed operator; `forward`: the input as it is.
    """

    id: str
    at: PeerName
    language: Literal["xquery", "cql", "operator", "forward"]
    text: str
    inputs: tuple[StreamId, ...]
    output: StreamId
    properties: Properties
    estimate: Estimate
    needs: str = "query"
    """The capability that its peer must have: `filter`, `transform`, `aggregate`, `join`, `query`."""
    documents: tuple[StreamId, ...] = ()
    """The documents it reads, at its own peer."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A stream that is sent along neighbours, from a peer that has it. No link carries a stream twice."""

    stream: StreamId
    route: tuple[PeerName, ...]

    @property
    def links(self) -> tuple[tuple[PeerName, PeerName], ...]:
        """The pairs of neighbours that it passes, in order."""
        return tuple(zip(self.route, self.route[1:], strict=False))


@dataclass(frozen=True, slots=True)
class Subscription:
    """A query that is registered at a peer; its result is delivered there."""

    id: str
    at: PeerName
    language: Language
    text: str
    result: StreamId = ""
    """The stream that is delivered: set by registering."""
    need: Properties | None = None
    """In place of a query: the part of a stream that a neighbouring subnet gets at this peer."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """What runs in a network: every task, every flow, and what they are for."""

    network: Network
    published: tuple[Published, ...] = ()
    tasks: tuple[Task, ...] = ()
    flows: tuple[Flow, ...] = ()
    subscriptions: tuple[Subscription, ...] = ()

    def publish(self, *streams: Published) -> Deployment:
        """With more streams or documents published."""
        return replace(self, published=(*self.published, *streams))
