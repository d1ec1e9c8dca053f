"""Tests of names: whether an element, or one inside it, has the name that a query gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from slackwater.flux.compile.context import StaticContext
from slackwater.flux.values.tree import Name
from slackwater.schema import Type
from slackwater.schema.paths import holds


@cache
def _fitting(pattern: str, uri: str) -> Callable[[Name], bool]:
    prefix, _, local = pattern.rpartition(":")
    if pattern == "*":
        return lambda name: True
    if prefix == "*":
        return lambda name: name.local == local
    if local == "*":
        return lambda name: name.uri == uri
    return lambda name: name.local == local and name.uri == uri


def fits(pattern: str, static: StaticContext, *, is_element: bool = True) -> Callable[[Name], bool]:
    """Whether a name matches a name test of the query, such as `a`, `p:a`, `*:a` or `*`."""
    prefix, colon, _ = pattern.rpartition(":")
    default = static.namespaces.get("", "") if is_element else ""
    uri = static.namespaces.get(prefix, "") if colon and prefix != "*" else default
    return _fitting(pattern, uri)


def may_hold(type: Type | None, pattern: str) -> bool:
    """Whether an element of this type may hold one of this name, at any depth, as far as the schema says."""
    return type is None or not type.is_known or "*" in pattern or holds(type, pattern)
