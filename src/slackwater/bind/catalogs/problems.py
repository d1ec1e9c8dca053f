"""What can be wrong with DROP, CREATE OR REPLACE and DESCRIBE."""

from __future__ import annotations

from slackwater.base.problem import Problem

IN_USE = Problem(
    "in-use",
    '{kind} "{name}" cannot be {done}',
    label="used by {users}",
    hint="Drop what uses it first.",
    means="A declaration is to be dropped, or replaced by another with other columns, while views, sinks or "
    "queries use it: they were made from it as it is.",
)
WRONG_KIND = Problem(
    "wrong-kind",
    '"{name}" is a {actual}, not a {kind}',
    label="declared as a {actual}",
    hint="Write DROP {word} {name}.",
    means="DROP or CREATE OR REPLACE names a declaration of another kind.",
)
NOT_REPLACED = Problem(
    "wrong-kind",
    '"{name}" is a {actual}, which only another {actual} replaces',
    label="declared as a {actual}",
    hint="Choose another name, or write DROP {word} {name} before.",
)
NOT_DECLARED = Problem(
    "unknown-declaration",
    'there is no {kind} "{name}"',
    label="not declared",
    detail="Declared: {known}.",
    hint="Write DROP … IF EXISTS if it may be missing.",
    means="DROP names something that is not declared.",
)
