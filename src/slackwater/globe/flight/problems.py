"""What can be wrong with a peer as a process, and with what is asked of it."""

from __future__ import annotations

from slackwater.base.problem import Problem

WRONG_TOKEN = Problem(
    "wrong-token",
    "the peer at {address} does not know this token",
    hint="Pass the token that the peer's configuration lists: --token, or SLACKWATER_TOKEN.",
    means="A peer was called without a token, or with one that is not in its configuration.",
)
NOT_ALLOWED = Problem(
    "not-allowed",
    "this token does not allow to {action}",
    hint="Use another token, or add the right to it in the configuration of the peer.",
    means="The token is known, but it does not have the right, or it belongs to another peer.",
)
OTHER_PEER = Problem(
    "not-allowed",
    'the token of peer "{owner}" was used in the name of "{name}"',
)
LARGE_FRAME = Problem(
    "large-frame",
    "a frame of {size} bytes is larger than the limit of {most}",
    hint="Publish epochs of fewer items, or raise max_frame in the configuration of the peer.",
    means="An epoch is larger than the receiver accepts.",
)
UNREACHABLE = Problem(
    "unreachable-peer",
    "no peer answers at {address}",
    detail="{why}",
    hint="Start it with `slackwater peer`, or correct the address.",
    means="Nothing listens at the address of a peer, or one uses TLS and the other does not.",
)
OPEN_PEER = Problem(
    "open-peer",
    "a peer without tokens cannot listen at {address}",
    detail="Anyone who reaches that address could publish and subscribe.",
    hint="List tokens in its configuration, or let it listen at 127.0.0.1.",
    means="Outside of loopback addresses, a peer must have tokens.",
)
DATA_IN_USE = Problem(
    "data-in-use",
    "another peer uses the folder {folder}",
    hint="Give every peer a folder of its own: --data.",
    means="A folder of data belongs to one peer at a time.",
)
BROKEN_LOG = Problem(
    "broken-log",
    "{file} is not a log of epochs",
    hint="It may be damaged. Remove the folder: the peer gets what it needs again, if others have it.",
    means="A file in the folder of a peer was not written by it.",
)
BAD_CONFIG = Problem(
    "bad-peer-config",
    "{file}: {why}",
    hint="See docs/peers.md for the settings of a peer.",
    means="The configuration of a peer is not TOML, or has a setting that does not exist.",
)
UNKNOWN_COMMAND = Problem(
    "unknown-command",
    'the peer does not know the command "{name}"',
    hint="Use the same version of slackwater on both sides.",
)
NO_SPEAKER = Problem(
    "no-speaker",
    "the subnet has no speaker at the moment",
    hint="Wait a few seconds: one is being elected. If all super-peers are down, start one.",
    means="A plan can be seen and changed only while the subnet has a speaker.",
)
REFUSED = Problem(
    "refused-subscription",
    'the subscription "{name}" was refused',
    means="The speaker cannot plan the subscription; its reason is shown with it.",
)
NO_RESULT = Problem(
    "no-subscription-here",
    'peer "{peer}" has no subscription "{name}"',
    hint="Ask the peer at which it was registered.",
    means="Results are read from the peer at which the subscription was registered.",
)
NO_RECORDS = Problem(
    "no-records",
    'the document has no element at "{path}"',
    hint="Write the path from the root, as /photons/photon.",
    means="The path of a record names nothing in the document.",
)
NO_ADDRESS = Problem(
    "no-address",
    "the peer cannot listen at {address}",
    detail="Another process may use the port, or the address is not one of this machine.",
    hint="Choose another port; 0 is any free one.",
    means="The peer could not open its port.",
)
