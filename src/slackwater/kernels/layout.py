"""The state layout of each step."""

from __future__ import annotations

from slackwater.kernels import aggregates, joins, relations, streams, sweep, synchronization
from slackwater.kernels.bestmatch import best, match
from slackwater.kernels.compiled import calls_of
from slackwater.kernels.over import over
from slackwater.kernels.patterns import recognize
from slackwater.kernels.recursion import anew, changes
from slackwater.kernels.state import Retention
from slackwater.kernels.windows import by_time, rows, session, session_starts, sessions
from slackwater.physical import steps
from slackwater.physical.graph import Node


def state_layout(node: Node) -> dict[str, Retention]:
    """The frames of a step's state."""
    match node.step:
        case steps.Apply() as step:
            return relations.state_layout(node.schema.names, step.key)
        case steps.AliveSince():
            return relations.SINCE_LAYOUT
        case steps.RangeWindow():
            return by_time.STATE_LAYOUT
        case steps.RowWindow() as step:
            return rows.state_layout(step.partition, node.schema)
        case steps.NestedRowWindows() as step:
            return rows.state_layout(step.partition, node.schema)
        case steps.SessionWindow() as step:
            return session.state_layout(step.partition, node.schema.names)
        case steps.Sessions(end="") as step:
            return session_starts.state_layout(step.keys)
        case steps.Sessions() as step:
            return sessions.state_layout(step.keys, node.schema.names[:-2])
        case steps.Join() as step:
            return joins.state_layout(step.left, step.right, closes=step.closing is not None)
        case steps.BestMatch() as step:
            return match.state_layout(step.left, step.right)
        case steps.Best() as step:
            return best.state_layout(step.group)
        case steps.Count():
            return sweep.state_layout(node.schema.names)
        case steps.AtMostOne() as step:
            return sweep.state_layout(step.key)
        case steps.Aggregate() as step:
            return aggregates.state_layout(step.keys, calls_of(step))
        case steps.Over() as step:
            row = [name for name in node.schema.names if name not in dict(step.calls)]
            return over.state_layout(row, step.partition)
        case steps.Changed():
            return streams.STATE_LAYOUT
        case steps.Repeat():
            return sweep.state_layout(node.schema.names)
        case steps.Recognize() as step:
            return recognize.state_layout(step.partition)
        case steps.Recursion() as step:
            layout = changes.state_layout if step.derivation else anew.state_layout
            return layout(len(node.inputs))
        case steps.Synchronize() if len(node.inputs) == 2:
            return synchronization.held_layout(node.schema.names)
        case steps.When() | steps.Synchronize():
            return by_time.STATE_LAYOUT
        case _:
            return {}
