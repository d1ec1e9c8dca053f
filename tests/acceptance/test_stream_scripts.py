"""The STREAM prototype's own scripts give its own answers, read in place from beside the checkout."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from command_line import called

ROOT = Path(__file__).parents[2]
SUITE = ROOT.parent / "shared" / "acceptance" / "stream"
SCRIPTS = sorted(path.name for path in (SUITE / "scripts").glob("*")) if SUITE.is_dir() else []
LINE = re.compile(r"\[(\d+)\]:([+-]):(.*)")

Answer = dict[int, Counter[tuple[str, tuple[str | float, ...]]]]


def read_answer(path: Path) -> Answer:
    """By instant, the bag of (sign, values); numbers as numbers, to six digits as STREAM prints them."""
    answer: Answer = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = LINE.fullmatch(line)
        assert match, line
        values = tuple(value(text.strip()) for text in match[3].split(","))
        answer.setdefault(int(match[1]), Counter())[match[2], values] += 1
    return answer


def value(text: str) -> str | float:
    try:
        return float(f"{float(text):.6g}") if "." in text or "e" in text else int(text)
    except ValueError:
        return text


@pytest.mark.skipif(not SCRIPTS, reason=f"{SUITE.name} scripts are not beside the checkout")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_gives_the_answers_of_the_prototype(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test" / "out").mkdir(parents=True)
    (tmp_path / "test" / "data").symlink_to(SUITE / "data")
    monkeypatch.chdir(tmp_path)
    outcome = called("script", str(SUITE / "scripts" / name))
    assert outcome.returncode == 0, outcome.stderr
    actual, expected = (
        read_answer(folder / name) for folder in (tmp_path / "test" / "out", SUITE / "expected")
    )
    # The expected files stop at the last input instant or one before it.
    last = max(actual)
    if last - 1 == max(expected):
        del actual[last]
    assert actual == expected
