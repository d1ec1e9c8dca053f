"""What can be wrong with a path, and with the depth of a program."""

from __future__ import annotations

from slackwater.base.problem import Problem

TOO_DEEP = Problem(
    "too-deep",
    "the query is built on too many views, each reading the previous one",
    detail="The operators of all views that a query uses are planned together.",
    hint="Combine several views into one, or split the program and write intermediate results to files.",
)
REMOTE_PLACE = Problem(
    "remote-place",
    '"{place}" is not a local folder',
    detail="Sources and checkpoints can be on other filesystems; {what} can only be written to a local or "
    "mounted one.",
    hint="Use a path such as /data/out or file:///data/out.",
    means="Answers are written to local or mounted folders only; this path is on another filesystem.",
)
NOT_A_PATH = Problem(
    "not-a-path",
    "{value!r} is not a path that {what} can be written to",
    hint="Use the path of a folder.",
    means="The value is not the path of a folder.",
)

MISSING_EXTRA = Problem(
    "missing-extra",
    "{what} needs the package {package}, which is not installed",
    hint='Run: pip install "slackwater[{extra}]"',
    means="A feature needs a package from one of the extras, and the package is not installed.",
)
