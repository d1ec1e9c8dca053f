"""What changes between two deployments: per peer, what to start, stop, send and send no longer."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.globe.model import Deployment, PeerName, StreamId, Subscription, Task

Send = tuple[StreamId, PeerName]
"""A stream, and the neighbour that it is sent to."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one peer does differently. A task that reads another stream is stopped and started."""

    peer: PeerName
    start: tuple[Task, ...] = ()
    stop: tuple[Task, ...] = ()
    send: tuple[Send, ...] = ()
    unsend: tuple[Send, ...] = ()
    deliver: tuple[Subscription, ...] = ()
    undeliver: tuple[Subscription, ...] = ()


def difference(old: Deployment, new: Deployment) -> tuple[Change, ...]:
    """The changes of all peers that have one, by name. A peer that is gone changes nothing."""
    peers = sorted(peer.name for peer in new.network.peers)
    before, after = _by_peer(old), _by_peer(new)
    changes: list[Change] = []
    for peer in peers:
        parts = []
        for kind in range(3):
            mine, theirs = after[kind].get(peer, {}), before[kind].get(peer, {})
            parts += [
                tuple(one for one in mine if one not in theirs),
                tuple(one for one in theirs if one not in mine),
            ]
        if any(parts):
            changes.append(Change(peer, *parts))
    return tuple(changes)


def _by_peer(deployment: Deployment) -> tuple[dict[PeerName, dict], ...]:  # type: ignore[type-arg]
    tasks: dict[PeerName, dict[Task, None]] = {}
    sends: dict[PeerName, dict[Send, None]] = {}
    deliveries: dict[PeerName, dict[Subscription, None]] = {}
    for task in deployment.tasks:
        tasks.setdefault(task.at, {})[task] = None
    for flow in deployment.flows:
        for sender, receiver in flow.links:
            sends.setdefault(sender, {})[flow.stream, receiver] = None
    for subscription in deployment.subscriptions:
        deliveries.setdefault(subscription.at, {})[subscription] = None
    return tasks, sends, deliveries
