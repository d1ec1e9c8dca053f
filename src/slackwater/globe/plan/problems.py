"""Why a subscription cannot be deployed."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNKNOWN_PEER = Problem(
    "unknown-peer",
    'there is no peer "{name}" in the network',
    hint="List the peers with `slackwater peers`.",
    means="A subscription, a stream or a command names a peer that is not in the network. It may have left, "
    "or its name is misspelled.",
)
KNOWN_SUBSCRIPTION = Problem(
    "subscription-exists",
    'there is already a subscription "{name}"',
    hint="Choose another name, or unsubscribe the old one first.",
    means="Names of subscriptions are unique in the network.",
)
UNKNOWN_SUBSCRIPTION = Problem(
    "unknown-subscription",
    'there is no subscription "{name}"',
    means="The subscription was never registered, or was taken down.",
)
NO_ROUTE = Problem(
    "no-route",
    'no route joins "{source}" and peer "{peer}"',
    detail="Data passes between neighbours only, and no chain of neighbours connects the two.",
    hint="Link a peer of the one part of the network with a peer of the other.",
    means="The network is divided, and the subscriber is in another part than the data.",
)
OVERLOAD = Problem(
    "beyond-means",
    'no peer can compute "{name}" without an overload',
    detail="The peers that could are at the limit of their capacity, or the links to them at that of their "
    "bandwidth.",
    hint="Raise the capacity of a peer on the route, or unsubscribe something.",
    means="Every way to deploy the subscription would need a peer to do more than its capacity, a link to "
    "carry more than its bandwidth, or an operation that no peer on the route has.",
)
NO_CAPABILITY = Problem(
    "beyond-means",
    'no peer can compute "{name}"',
    detail='No peer between the data and "{peer}" has the capability "{role}".',
    hint="Add the capability to a peer on the route.",
)
