"""What can be wrong between peers."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

TASK_STOPPED = Problem(
    "task-stopped",
    'task "{name}" has stopped; what depends on its result gets nothing more',
    severity=Severity.WARNING,
    hint="Correct what is reported before this, then unsubscribe and subscribe again.",
)
STREAM_EXISTS = Problem(
    "stream-exists",
    'this peer already publishes "{name}", with another definition',
    hint="Choose another name.",
)
NOT_PUBLISHED = Problem(
    "not-published",
    'peer "{peer}" does not publish "{name}"',
    hint="Publish the stream before its items.",
)
WRONG_EDGE = Problem(
    "wrong-edge",
    'an epoch of "{name}" ends at {edge}, but the stream is already at {position}',
    detail="The edges of a stream increase: numbers of epochs, or instants of a clock that does not go back.",
    hint="Correct the clock of what publishes the stream.",
)
SUBSCRIBED = Problem(
    "already-subscribed",
    'this peer already has a subscription "{name}"',
    hint="Choose another name, or unsubscribe first.",
)
MANY_SUBSCRIPTIONS = Problem(
    "many-subscriptions",
    "this peer has the {most} subscriptions that it may have",
    hint="Unsubscribe one, or raise the limit in the configuration of the peer.",
)
BAD_MESSAGE = Problem(
    "bad-message",
    "a message cannot be understood: {why}",
    hint="The sender is broken or of another version: update it.",
)
LARGE_MESSAGE = Problem(
    "large-message",
    "a message of {size} bytes is larger than the limit of {most}",
    hint="Divide it: publish epochs of fewer items.",
)
CANNOT_PLAN = Problem(
    "cannot-plan",
    'the subscription "{name}" cannot be planned: {why}',
    hint="Compare what it reads with the schemas and record paths of the published streams.",
    means="A stream is published with a schema or record path that no query over it can be planned with.",
)
