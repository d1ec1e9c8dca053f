"""What can be wrong with a file that is to be read as text."""

from __future__ import annotations

from slackwater.base.problem import Problem

MISSING_FILE = Problem(
    "missing-file",
    'there is no file "{name}"',
    hint="Check the path.",
    means="The file does not exist.",
)
NOT_A_FILE = Problem(
    "not-a-file",
    '"{name}" is a folder',
    hint="Name a file in it.",
    means="The path names a folder where a file is needed.",
)
UNREADABLE_FILE = Problem(
    "unreadable-file",
    '"{name}" cannot be read',
    detail="{why}",
    means="The file cannot be read; the detail says why. Check its permissions.",
)
NOT_UTF8 = Problem(
    "not-utf8",
    '"{name}" is not UTF-8 text',
    detail="Byte {start} of the file is 0x{content:02x}.",
    hint="Save it as UTF-8.",
    means="The file is not UTF-8 text.",
)
