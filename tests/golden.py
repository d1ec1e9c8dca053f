"""Golden files: the exact text that a test expects. `make golden` rewrites them."""

from __future__ import annotations

import os
from pathlib import Path

REWRITES = bool(os.environ.get("SLACKWATER_GOLDEN"))
"""Whether tests rewrite their golden files."""


def golden(path: Path, actual: str) -> str:
    """The text of a golden file; where they are rewritten, the actual text."""
    if REWRITES:
        path.write_text(actual, encoding="utf-8")
    return path.read_text(encoding="utf-8")
