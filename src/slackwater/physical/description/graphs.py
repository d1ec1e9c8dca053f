"""Graphs in descriptions, and the names of steps' states."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from slackwater.base.depth import deep
from slackwater.physical.description.forms import Unreadable
from slackwater.physical.description.steps import node_data, node_of
from slackwater.physical.graph import Graph

VERSION = 1
"""The version of descriptions. A later one reads the earlier ones; an earlier one refuses the later ones."""


@deep()
def described(graph: Graph) -> dict[str, Any]:
    """The graph as data for JSON."""
    nodes = [
        {"state": name, **node_data(node)} for node, name in zip(graph.nodes, state_names(graph), strict=True)
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
        read = node_of(node)
        place = graph.add(read.step, read.inputs, read.schema)
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
            data = node_data(node)
            content = [data["step"], inputs, data["schema"]]
            text = json.dumps(content, sort_keys=True, separators=(",", ":"))
            graph.names[place] = hashlib.sha256(text.encode()).hexdigest()[:20]
    return [graph.names[place] for place in range(len(graph.nodes))]
