"""What can be wrong with a subscription before it is planned."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNKNOWN_STREAM = Problem(
    "unknown-input",
    'no peer publishes "{name}"',
    detail="The subscription reads it as a stream or a document.",
    hint="Publish it first, or correct the name.",
)
NO_STREAM = Problem(
    "no-subscription",
    "the subscription reads no stream",
    hint="Select from a stream that a peer publishes.",
)
