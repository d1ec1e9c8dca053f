"""What can be wrong with a checkpoint."""

from __future__ import annotations

from slackwater.base.problem import Problem

_START_OVER = (
    "Nothing was changed. Restore the whole checkpoint from a copy, "
    "or start over with another checkpoint folder and another output folder."
)

FOREIGN_CHECKPOINT = Problem(
    "foreign-checkpoint",
    "this checkpoint belongs to another query or version",
    detail="These differ: {differing}.",
    hint="Use another checkpoint folder, or delete this one to start over.",
    means="The checkpoint was written by other queries, for other sources, or by a version with "
    "another format. It cannot be resumed like this.",
)
OTHER_QUERIES = Problem(
    "foreign-checkpoint",
    "this checkpoint belongs to other queries",
    detail="{differing}.",
    hint="Start with allow_changes=True (--allow-changes on the command line): queries that are new begin "
    "now, and those that are missing end. Or use another checkpoint folder.",
)
OTHER_QUERY = Problem(
    "foreign-checkpoint",
    'this checkpoint has another query with the name "{name}"',
    detail="Its text is: {text}",
    hint="Give the changed query another name and start with allow_changes=True, "
    "or use another checkpoint folder.",
)
OTHER_COLUMNS = Problem(
    "foreign-checkpoint",
    'query "{name}" has other columns than in this checkpoint',
    detail="They were {old}, and are {new}.",
    hint="Use another checkpoint folder.",
)
NEW_CHANGES = Problem(
    "foreign-checkpoint",
    'this checkpoint has no changes of query "{name}", which one of its sinks needs',
    hint="Use the modes of the sinks that the checkpoint was created with, or another checkpoint folder.",
)
OTHER_SOURCE = Problem(
    "foreign-checkpoint",
    'this checkpoint was written for another {kind} "{name}"',
    detail="{what}.",
    hint="Declare it as it was, or use another checkpoint folder.",
)
NO_SOURCE = Problem(
    "foreign-checkpoint",
    'this checkpoint reads {kind} "{name}", which is not declared',
    hint="Declare it, even if no query reads it any more, or use another checkpoint folder.",
)
UNKNOWN_PLAN = Problem(
    "foreign-checkpoint",
    "this checkpoint was written by another version of slackwater",
    detail="It has {what}.",
    hint="Use the version that wrote it, or a later one. Nothing was changed.",
)
CANNOT_ADD_QUERY = Problem(
    "cannot-add-query",
    'query "{name}" cannot be added to this checkpoint',
    detail="{why}.",
    hint="Start it with another checkpoint folder.",
    means="A query that is added to a checkpoint, or to a run, begins after the rows that were read. It can "
    "read the streams of the checkpoint or the run, and the relations whose rows are changes. A query that "
    "is added from the beginning can read the sources of the checkpoint that are files, if they are as they "
    "were.",
)
NO_PAST = Problem(
    "cannot-add-query",
    'query "{name}" cannot be added to this checkpoint from the beginning',
    detail="{why}.",
    hint='Add it from now on (added_from="now"), or start it with another checkpoint folder.',
)
CHANGED_FILES = Problem(
    "changed-files",
    "files have changed while they were read again",
    hint="Start again. Nothing of the queries that are added was committed.",
    means="A query is added to a checkpoint from the beginning, and files that were read before have changed "
    "while they were read again.",
)
UNWRITABLE_CHECKPOINT = Problem(
    "unwritable-checkpoint",
    "the state cannot be written",
    detail="{why}.",
    hint="Remove the cause and start again. Committed epochs are not lost.",
    means="The state cannot be written, for example because the disk is full or the folder is "
    "read-only. The run ends.",
)
NOT_A_CHECKPOINT = Problem(
    "not-a-checkpoint",
    "this folder is not empty and not a checkpoint",
    detail="It contains {shown}.",
    hint="Use an empty folder, or one that does not exist. Nothing was changed.",
    means="The checkpoint folder contains other files. They were not changed.",
)
MISSING_MANIFEST = Problem(
    "missing-manifest",
    "the checkpoint is incomplete: the manifest of a committed epoch is missing",
    detail="Spark has committed its batches up to {committed}, but {newest}.",
    hint=_START_OVER,
    means="Spark has committed a batch, and the manifest of its epoch is missing. Part of the "
    "checkpoint was not copied, or was deleted.",
)
MISSING_BATCHES = Problem(
    "missing-batches",
    "the checkpoint is incomplete: part of Spark's log is missing",
    detail="The epochs up to {done} are committed, but {newest}.",
    hint=_START_OVER,
    means="Epochs are committed that Spark's log does not have. Part of the checkpoint was not "
    "copied, or was deleted.",
)
CHECKPOINT_IN_USE = Problem(
    "checkpoint-in-use",
    "another run is using this checkpoint",
    hint="Stop that run first, or use another checkpoint folder. Nothing was changed.",
    means="A checkpoint can be used by one run at a time, and another run is using it.",
)
LOST_CHECKPOINT = Problem(
    "lost-checkpoint",
    "this run no longer owns its checkpoint",
    detail="The checkpoint was released, deleted or replaced.",
    hint="Use a checkpoint in one run at a time. Committed epochs are not lost.",
    means="Another run took over the checkpoint of this run, or the checkpoint "
    "was deleted. The run ends without writing.",
)
