"""The pages for users do what they say: their Python is run, and what they show is what is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["guide.md", "structured-streaming.md", "operations.md", "xquery.md"])
def test_a_page_does_what_it_says(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    page: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    text = (DOCS / page).read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        language, content = block.groups()
        if language == "python":
            above = "\n" * (text.count("\n", 0, block.start()) + 1)
            capsys.readouterr()
            exec(compile(above + content, page, "exec"), names)
        else:
            assert content == capsys.readouterr().out
