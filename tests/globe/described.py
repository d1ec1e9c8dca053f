"""A deployment as a text to compare: which peer computes what, and what flows where."""

from __future__ import annotations

from slackwater.globe.model import Deployment


def described(deployment: Deployment) -> str:
    lines: list[str] = []
    for peer in deployment.network.peers:
        for task in deployment.tasks:
            if task.at == peer.name:
                lines += [f"{peer.name}: {task.id} from {', '.join((*task.inputs, *task.documents))}"]
                lines += [f"    {line}" for line in task.text.splitlines()]
    lines += [f"{flow.stream}: {' → '.join(flow.route)}" for flow in deployment.flows]
    lines += [f"{one.id} at {one.at}: {one.result}" for one in deployment.subscriptions]
    return "\n".join(lines) + "\n"
