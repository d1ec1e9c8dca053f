"""Changes of one instant: no cut of the rows into pieces decides which of them counts."""

from __future__ import annotations

import polars as pl
import pytest

from slackwater.base.time import INFINITY
from slackwater.kernels import relations
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.state import State

Told = tuple[int, str, str, int]
"""The piece, the op, the key and the value of a change at instant 5."""


def applied(
    told: list[Told], key: tuple[str, ...] = ("k",), ranks: list[int] | None = None
) -> list[tuple[object, ...]]:
    """What is there after the changes, by key; 'old' is there before with 0."""
    names = ["k", "v"]
    state = State(relations.state_layout(names, key))
    changes = [(0, "+", "old", 0), *told]
    records = pl.DataFrame(
        {
            "k": [each[2] for each in changes],
            "v": [each[3] for each in changes],
            FROM: [0] + [5] * len(told),
            TO: [INFINITY] * len(changes),
            N: [1] * len(changes),
            relations.OP: [each[1] for each in changes],
            relations.SEQUENCE: list(range(len(changes))),
            relations.RANK: [0, *(ranks or [0] * len(told))],
            relations.PIECE: [each[0] for each in changes],
        }
    )
    found = relations.applied(state, records, names, key)
    left = found.group_by(names).agg(pl.col(N).sum()).filter(pl.col(N) > 0)
    return sorted(left.select(names).rows())


def test_inside_a_piece_the_order_of_the_rows_counts() -> None:
    assert applied([(1, "u", "A", 1), (1, "u", "A", 2)]) == [("A", 2), ("old", 0)]
    assert applied([(1, "u", "A", 2), (1, "u", "A", 1)]) == [("A", 1), ("old", 0)]


@pytest.mark.parametrize("first", [1, 2])
def test_rows_of_two_pieces_that_take_one_place_are_refused(first: int) -> None:
    with pytest.raises(relations.Misfit) as misfit:
        applied([(1, "u", "A", first), (2, "u", "A", 3 - first)])
    (said,) = misfit.value.diagnostics
    assert said.code == "ambiguous-update"


def test_a_sequence_decides_between_pieces() -> None:
    assert applied([(1, "u", "A", 1), (2, "u", "A", 2)], ranks=[9, 8]) == [("A", 1), ("old", 0)]
    assert applied([(2, "u", "A", 2), (1, "u", "A", 1)], ranks=[8, 9]) == [("A", 1), ("old", 0)]
    with pytest.raises(relations.Misfit):
        applied([(1, "u", "A", 1), (2, "u", "A", 2)], ranks=[9, 9])


@pytest.mark.parametrize("turned", [False, True])
def test_a_deletion_in_another_piece_counts_first(turned: bool) -> None:
    told: list[Told] = [(1, "-", "old", 0), (2, "+", "old", 7)]
    assert applied(told[::-1] if turned else told) == [("old", 7)]


@pytest.mark.parametrize("turned", [False, True])
def test_without_a_key_a_deletion_finds_what_another_piece_inserts(turned: bool) -> None:
    told: list[Told] = [(1, "-", "A", 1), (2, "+", "A", 1)]
    assert applied(told[::-1] if turned else told, key=()) == [("old", 0)]


def test_equal_rows_do_not_compete() -> None:
    assert applied([(1, "u", "A", 1), (2, "u", "A", 1)]) == [("A", 1), ("old", 0)]
