"""Subscriptions in CQL: their parts as texts."""

from __future__ import annotations

from collections.abc import Mapping

from slackwater.globe.model import Properties, Published, StreamId
from slackwater.globe.split.outline import Outline


def needs(
    text: str, name: str, published: Mapping[StreamId, Published]
) -> tuple[tuple[Properties, ...], tuple[StreamId, ...], Outline]:
    raise NotImplementedError


def filter_text(need: Properties, name: StreamId, stream: Properties, published: Published) -> str:
    raise NotImplementedError


def rest_text(
    text: str,
    streams: Mapping[StreamId, tuple[StreamId, Properties]],
    published: Mapping[StreamId, Published],
) -> str:
    raise NotImplementedError


def names(schema: str, record: str) -> tuple[str, ...]:
    raise NotImplementedError
