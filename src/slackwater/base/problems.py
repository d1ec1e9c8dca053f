"""What can be wrong with a path, and with the depth of a program."""

from __future__ import annotations

from slackwater.base.problem import Problem

TOO_DEEP = Problem(
    "too-deep",
    "the query stands on too many views, each on the one before",
    detail="The operators of all views that a query uses are planned together.",
    hint="Write several steps in one view, or split the program and write the steps between to files.",
)
REMOTE_PLACE = Problem(
    "remote-place",
    '"{place}" is not a folder of this machine',
    detail="Spark reads from other filesystems; {what} can only be written to local or mounted ones.",
    hint="Write a path, such as /data/state, or file:///data/state.",
    means="Checkpoints and answers are written to local or mounted folders only; this place is on "
    "another filesystem.",
)
NOT_A_PATH = Problem(
    "not-a-path",
    "{given!r} does not say where {what} can be written",
    hint="Write the path of a folder.",
    means="What was given does not name a folder that can be written to.",
)

MISSING_EXTRA = Problem(
    "missing-extra",
    "{what} needs the package {package}, which is not installed",
    hint='Run: pip install "slackwater[{extra}]"',
    means="A package of an extra is needed and not installed.",
)
