"""A name for what a stream contains: the same for equal properties, however they are ordered."""

from __future__ import annotations

import hashlib

from slackwater.globe.model import Properties, StreamId

_DIGITS = 12


def fingerprint(properties: Properties) -> str:
    """A short text that equal properties have in common."""
    conditions = sorted(one.text for one in properties.conditions)
    ranges = sorted((path, repr(one)) for path, one in properties.ranges)
    known = (properties.source, properties.format, ranges, conditions, sorted(properties.parts))
    return hashlib.sha256(repr((*known, properties.computed)).encode()).hexdigest()[:_DIGITS]


def crossing_name(need: Properties) -> StreamId:
    """The name of a part of a stream between subnets: the same wherever the same part is needed."""
    return f"{need.source}@{fingerprint(need)}"
