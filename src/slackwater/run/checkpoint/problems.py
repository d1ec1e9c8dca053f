"""What can be wrong with a checkpoint."""

from __future__ import annotations

from slackwater.base.problem import Problem

_START_OVER = (
    "Nothing was changed. Restore the whole checkpoint from a copy, "
    "or start over with another checkpoint folder and another folder for the answers."
)

FOREIGN_CHECKPOINT = Problem(
    "foreign-checkpoint",
    "this checkpoint belongs to another query or version",
    detail="What differs: {differing}.",
    hint="Use another checkpoint folder, or delete this one to start over.",
    means="The checkpoint was written by another query, for other sources, or by a version whose "
    "state differs. Its state cannot be used here.",
)
UNWRITABLE_CHECKPOINT = Problem(
    "unwritable-checkpoint",
    "the state cannot be written",
    detail="{why}.",
    hint="Nothing that was committed is lost: remove the cause and start again.",
    means="The state cannot be written, for example because the disk is full or the folder is "
    "read-only. The run ends.",
)
NOT_A_CHECKPOINT = Problem(
    "not-a-checkpoint",
    "this folder is not empty, and not a checkpoint",
    detail="It has {shown}.",
    hint="Name an empty folder, or one that does not exist. Nothing was changed.",
    means="The folder that is named as the checkpoint has other files in it. They are not touched.",
)
MISSING_MANIFEST = Problem(
    "missing-manifest",
    "the checkpoint is incomplete: an epoch that was committed is missing",
    detail="Spark has committed its batches up to {committed}, and {found}.",
    hint=_START_OVER,
    means="Spark has committed a batch, and the file that describes its epoch is missing. The "
    "checkpoint was copied or deleted in part.",
)
MISSING_BATCHES = Problem(
    "missing-batches",
    "the checkpoint is incomplete: a part of Spark's log is missing",
    detail="The epochs up to {done} are committed, and {found}.",
    hint=_START_OVER,
    means="Epochs are committed that Spark's log does not have. The checkpoint was copied or "
    "deleted in part.",
)
CHECKPOINT_IN_USE = Problem(
    "checkpoint-in-use",
    "another run is using this checkpoint",
    hint="Stop that run first, or give this one a checkpoint folder of its own. Nothing was changed.",
    means="A checkpoint can be used by one run at a time, and another run has it.",
)
LOST_CHECKPOINT = Problem(
    "lost-checkpoint",
    "this run does not own its checkpoint any more",
    detail="The checkpoint was released, deleted or replaced.",
    hint="Nothing that was committed is lost. Let only one run at a time use a checkpoint.",
    means="While this run was going on, another run took over its checkpoint, or the checkpoint "
    "was deleted. The run ends without writing.",
)
