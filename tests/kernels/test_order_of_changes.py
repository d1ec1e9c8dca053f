"""Changes of one instant: the result does not depend on how the rows are split into pieces."""

from __future__ import annotations

import polars as pl
import pytest

from slackwater.base.time import INFINITY
from slackwater.kernels import relations
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.state import State

Change = tuple[int, str, str, int]
"""The piece, the op, the key and the value of a change at instant 5."""


def rows_after(
    changes: list[Change], key: tuple[str, ...] = ("k",), ranks: list[int] | None = None
) -> list[tuple[object, ...]]:
    """The rows after the changes; before them there is the row ('old', 0)."""
    names = ["k", "v"]
    state = State(relations.state_layout(names, key))
    records = [(0, "+", "old", 0), *changes]
    frame = pl.DataFrame(
        {
            "k": [record[2] for record in records],
            "v": [record[3] for record in records],
            FROM: [0] + [5] * len(changes),
            TO: [INFINITY] * len(records),
            N: [1] * len(records),
            relations.OP: [record[1] for record in records],
            relations.SEQUENCE: list(range(len(records))),
            relations.RANK: [0, *(ranks or [0] * len(changes))],
            relations.PIECE: [record[0] for record in records],
        }
    )
    elements = relations.apply_records(state, frame, names, key)
    rows = elements.group_by(names).agg(pl.col(N).sum()).filter(pl.col(N) > 0)
    return sorted(rows.select(names).rows())


def test_inside_a_piece_changes_apply_in_the_order_of_rows() -> None:
    assert rows_after([(1, "u", "A", 1), (1, "u", "A", 2)]) == [("A", 2), ("old", 0)]
    assert rows_after([(1, "u", "A", 2), (1, "u", "A", 1)]) == [("A", 1), ("old", 0)]


@pytest.mark.parametrize("first", [1, 2])
def test_different_rows_of_two_pieces_for_one_key_are_an_error(first: int) -> None:
    with pytest.raises(relations.Misfit) as misfit:
        rows_after([(1, "u", "A", first), (2, "u", "A", 3 - first)])
    (diagnostic,) = misfit.value.diagnostics
    assert diagnostic.code == "ambiguous-update"


def test_a_sequence_decides_between_pieces() -> None:
    assert rows_after([(1, "u", "A", 1), (2, "u", "A", 2)], ranks=[9, 8]) == [("A", 1), ("old", 0)]
    assert rows_after([(2, "u", "A", 2), (1, "u", "A", 1)], ranks=[8, 9]) == [("A", 1), ("old", 0)]
    with pytest.raises(relations.Misfit):
        rows_after([(1, "u", "A", 1), (2, "u", "A", 2)], ranks=[9, 9])


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_deletion_in_another_piece_applies_first(is_reversed: bool) -> None:
    changes: list[Change] = [(1, "-", "old", 0), (2, "+", "old", 7)]
    assert rows_after(changes[::-1] if is_reversed else changes) == [("old", 7)]


@pytest.mark.parametrize("is_reversed", [False, True])
def test_without_a_key_a_deletion_finds_what_another_piece_inserts(is_reversed: bool) -> None:
    changes: list[Change] = [(1, "-", "A", 1), (2, "+", "A", 1)]
    assert rows_after(changes[::-1] if is_reversed else changes, key=()) == [("old", 0)]


def test_equal_rows_of_two_pieces_are_one() -> None:
    assert rows_after([(1, "u", "A", 1), (2, "u", "A", 1)]) == [("A", 1), ("old", 0)]
