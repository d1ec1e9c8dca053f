"""What Spark writes down of its own: which rows make up a batch, before the batch is computed.

checkpoint/spark/
  offsets/12          up to where batch 12 reads; written before it is ours
  commits/12          that it is done; written after our manifest
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from slackwater.base.diagnostic import EngineError
from slackwater.run.store import broken_checkpoint

FOLDER = "spark"


def made_ready(folder: Path, following: int) -> None:
    """Let Spark start from what it wrote; refuse where that is behind what we have committed.

    Spark leaves drafts behind when it is killed or the disk is full, and refuses to start where it finds
    one of its first batch. Without its log it would count batches anew, and rows would be skipped.
    """
    for draft in (folder / FOLDER).rglob(".*.tmp*"):
        with contextlib.suppress(OSError):
            draft.unlink()
    offsets = folder / FOLDER / "offsets"
    last = max((int(path.name) for path in offsets.glob("[0-9]*") if path.name.isdecimal()), default=-1)
    if last < following - 1:
        raise EngineError(broken_checkpoint(offsets))
