"""What holds of every deployment."""

from __future__ import annotations

from collections import defaultdict

from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.globe.model import Deployment, Task
from slackwater.globe.plan.shipping import sharing
from slackwater.language.xquery.parse import parse


def check(deployment: Deployment) -> None:
    """Routes are of neighbours, a peer gets a stream once, tasks have their inputs, no peer is overloaded."""
    network = deployment.network
    holders = defaultdict(set, {one.id: {one.at} for one in deployment.published})
    for task in deployment.tasks:
        assert task.output not in holders, "a stream is made once"
        holders[task.output] = {task.at}
    for flow in deployment.flows:
        assert flow.route[0] in holders[flow.stream], f"{flow} begins where the stream is not"
        for sender, receiver in flow.links:
            assert network.are_neighbours(sender, receiver)
            assert receiver not in holders[flow.stream], f"{receiver} gets {flow.stream} twice"
            holders[flow.stream].add(receiver)
    work: dict[str, float] = defaultdict(float)
    for task in deployment.tasks:
        assert all(task.at in holders[name] for name in task.inputs)
        assert task.needs in network[task.at].operators
        work[task.at] += task.estimate.work
    assert all(units <= network[peer].capacity * (1 + 1e-9) for peer, units in work.items())
    for ends, used in sharing(deployment).items():
        assert used <= network.link(*ends).bandwidth * (1 + 1e-9)
    for subscription in deployment.subscriptions:
        assert subscription.at in holders[subscription.result]


def answers(deployment: Deployment, document: str) -> dict[str, str]:
    """What is delivered to each subscription when a document passes through the network."""
    tasks: dict[str, Task] = {task.output: task for task in deployment.tasks}
    streams = {one.id: document for one in deployment.published}

    def stream(name: str) -> str:
        if name not in streams:
            task = tasks[name]
            inputs = {source: read(stream(source)) for source in task.inputs}
            streams[name] = answer(parse(Text(task.id, task.text)), streams=inputs)
        return streams[name]

    return {one.id: stream(one.result) for one in deployment.subscriptions}
