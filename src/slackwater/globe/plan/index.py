"""The streams that flow, by what a subscription must need to be computed from them.

A stream can contain a need only if the need has all paths that the stream bounds, and all its conditions. So
streams are divided by source, then by these, and whole divisions are passed over at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.globe.model import Condition, Properties, StreamId
from slackwater.globe.properties import contains

_Signature = tuple[frozenset[str], frozenset[Condition]]
_NOTHING: dict[StreamId, Properties] = {}


class Index:
    """Streams by source and signature; results of subscriptions by what was computed."""

    def __init__(self) -> None:
        self._filtered: dict[str, dict[_Signature, dict[StreamId, Properties]]] = {}
        self._computed: dict[tuple[str, str], dict[StreamId, Properties]] = {}

    def add(self, name: StreamId, properties: Properties) -> None:
        self._division(properties)[name] = properties

    def remove(self, name: StreamId, properties: Properties) -> None:
        del self._division(properties)[name]

    def containing(self, need: Properties) -> Iterator[StreamId]:
        """The streams that contain what is needed, as long as they keep the structure of their source."""
        paths, conditions = _signature(need)
        for (bounded, checked), division in self._filtered.get(need.source, {}).items():
            if bounded <= paths and checked <= conditions:
                yield from (name for name, known in division.items() if contains(known, need))

    def computed(self, result: Properties) -> Iterator[StreamId]:
        """The streams that are the result of an equal subscription."""
        known = self._computed.get((result.source, result.computed), _NOTHING)
        yield from (name for name, one in known.items() if contains(one, result))

    def _division(self, properties: Properties) -> dict[StreamId, Properties]:
        if properties.computed:
            return self._computed.setdefault((properties.source, properties.computed), {})
        return self._filtered.setdefault(properties.source, {}).setdefault(_signature(properties), {})


def _signature(properties: Properties) -> _Signature:
    return frozenset(path for path, _ in properties.ranges), frozenset(properties.conditions)
