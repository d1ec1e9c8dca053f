"""Lengths of time among the options of a source."""

from __future__ import annotations

import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.base.time import CALENDAR, Clock
from slackwater.sources.options import options_of


def test_a_length_without_a_unit_counts_chronons_of_integer_time() -> None:
    assert options_of("S", {"delay": 5}, Clock()).delay == 5


@pytest.mark.parametrize("option", ["delay", "max_ahead"])
def test_beside_timestamps_a_length_needs_a_unit(option: str) -> None:
    with pytest.raises(EngineError) as caught:
        options_of("S", {option: 5}, CALENDAR)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["bad-option"]
    assert " seconds'" in str(caught.value)


def test_no_delay_at_all_needs_no_unit() -> None:
    assert options_of("S", {"delay": 0}, CALENDAR).delay == 0
