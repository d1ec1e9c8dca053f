"""Elements on which there is no demand anywhere: they are cut out of the bytes before parsing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from slackwater.flux.runtime.demands import Demand
from slackwater.flux.values.tree import Name
from slackwater.schema import Schema, Type
from slackwater.schema.paths import reachable
from slackwater.schema.prune import EVERYTHING, Projection, prunable
from slackwater.schema.schema import UNKNOWN


def prunable_elements(demands: Iterable[Demand], schema: Schema) -> frozenset[str]:
    """The names of elements that can be skipped; none where there is no schema."""
    document = schema.document
    if not schema.is_known or any(":" in name for type_ in reachable(document) for name in type_.names):
        return frozenset()
    (uri,) = schema.prefixes if schema.prefixes is not None and len(schema.prefixes) == 1 else ("",)
    return prunable(document, _Walk(uri).projection(list(demands), document))


class _Walk:
    """Follows demands down the types of a schema; each set of demands at each type once."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        """The namespace of all names."""
        self.cache: dict[Hashable, Projection] = {}
        self.open: set[Hashable] = set()

    def projection(self, demands: list[Demand], type: Type) -> Projection:
        if any(demand.whole for demand in demands) or type is UNKNOWN:
            return EVERYTHING
        key = (frozenset(demand.key for demand in demands), id(type))
        if key in self.open:
            return EVERYTHING
        if key not in self.cache:
            self.open.add(key)
            self.cache[key] = Projection(dict(self._children(demands, type)))
            self.open.discard(key)
        return self.cache[key]

    def _children(self, demands: list[Demand], type: Type) -> Iterable[tuple[str, Projection]]:
        for name in type.names:
            inner = [
                child_demand
                for demand in demands
                for child_demand in demand.children(Name(name, self.uri), type)
            ]
            if inner:
                yield name, self.projection(inner, type.child(name) or UNKNOWN)
