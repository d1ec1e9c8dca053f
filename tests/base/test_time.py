"""Lengths of time in texts: one reading for options, windows and intervals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from slackwater.base.time import Duration, length_in


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("5 seconds", Duration(Fraction(5), "second")),
        (" 1.5min ", Duration(Fraction(3, 2), "minute")),
        (".5 H", Duration(Fraction(1, 2), "hour")),
        ("5.", Duration(Fraction(5))),
        ("+7", Duration(Fraction(7))),
        ("1e3 ms", Duration(Fraction(1000), "millisecond")),
        ("1/2 day", Duration(Fraction(1, 2), "day")),
        ("-5 seconds", None),
        ("5 fortnights", None),
    ],
)
def test_a_length_is_a_number_and_perhaps_a_unit(text: str, duration: Duration | None) -> None:
    length = length_in(text)
    assert length is not None
    assert length.duration == duration


@pytest.mark.parametrize(
    "text", ["", "seconds", ".", "1/0 day", "1.5.5", "5 6 days", "--5", "9" * 5000, "1e999999999 s"]
)
def test_what_is_no_length_is_none(text: str) -> None:
    assert length_in(text) is None
