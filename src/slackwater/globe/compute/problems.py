"""What can be wrong with the tasks of a network and with the items that reach them."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

BROKEN_EPOCH = Problem(
    "broken-epoch",
    "the items of an epoch cannot be read: {why}",
    hint="The sender is broken or of another version: update it, or remove it from the network.",
    means="What a peer sent as the items of an epoch are neither XML records nor rows.",
)
LARGE_EPOCH = Problem(
    "large-epoch",
    "the items of an epoch have more than {most} bytes",
    hint="Publish epochs of fewer items.",
    means="The items of an epoch are too large once they are decompressed.",
)
NOT_ONE_STREAM = Problem(
    "not-one-stream",
    'the schema of "{name}" is not the declaration of one stream',
    hint="Write one CREATE STREAM with the columns and the time of the stream.",
    means="The schema of a published stream of rows is the declaration of that stream, and of nothing else.",
)
RELATION_AS_INPUT = Problem(
    "relation-as-input",
    '"{name}" is a relation that changes, and cannot be the input of another task',
    hint="Subscribe to ISTREAM of it.",
    means="A task reads streams; the result of a query without ISTREAM, DSTREAM or RSTREAM may change.",
)
BAD_RECORD = Problem(
    "failed-record",
    "a record cannot be queried, and was left out: {why}",
    severity=Severity.WARNING,
    means="A record is not well-formed, or the query fails on it; the stream goes on without it.",
    hint="Correct what publishes the stream.",
)
WRONG_CLOCK = Problem(
    "wrong-clock",
    "a record of time {time} comes after one of time {latest}, and was left out",
    severity=Severity.WARNING,
    detail="Windows need records in the order of their times; those of this one have ended.",
    hint="Correct the clock of the peer that publishes the stream, or sort its records.",
    means="The times of records in windows must not go back; the stream goes on without the record.",
)
UNKNOWN_OPERATOR = Problem(
    "unknown-operator",
    'no operator "{name}" is installed at this peer',
    hint="Install the package that has it at every peer that may run it.",
    means="A task names an operator of a package that is not installed where it should run.",
)
