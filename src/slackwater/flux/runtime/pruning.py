"""Which elements no demand wants anywhere: they are taken out of the bytes before anything is parsed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from slackwater.flux.runtime.machine import Demand
from slackwater.flux.values.tree import Name
from slackwater.schema import Schema, Type
from slackwater.schema.paths import reachable
from slackwater.schema.prune import EVERYTHING, Projection, prunable
from slackwater.schema.schema import UNKNOWN


def prunable_elements(demands: Iterable[Demand], schema: Schema) -> frozenset[str]:
    """The names of elements that can be skipped; none where nothing is known of the document."""
    document = schema.document
    if not schema.is_known or any(":" in name for each in reachable(document) for name in each.names):
        return frozenset()
    (uri,) = schema.prefixes if schema.prefixes is not None and len(schema.prefixes) == 1 else ("",)
    return prunable(document, _Walk(uri).wanted(list(demands), document))


class _Walk:
    """Follows demands down the types of a schema; each set of them at each type once."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        """The namespace of all names."""
        self.found: dict[Hashable, Projection] = {}
        self.open: set[Hashable] = set()

    def wanted(self, demands: list[Demand], type: Type) -> Projection:
        if any(each.whole for each in demands) or type is UNKNOWN:
            return EVERYTHING
        key = (frozenset(each.key for each in demands), id(type))
        if key in self.open:
            return EVERYTHING
        if key not in self.found:
            self.open.add(key)
            self.found[key] = Projection(dict(self._children(demands, type)))
            self.open.discard(key)
        return self.found[key]

    def _children(self, demands: list[Demand], type: Type) -> Iterable[tuple[str, Projection]]:
        for name in type.names:
            inner = [each for demand in demands for each in demand.children(Name(name, self.uri), type)]
            if inner:
                yield name, self.wanted(inner, type.child(name) or UNKNOWN)
