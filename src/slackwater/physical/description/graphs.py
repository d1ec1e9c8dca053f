"""Steps and graphs in descriptions, and the names of steps' states."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from slackwater.algebra.patterns import Skip
from slackwater.base.depth import deep
from slackwater.physical import steps
from slackwater.physical.description.expressions import (
    AGGREGATION,
    DIMENSION,
    EXPRESSION,
    OVER_CALL,
    POINTS,
    SCHEMA,
    SORT_KEY,
    TYPE,
)
from slackwater.physical.description.forms import (
    NAMES,
    PLAIN,
    Data,
    Field,
    Form,
    Shape,
    Unreadable,
    many,
    optional,
    pair,
    table,
)
from slackwater.physical.description.patterns import PATTERN, ROW_READ
from slackwater.physical.graph import Graph, Node

VERSION = 1
"""The version of descriptions. A later one reads the earlier ones; an earlier one refuses the later ones."""


_LATER = ("closing", "delay")
"""Fields that descriptions of earlier versions do not have."""
_CLOSING = Form(lambda closing: [closing.column, closing.delay], lambda data: steps.Closing(*data))


def _shape(kind: type[steps.Step], **fields: Form) -> Shape:
    """A step whose attributes have the names that they have in descriptions."""
    return Shape(kind, {name: Field(name, form, name in _LATER) for name, form in fields.items()})


def _node_data(node: Node) -> Data:
    return {"step": _STEP.write(node.step), "inputs": list(node.inputs), "schema": SCHEMA.write(node.schema)}


def _node_of(data: Data) -> Node:
    return Node(_STEP.read(data["step"]), tuple(data["inputs"]), SCHEMA.read(data["schema"]))


NODES = many(Form(_node_data, _node_of))
STEPS = {
    "read": Shape(
        steps.Read,
        {"source": Field("name"), "schema": Field("schema", SCHEMA), "changelog": Field("is_changelog")},
    ),
    "apply": Shape(steps.Apply, {"source": Field("name"), "key": Field("key", NAMES)}),
    "since": _shape(steps.Since, begin=PLAIN),
    "alive since": _shape(steps.AliveSince, begin=PLAIN),
    "once": _shape(steps.Once, begin=PLAIN),
    "filter": _shape(steps.Filter, predicate=EXPRESSION),
    "map": _shape(steps.Map, columns=many(pair(PLAIN, EXPRESSION))),
    "unnest": Shape(
        steps.Unnest,
        {
            "arrays": Field("arrays", many(pair(PLAIN, EXPRESSION))),
            "ordinal": Field("ordinal"),
            "keeps": Field("keeps"),
            "dropped": Field("dropped", NAMES),
            "fields": Field("fields", NAMES, is_later=True),
        },
    ),
    "live": _shape(steps.RangeWindow, duration=PLAIN, slide=PLAIN, begin=PLAIN),
    "live for": _shape(steps.SlidingWindow, size=PLAIN),
    "live until next": _shape(steps.FixedWindow, size=PLAIN),
    "newest": _shape(steps.RowWindow, count=PLAIN, slide=PLAIN, partition=NAMES, within=PLAIN),
    "newest of each": _shape(
        steps.NestedRowWindows, windows=many(pair(PLAIN, PLAIN)), slide=PLAIN, partition=NAMES, column=PLAIN
    ),
    "in session": _shape(steps.SessionWindow, gap=PLAIN, partition=NAMES),
    "assign": _shape(
        steps.Assign,
        time=EXPRESSION,
        size=PLAIN,
        step=PLAIN,
        offset=PLAIN,
        cumulates=PLAIN,
        start=PLAIN,
        end=PLAIN,
    ),
    "sessions": _shape(
        steps.Sessions, time=EXPRESSION, gap=PLAIN, keys=NAMES, start=PLAIN, end=PLAIN, delay=PLAIN
    ),
    "together": _shape(steps.Union),
    "negate": _shape(steps.Negate),
    "match": _shape(
        steps.Join,
        left=NAMES,
        right=NAMES,
        null_safe=PLAIN,
        condition=optional(EXPRESSION),
        closing=_CLOSING,
    ),
    "best match": _shape(
        steps.BestMatch, left=NAMES, right=NAMES, condition=optional(EXPRESSION), dimensions=many(DIMENSION)
    ),
    "best": _shape(steps.Best, group=NAMES, dimensions=many(DIMENSION)),
    "count": _shape(steps.Count, copies=PLAIN, closing=_CLOSING),
    "at most one": _shape(steps.AtMostOne, key=NAMES),
    "aggregate": _shape(steps.Aggregate, keys=NAMES, calls=many(pair(PLAIN, AGGREGATION)), closing=_CLOSING),
    "over": _shape(
        steps.Over,
        partition=NAMES,
        order=many(SORT_KEY),
        calls=many(pair(PLAIN, OVER_CALL)),
        limit=optional(pair(PLAIN, PLAIN)),
        closing=_CLOSING,
    ),
    "changed": _shape(steps.Changed, sign=PLAIN),
    "repeat": _shape(steps.Repeat),
    "ticks": _shape(steps.Ticks, points=POINTS, begin=PLAIN),
    "stamp": _shape(steps.Stamp, column=PLAIN, type=TYPE),
    "when": _shape(steps.When, predicate=EXPRESSION, points=POINTS, begin=PLAIN),
    "recognize": _shape(
        steps.Recognize,
        partition=NAMES,
        pattern=PATTERN,
        reads=many(pair(PLAIN, ROW_READ)),
        conditions=many(pair(PLAIN, EXPRESSION)),
        plain=NAMES,
        measures=many(pair(PLAIN, EXPRESSION)),
        skip=Form(str, Skip),
        target=PLAIN,
        within=PLAIN,
    ),
    "recursion": _shape(steps.Recursion, body=NODES, distinct=PLAIN, grows=PLAIN),
    "synchronize": _shape(steps.Synchronize, points=POINTS),
}
_STEP = table("step", STEPS)


@deep()
def described(graph: Graph) -> dict[str, Any]:
    """The graph as data for JSON."""
    nodes = [
        {
            "state": name,
            "step": _STEP.write(node.step),
            "inputs": list(node.inputs),
            "schema": SCHEMA.write(node.schema),
        }
        for node, name in zip(graph.nodes, state_names(graph), strict=True)
    ]
    return {
        "version": VERSION,
        "begin": graph.begin,
        "changelogs": sorted(graph.changelogs),
        "steps": nodes,
        "outputs": dict(graph.outputs),
    }


@deep()
def graph_of(data: dict[str, Any]) -> Graph:
    """The graph of a description; raises Unreadable. Its steps have no origins."""
    version = data.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise Unreadable(f"version {version} of plans; this slackwater reads up to version {VERSION}")
    graph = Graph(begin=data["begin"], changelogs=frozenset(data["changelogs"]))
    for node in data["steps"]:
        step = _STEP.read(node["step"])
        place = graph.add(step, tuple(node["inputs"]), SCHEMA.read(node["schema"]))
        graph.names[place] = node["state"]
    graph.outputs = dict(data["outputs"])
    return graph


@deep()
def state_names(graph: Graph) -> list[str]:
    """The names of the steps' states. A step has the same name in every graph that computes the same.

    A name is a digest of the step and of all before it. One that was read with a description stays, even
    if this version would describe the step in another way.
    """
    for place, node in enumerate(graph.nodes):
        if place not in graph.names:
            inputs = [graph.names[source] for source in node.inputs]
            content = [_STEP.write(node.step), inputs, SCHEMA.write(node.schema)]
            text = json.dumps(content, sort_keys=True, separators=(",", ":"))
            graph.names[place] = hashlib.sha256(text.encode()).hexdigest()[:20]
    return [graph.names[place] for place in range(len(graph.nodes))]
