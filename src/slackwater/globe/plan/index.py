"""The streams that flow, by what a subscription must need to be computed from them.

A stream can contain a need only if the need has all paths that the stream bounds, and all its conditions. So
streams are divided by source, then by these, and whole divisions are passed over at once; in a division the
bounds of all streams are compared as arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from slackwater.globe.model import Condition, Properties, StreamId
from slackwater.globe.properties import contains

_Signature = tuple[frozenset[str], frozenset[Condition]]
_NOTHING: dict[StreamId, Properties] = {}


class Index:
    """Streams by source and signature; results of subscriptions by what was computed."""

    def __init__(self) -> None:
        self._filtered: dict[str, dict[_Signature, _Division]] = {}
        self._computed: dict[tuple[str, str], dict[StreamId, Properties]] = {}

    def add(self, name: StreamId, properties: Properties) -> None:
        if properties.computed:
            self._computed.setdefault((properties.source, properties.computed), {})[name] = properties
            return
        signature = _signature(properties)
        divisions = self._filtered.setdefault(properties.source, {})
        if signature not in divisions:
            divisions[signature] = _Division(tuple(sorted(signature[0])))
        divisions[signature].add(name, properties)

    def remove(self, name: StreamId, properties: Properties) -> None:
        if properties.computed:
            del self._computed[properties.source, properties.computed][name]
        else:
            self._filtered[properties.source][_signature(properties)].remove(name)

    def containing(self, need: Properties) -> Iterator[StreamId]:
        """The streams that contain what is needed, as long as they keep the structure of their source."""
        paths, conditions = _signature(need)
        for (bounded, checked), division in self._filtered.get(need.source, {}).items():
            if bounded <= paths and checked <= conditions:
                yield from division.containing(need)

    def computed(self, result: Properties) -> Iterator[StreamId]:
        """The streams that are the result of an equal subscription."""
        known = self._computed.get((result.source, result.computed), _NOTHING)
        yield from (name for name, one in known.items() if contains(one, result))


class _Division:
    """Streams that bound the same paths: per path a column of least and one of greatest values."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._paths = paths
        self._streams: list[tuple[StreamId, Properties]] = []
        self._places: dict[StreamId, int] = {}
        self._bounds: NDArray[np.float64] = np.empty((4, 2 * len(paths)))

    def add(self, name: StreamId, properties: Properties) -> None:
        place = len(self._streams)
        if place == len(self._bounds):
            self._bounds = np.concatenate([self._bounds, np.empty_like(self._bounds)])
        self._bounds[place] = self._row(properties)
        self._streams.append((name, properties))
        self._places[name] = place

    def remove(self, name: StreamId) -> None:
        """The last one takes its place."""
        place, last = self._places.pop(name), self._streams.pop()
        if last[0] != name:
            self._streams[place] = last
            self._places[last[0]] = place
            self._bounds[place] = self._bounds[len(self._streams)]

    def containing(self, need: Properties) -> Iterator[StreamId]:
        wide = (self._bounds[: len(self._streams)] <= self._row(need)).all(axis=1)
        for place in np.flatnonzero(wide):
            known = self._streams[place]
            if contains(known[1], need):
                yield known[0]

    def _row(self, properties: Properties) -> NDArray[np.float64]:
        """Least values and negated greatest ones: a wider stream has less in every column."""
        ranges = dict(properties.ranges)
        known = [ranges[path] for path in self._paths]
        lows = [-np.inf if one.low is None else one.low for one in known]
        return np.array([*lows, *(-np.inf if one.high is None else -one.high for one in known)])


def _signature(properties: Properties) -> _Signature:
    return frozenset(path for path, _ in properties.ranges), frozenset(properties.conditions)
