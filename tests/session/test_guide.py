"""The user guide does what it says: its Python is run, and what it shows is what is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_guide_does_what_it_says(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    text = GUIDE.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        language, content = block.groups()
        if language == "python":
            above = "\n" * (text.count("\n", 0, block.start()) + 1)
            capsys.readouterr()
            exec(compile(above + content, str(GUIDE), "exec"), names)
        else:
            assert content == capsys.readouterr().out
