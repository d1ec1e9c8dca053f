"""Traffic by strategy: what links carry when data is shipped, when queries are, and when streams are shared.

data shipping     each subscriber gets the published streams, and computes everything itself
query shipping    each subscription is computed where the data is, and its result is sent to the subscriber
sharing           a deployment of this package
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from slackwater.globe.model import Deployment, PeerName, Published, Subscription
from slackwater.globe.plan.estimate import of_published, of_result
from slackwater.globe.split import Parts, parts_of

Traffic = dict[tuple[PeerName, PeerName], float]
"""Bytes a second, by link."""


def sharing(deployment: Deployment) -> Traffic:
    """The traffic of a deployment."""
    bytes_per_second = {one.id: of_published(one).bytes_per_second for one in deployment.published}
    bytes_per_second |= {task.output: task.estimate.bytes_per_second for task in deployment.tasks}
    traffic: Traffic = defaultdict(float)
    for flow in deployment.flows:
        _send(traffic, flow.route, bytes_per_second[flow.stream])
    return dict(traffic)


def data_shipping(deployment: Deployment) -> Traffic:
    """The traffic if every subscriber got the streams themselves."""
    published = {one.id: one for one in deployment.published}
    traffic: Traffic = defaultdict(float)
    for subscription in deployment.subscriptions:
        for need in parts_of(subscription, published).needs:
            source = published[need.source]
            route = deployment.network.routes(source.at, subscription.at, 1)[0]
            _send(traffic, route, of_published(source).bytes_per_second)
    return dict(traffic)


def query_shipping(deployment: Deployment) -> Traffic:
    """The traffic if every subscription ran by itself at the first peer on its route that can compute it."""
    published = {one.id: one for one in deployment.published}
    traffic: Traffic = defaultdict(float)
    for subscription in deployment.subscriptions:
        _ship(traffic, deployment, subscription, parts_of(subscription, published), published)
    return dict(traffic)


def _ship(
    traffic: Traffic, deployment: Deployment, subscription: Subscription, parts: Parts,
    published: Mapping[str, Published],
) -> None:  # fmt: skip
    network, documents = deployment.network, [published[name] for name in parts.documents]
    for need in parts.needs:
        source = published[need.source]
        via = documents[0].at if documents else subscription.at
        route = network.routes(source.at, via, 1)[0] + network.routes(via, subscription.at, 1)[0][1:]
        needed = {parts.outline.role, "filter"}
        places = [place for place, peer in enumerate(route) if network[peer].operators >= needed]
        place = route.index(via) if documents else min(places, default=len(route) - 1)
        _send(traffic, route[: place + 1], of_published(source).bytes_per_second)
        result = of_result(parts.outline, need, source, documents)
        _send(traffic, route[place:], result.bytes_per_second)


def _send(traffic: Traffic, route: tuple[PeerName, ...], bytes_per_second: float) -> None:
    for sender, receiver in pairwise(route):
        traffic[(sender, receiver) if sender <= receiver else (receiver, sender)] += bytes_per_second
