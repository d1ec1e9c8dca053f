"""The gate draws the same examples every time, whatever else runs in the same process."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.effort import IS_CAMPAIGN, trying

pytestmark = pytest.mark.skipif(IS_CAMPAIGN, reason="a campaign draws new examples")


def drawn() -> list[tuple[int, str, float]]:
    """What a test would draw."""
    examples: list[tuple[int, str, float]] = []

    @given(st.integers(), st.text(), st.floats(allow_nan=False))
    @trying(300)
    def draw(number: int, text: str, float_: float) -> None:
        examples.append((number, text, float_))

    draw()
    return examples


def test_the_same_examples_are_drawn_again() -> None:
    assert drawn() == drawn()


def test_what_else_is_loaded_does_not_change_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    path = tmp_path / "constants_of_another_module.py"
    path.write_text(f"NUMBERS = [{', '.join(str(7919 * n) for n in range(500))}]\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    assert drawn() == before


def test_no_example_of_an_earlier_run_is_kept() -> None:
    assert settings.default.database is None
