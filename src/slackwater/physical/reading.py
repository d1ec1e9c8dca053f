"""The columns of each source that some step looks at: only those are read.

Read S (k, v, note)          k and v cross from the JVM to the kernels,
└► Filter v > 10             note stays where it is
   └► Map k
"""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.algebra.expressions import Column, Expression
from slackwater.physical.graph import Graph
from slackwater.physical.steps import (
    Filter,
    FixedWindow,
    Map,
    Negate,
    RangeWindow,
    Read,
    Since,
    SlidingWindow,
    Stamp,
    Unnest,
    When,
)


def columns_read(graph: Graph) -> dict[str, tuple[str, ...]]:
    """The columns of each source that some step looks at, in the source's order."""
    needed: list[set[str]] = [set() for _ in graph.nodes]
    for place in graph.outputs.values():
        needed[place] |= set(graph.nodes[place].schema.names)
    for place in reversed(range(len(graph.nodes))):
        node = graph.nodes[place]
        match node.step:
            case Map(columns):
                looked_at = _columns(expr for _, expr in columns)
            case Filter(predicate):
                looked_at = needed[place] | _columns([predicate])
            case Unnest(arrays=arrays, dropped=dropped):
                looked_at = (needed[place] - set(dropped)) | _columns(values for _, values in arrays)
            case When(predicate):
                looked_at = needed[place] | _columns([predicate])
            case RangeWindow() | SlidingWindow() | FixedWindow() | Negate() | Since() | Stamp():
                looked_at = needed[place]
            case _:
                looked_at = {name for source in node.inputs for name in graph.nodes[source].schema.names}
        for source in node.inputs:
            needed[source] |= looked_at & set(graph.nodes[source].schema.names)
    return {
        node.step.name: tuple(name for name in node.schema.names if name in names)
        for node, names in zip(graph.nodes, needed, strict=True)
        if isinstance(node.step, Read)
    }


def _columns(expressions: Iterable[Expression]) -> set[str]:
    return {part.name for expr in expressions for part in expr.walk() if isinstance(part, Column)}
