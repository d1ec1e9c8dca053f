"""Records are folded into changes; one that does not fit the relation is an error."""

from __future__ import annotations

import pytest

from slackwater.algebra.changes import Record, arrivals, folded
from slackwater.base.diagnostic import EngineError


def codes(*records: Record, key: tuple[int, ...] = ()) -> list[str]:
    with pytest.raises(EngineError) as caught:
        folded(records, key)
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


def test_a_stream_counts_equal_elements() -> None:
    assert arrivals([(2, ("b",)), (1, ("a",)), (2, ("b",))]) == {1: {("a",): 1}, 2: {("b",): 2}}


def test_an_update_replaces_the_row_with_its_key() -> None:
    records = [Record(1, "+", (1, "x")), Record(2, "u", (1, "y")), Record(3, "u", (2, "z"))]
    assert folded(records, (0,)) == {
        1: {(1, "x"): 1},
        2: {(1, "x"): -1, (1, "y"): 1},
        3: {(2, "z"): 1},
    }


def test_an_update_to_the_same_row_is_no_change() -> None:
    assert folded([Record(1, "+", (1,)), Record(2, "u", (1,))], (0,)) == {1: {(1,): 1}}


def test_a_key_may_be_used_again_after_its_row_is_deleted() -> None:
    records = [Record(1, "+", (1, "x")), Record(2, "-", (1, "x")), Record(2, "+", (1, "y"))]
    assert folded(records, (0,))[2] == {(1, "x"): -1, (1, "y"): 1}


def test_within_an_instant_the_order_counts() -> None:
    assert codes(Record(1, "-", (1,)), Record(1, "+", (1,))) == ["absent-row"]


def test_every_record_that_does_not_fit_is_reported() -> None:
    records = [Record(1, "+", (1,)), Record(2, "+", (1,)), Record(3, "-", (9,)), Record(4, "?", (1,))]
    assert codes(*records, key=(0,)) == ["duplicate-key", "absent-row", "bad-op"]


def test_without_a_key_nothing_can_be_updated() -> None:
    assert codes(Record(1, "u", (1,))) == ["update-without-key"]


def test_an_unknown_op_is_reported_with_its_place() -> None:
    with pytest.raises(EngineError) as caught:
        folded([Record(1, "?", (1,), "rows.dat:3")])
    assert str(caught.value) == (
        'error[bad-op]: "?" is not an op\n'
        " --> rows.dat:3\n"
        '  = hint: Write "+" to insert, "-" to delete, "u" to replace the row with that key.'
    )
