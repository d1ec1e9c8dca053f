"""The options of sources: the guide's table is the list that options are checked against."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.language.option_values import wrong_value
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


@pytest.mark.parametrize(
    ("option", "right", "wrong"),
    [
        (
            "rate",
            ["7", "0.5", "1000 per second", "5 per 10 minutes"],
            ["x", "-1", "7 per fortnight", "3 per 0 s"],
        ),
        ("distinct_values", ["a 5", "a 5, b 7"], ["a", "a 0", "", "5"]),
        ("row_count", ["1", "5000"], ["0", "many"]),
        ("row_bytes", ["120"], ["120 B"]),
    ],
)
def test_statistics_are_numbers(option: str, right: list[str], wrong: list[str]) -> None:
    assert [text for text in right if wrong_value(option, text) is not None] == []
    assert [text for text in wrong if wrong_value(option, text) is None] == []


def test_a_stream_has_no_count_of_rows() -> None:
    refused = wrong_option("row_count", Use("stream", None))
    assert refused is not None
    assert "depend on its windows" in (refused.detail or "") + refused.message
