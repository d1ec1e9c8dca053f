"""What the planner considered for a subscription, and what it chose."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.globe.model import Flow, PeerName, StreamId, Task


@dataclass(frozen=True, slots=True)
class Alternative:
    """A way to compute a subscription: from which streams, where, and at what cost."""

    streams: tuple[StreamId, ...]
    at: PeerName
    cost: float

    def __str__(self) -> str:
        return f"from {', '.join(self.streams)}, computed at {self.at}: cost {self.cost:.6g}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a registration added to a deployment."""

    subscription: str
    chosen: Alternative
    others: tuple[Alternative, ...] = ()
    tasks: tuple[Task, ...] = ()
    """Tasks that are new."""
    changed: tuple[Task, ...] = ()
    """Tasks that read another stream than before, to compute a common part once."""
    flows: tuple[Flow, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.subscription}: {self.chosen}"]
        lines += [f"  {task.at}: {task.id} from {', '.join(task.inputs)}" for task in self.tasks]
        lines += [f"  {task.at}: {task.id} now from {', '.join(task.inputs)}" for task in self.changed]
        lines += [f"  {flow.stream}: {' → '.join(flow.route)}" for flow in self.flows]
        lines += [f"  not {other}" for other in self.others]
        return "\n".join(lines)
