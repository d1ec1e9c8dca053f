"""What can be wrong with storage."""

from __future__ import annotations

from slackwater.base.problem import Problem

BROKEN_CHECKPOINT = Problem(
    "broken-checkpoint",
    "a file of the checkpoint is missing or damaged",
    hint="Restore the checkpoint from a copy, or start over in another folder.",
    means="A file of the checkpoint is missing, or its checksum does not match its content.",
)
UNKNOWN_STORAGE = Problem(
    "unknown-storage",
    '{what} cannot be written to "{scheme}:"',
    detail="It can be written to local and mounted folders, and to s3:, gs:, abfss: and hdfs:.",
    hint="Use a path such as /data/state, or a URI such as s3://bucket/state.",
    means="The scheme of the URI names no filesystem that can be written to.",
)
UNUSABLE_STORAGE = Problem(
    "unusable-storage",
    "{what} cannot be written there: the filesystem cannot be opened",
    detail="{why}.",
    hint="Correct the settings after the question mark of the URI, or those of the environment.",
    means="PyArrow cannot open the filesystem of the URI: a setting is unknown, or a library is missing.",
)
UNWRITABLE_SPILL = Problem(
    "unwritable-spill",
    "state that exceeds the allowed memory cannot be written to disk",
    detail="{why}.",
    hint="Free space in that folder, name another one in SPARK_LOCAL_DIRS or TMPDIR, or allow more memory: "
    "connect(match_memory=…).",
    means="The windows of best matches that exceed their memory are in temporary files on this machine.",
)
