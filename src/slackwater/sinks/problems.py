"""What can be wrong where answers are written."""

from __future__ import annotations

from slackwater.base.problem import Problem

UNKNOWN_OUTPUT = Problem(
    "unknown-output",
    'there is no output format "{format}"',
    hint="Choose one of {formats}.",
    means="The output format is unknown.",
)
UNWRITABLE_SINK = Problem(
    "unwritable-sink",
    "an answer cannot be written",
    detail="{why}.",
    hint="Remove the cause and start again. Committed epochs are not lost.",
    means="A file with answers cannot be written, for example because the disk is full or the "
    "folder is read-only. The run ends.",
)
OCCUPIED_FOLDER = Problem(
    "occupied-folder",
    "this folder contains the answers of another run",
    hint="Choose another folder, or replace them with overwrite=True (--overwrite on the command line).",
    means="A new run would write into a folder that contains the answers of an earlier run.",
)
FOREIGN_FILES = Problem(
    "foreign-files",
    "this folder contains files that slackwater did not write",
    detail="There {are} {files}.",
    hint="Choose another folder, or move these files away.",
    means="The folder for the answers contains files that slackwater did not write, with names "
    "that it would use.",
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
    hint="Choose another path, or make this one writable.",
    means="The file for the answers cannot be written.",
)
CALLBACK_FAILED = Problem(
    "callback-failed",
    'the callback "{name}" failed: {kind}: {why}',
    hint="Correct the function and start again: the epoch in which it failed is delivered again.",
    means="The function of an `sw.Callback` raised an error, and the run ended. "
    "Committed epochs are not lost.",
)
NOT_A_FUNCTION = Problem(
    "not-a-function",
    "{value!r} cannot be used as a callback",
    hint="Pass a function of two arguments: a Polars DataFrame and the number of the epoch.",
    means="The argument of `sw.Callback` is not a function.",
)
VIEW_OF_STREAM = Problem(
    "wrong-mode",
    "a view shows a relation, and this answer is a stream",
    detail="If no row of an answer is ever removed, the answer is the stream of its new rows.",
    hint="Choose sw.Files, sw.Callback, sw.Console or sw.Memory, or make the answer a relation: use a "
    "window such as [RANGE 5 MINUTES], or GROUP BY.",
    means="The sink, or this kind of answer, does not have the requested mode.",
)
WRONG_MODE = Problem(
    "wrong-mode",
    '"{mode}" is not available for {what}',
    hint="Choose {fitting}.",
)
KEY_WITHOUT_EFFECT = Problem(
    "useless-option",
    "a key has no effect with the mode {mode}",
    hint="Remove it, or write mode='tagged': a row replaces the one with the same key.",
)
NEW_TABLE = Problem(
    "new-table",
    "the checkpoint has no state for a sink that shows the whole table",
    detail="Earlier rows would be missing. A sink is identified by its position among the sinks of a query.",
    hint="Start with the sinks that the checkpoint was created with, or start over in another folder.",
    means="A sink that shows the whole table was added when a run was resumed, and the "
    "checkpoint has no state for it.",
)
