"""The options of sources: the guide's table is the list that options are checked against."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.language.options import FORMATS, OPTIONS, TABLE, Use, wrong_option

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"


def test_the_guide_lists_the_options_in_these_words() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    missing = [option for option in OPTIONS if f"| {option.example} | {option.meaning} |" not in text]
    assert missing == []


@pytest.mark.parametrize("format", [*FORMATS, TABLE, None])
def test_an_option_is_right_wrong_or_useless_in_every_format(format: str | None) -> None:
    use = Use("relation", format, has_time=True)
    assert wrong_option("Delay", use) is None
    unknown = wrong_option("dealy", use)
    assert unknown is not None
    assert unknown.hint == 'Did you mean "delay"?'
    of_csv = wrong_option("SEP", use)
    assert (of_csv is None) == (format in ("csv", None))


def test_no_option_is_listed_twice() -> None:
    names = [option.name for option in OPTIONS]
    assert len(set(names)) == len(names)
