"""A subscription in parts: what it needs of each stream, and what it computes from that.

filter     the records and parts that are needed      reducing, keeps the structure of the stream
rest       the subscription over them                 a transformation, an aggregate or a join
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from slackwater.base.diagnostic import QueryError, SlackwaterError, did_you_mean
from slackwater.globe.model import Format, Properties, Published, StreamId, Subscription
from slackwater.globe.properties import WHOLE
from slackwater.globe.split import problems, rows, xml
from slackwater.globe.split.outline import Outline


class _Language(Protocol):
    """What a language knows of its own texts: a module."""

    def needs(
        self, text: str, name: str, published: Mapping[StreamId, Published], /
    ) -> tuple[tuple[Properties, ...], tuple[StreamId, ...], Outline]: ...

    def filter_text(
        self, need: Properties, name: StreamId, stream: Properties, published: Published, /
    ) -> str: ...

    def rest_text(
        self,
        text: str,
        streams: Mapping[StreamId, tuple[StreamId, Properties]],
        published: Mapping[StreamId, Published],
        /,
    ) -> str: ...

    def names(self, schema: str, record: str, /) -> tuple[str, ...]: ...

    def sources(self, text: str, /) -> tuple[StreamId, ...]: ...


_LANGUAGES: Mapping[Format, _Language] = {"xml": xml, "rows": rows}


@dataclass(frozen=True, slots=True)
class Parts:
    """What a subscription needs of the streams it reads, and its result."""

    needs: tuple[Properties, ...]
    result: Properties
    outline: Outline
    documents: tuple[StreamId, ...] = ()


@dataclass(frozen=True, slots=True)
class Input:
    """A stream that a part reads: its name, and what it contains."""

    name: StreamId
    properties: Properties


def parts_of(subscription: Subscription, published: Mapping[StreamId, Published]) -> Parts:
    """The parts of a subscription; raises QueryError where it is wrong, or reads what is not published."""
    if subscription.need is not None:
        if subscription.need.source not in published:
            problem = problems.UNKNOWN_STREAM.at(where=subscription.id, name=subscription.need.source)
            raise QueryError(problem)
        return Parts((subscription.need,), subscription.need, Outline())
    language = _LANGUAGES["xml" if subscription.language == "xquery" else "rows"]
    needs, documents, outline = language.needs(subscription.text, subscription.id, published)
    for name in (*(need.source for need in needs), *documents):
        if name not in published:
            hint = did_you_mean(name, published)
            raise QueryError(problems.UNKNOWN_STREAM.at(where=subscription.id, name=name, hint=hint))
    if not needs:
        raise QueryError(problems.NO_STREAM.at(where=subscription.id))
    needs = tuple(in_order(need, published[need.source]) for need in needs)
    whole = (
        needs[0] if len(needs) == 1 else Properties("+".join(need.source for need in needs), needs[0].format)
    )
    return Parts(needs, replace(whole, computed=subscription.text), outline, documents)


def sources_of(subscription: Subscription) -> tuple[StreamId, ...]:
    """The names of what a subscription reads, whether published or not; none where it is no query."""
    if subscription.need is not None:
        return (subscription.need.source,)
    return _sources("xml" if subscription.language == "xquery" else "rows", subscription.text)


@lru_cache(maxsize=4096)
def _sources(format: Format, text: str) -> tuple[StreamId, ...]:
    try:
        return _LANGUAGES[format].sources(text)
    except SlackwaterError:
        return ()


def raw(published: Published) -> Properties:
    """What a published stream contains: everything."""
    return Properties(published.id, published.format)


def filter_text(need: Properties, stream: Input, published: Mapping[StreamId, Published]) -> str:
    """The query that makes what is needed of a stream that contains it."""
    return _LANGUAGES[need.format].filter_text(need, stream.name, stream.properties, published[need.source])


def rest_text(
    result: Properties, inputs: Mapping[StreamId, Input], published: Mapping[StreamId, Published]
) -> str:
    """The subscription over streams that contain what it needs, by the published stream that each is of."""
    streams = {source: (stream.name, stream.properties) for source, stream in inputs.items()}
    return _LANGUAGES[result.format].rest_text(result.computed, streams, published)


def in_order(need: Properties, published: Published) -> Properties:
    """The parts in the order of the schema, so that filtered records have it, too."""
    order = {name: place for place, name in enumerate(names_of(published))}
    last = len(order)
    if need.format == "rows" and order.keys() <= {*need.parts}:
        return replace(need, parts=(WHOLE,))
    return replace(need, parts=tuple(sorted(need.parts, key=lambda part: order.get(part, last))))


def names_of(published: Published) -> tuple[str, ...]:
    """The parts of a record, in the order of the schema."""
    return _names(published.format, published.schema, published.record)


@lru_cache(maxsize=1024)
def _names(format: Format, schema: str, record: str) -> tuple[str, ...]:
    return _LANGUAGES[format].names(schema, record)
