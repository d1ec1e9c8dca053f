"""Plans as data: a graph of steps in JSON, with names that outlive those of classes, and back."""

from slackwater.physical.description.forms import Unreadable
from slackwater.physical.description.graphs import VERSION, described, graph_of, state_names

__all__ = ["VERSION", "Unreadable", "described", "graph_of", "state_names"]
