"""Spark on several processes: the answers are those of one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spark.clusters import environment
from spark.test_placements import SAMPLE

pytestmark = pytest.mark.slow


def test_stories_on_a_cluster_in_both_placements(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spark.cluster_app", "local-cluster[3,1,1024]", "stories", *SAMPLE[:2]],
        cwd=tmp_path, env=environment(tmp_path / "home"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:]
    assert "workers: " in done.stdout
