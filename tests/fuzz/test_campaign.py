"""A campaign names a failed test at once, not only in the summary at its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CAMPAIGN = Path(__file__).with_name("campaign.py")
TESTS = """
def test_first(): pass
def test_second(): raise AssertionError
def test_third(): pass
"""


def test_a_failed_test_is_named_among_the_dots(tmp_path: Path) -> None:
    (tmp_path / "test_three.py").write_text(TESTS, encoding="utf-8")
    command = [sys.executable, str(CAMPAIGN), "--times", "1", "--seed", "7", "--jobs", "1", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    progress, _, summary = done.stdout.partition("= FAILURES =")
    assert "\nFAILED test_three.py::test_second\n" in progress
    assert summary
    assert "repeat with: make fuzz FUZZ=1 SEED=7" in done.stdout
    assert done.returncode == 1
