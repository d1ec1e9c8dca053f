"""What can be wrong where answers are written."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNKNOWN_OUTPUT = Problem(
    "unknown-output",
    'answers cannot be written as "{given}"',
    hint="Choose one of {formats}.",
    means="Answers are to be written in a format that is not known.",
)
UNWRITABLE_SINK = Problem(
    "unwritable-sink",
    "an answer cannot be written",
    detail="{why}.",
    hint="Nothing that was committed is lost: remove the cause and start again.",
    means="A file with answers cannot be written, for example because the disk is full or the "
    "folder is read-only. The run ends.",
)
OCCUPIED_FOLDER = Problem(
    "occupied-folder",
    "this folder has the answers of another run",
    hint="Choose another folder, or say overwrite to replace them.",
    means="A new run would write into a folder that has the answers of an earlier one.",
)
FOREIGN_FILES = Problem(
    "foreign-files",
    "this folder has files that slackwater did not write, where answers would be written",
    detail="There {are} {files}.",
    hint="Choose another folder, or move these files away.",
    means="The folder for the answers has files that were not written by slackwater, under names "
    "that answers would have.",
)
FOLDER_IN_USE = Problem(
    "folder-in-use",
    "another run is writing its answers into this folder",
    hint="Choose another folder, or stop that run first.",
    means="Two runs would write into one folder at the same time.",
)
UNWRITABLE_FILE = Problem(
    "unwritable-file",
    '"{name}" cannot be written',
    detail="{why}.",
    hint="Choose another place, or make this one writable.",
    means="The file for the answers cannot be written.",
)
CALLBACK_FAILED = Problem(
    "callback-failed",
    'the function "{name}" that takes the answers failed: {kind}: {why}',
    hint="Correct it and start again: the epoch it failed in is given again.",
    means="The function that was given to `sw.Callback` raised an error, and the run ended. "
    "Nothing that was committed is lost.",
)
NOT_A_FUNCTION = Problem(
    "not-a-function",
    "{given!r} cannot be called with answers",
    hint="Give a function of two arguments: a Polars DataFrame, and the number of the epoch.",
    means="What was given to `sw.Callback` cannot be called.",
)
VIEW_OF_STREAM = Problem(
    "wrong-mode",
    "a view shows a table, and this answer is a stream",
    detail="An answer whose rows are never taken back is given as the stream of its new rows.",
    hint="Choose sw.Files, sw.Callback, sw.Console or sw.Memory, or ask for a relation: over a "
    "window such as [RANGE 5 MINUTES], or grouped.",
    means="An answer is asked for in a form that this target or this kind of answer does not have.",
)
WRONG_MODE = Problem(
    "wrong-mode",
    '{what} has no "{given}"',
    hint="Choose {fitting}.",
)
NEW_TABLE = Problem(
    "new-table",
    "a target that shows the table as it stands is new to this checkpoint",
    detail="Rows from before would be missing. A target is known by its place among those of the query.",
    hint="Start with the targets the checkpoint was begun with, or use another folder to start over.",
    means="A target that shows the whole table was added when a run was resumed, and the "
    "checkpoint has no table for it.",
)
BROKEN_CHECKPOINT = Problem(
    "broken-checkpoint",
    "a file of the checkpoint is missing or damaged",
    hint="Bring the checkpoint back from a copy, or use another folder to start over.",
    means="A file of the checkpoint is missing, or its checksum does not fit its content.",
)
