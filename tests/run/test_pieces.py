"""The past in pieces: whatever was read in whatever batches, no row that counted is before its piece."""

from __future__ import annotations

from itertools import chain, pairwise

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.run.backfill.pieces import Past, pieces_of

END = 20
batches = st.lists(st.lists(st.lists(st.integers(0, 30), max_size=3), max_size=3), min_size=1, max_size=5)
"""By batch, by entry of the log, the times of the rows of a file."""


def read(name: str, own: list[list[list[int]]], begins: list[int]) -> tuple[Past, dict[str, list[int]]]:
    """A source as its batches were read, and the times of the rows that count, by file."""
    entries: list[dict[str, int]] = []
    bounds: dict[int, int] = {}
    rows: dict[str, list[int]] = {}
    for files, begin in zip(own, begins, strict=False):
        for times in files:
            path = f"{name}{len(entries)}"
            if any(time < begin for other in files for time in other):
                bounds[len(entries)] = begin
            rows[path] = [time for time in times if time >= begin]
            entries.append({path: 0})
    return Past(dict(enumerate(entries)), bounds), rows


@trying(300)
@given(batches, batches, st.lists(st.integers(1, END), min_size=4, max_size=4).map(sorted))
def test_rows_that_count_are_never_before_their_piece(
    one: list[list[list[int]]], other: list[list[list[int]]], begins: list[int]
) -> None:
    done = max(len(one), len(other)) - 1
    (first, rows), (second, more) = read("a", one, [0, *begins]), read("b", other, [0, *begins])
    times = {"a": rows, "b": more}
    # The least time in a file is that of all its rows, also of late ones.
    files = {f"a{at}": file for at, file in enumerate(chain.from_iterable(one))}
    files |= {f"b{at}": file for at, file in enumerate(chain.from_iterable(other))}
    least = {path: min(file, default=99) for path, file in files.items()}
    pieces = pieces_of({"a": first, "b": second}, least, 0, END, done)
    assert [piece.number for piece in pieces] == list(range(len(pieces)))
    assert len(pieces) <= done + 1
    assert (pieces[0].lo, pieces[-1].hi) == (0, END)
    assert all(before.lo <= before.hi == piece.lo <= piece.hi for before, piece in pairwise(pieces))
    for name, past in (("a", first), ("b", second)):
        groups = [piece.groups[name] for piece in pieces if name in piece.groups]
        assert [path for group in groups for path in group.files] == list(past.files)
        for piece in pieces:
            group = piece.groups.get(name)
            for path in group.files if group is not None else ():
                counting = [time for time in files[path] if group.bound is None or time >= group.bound]
                assert counting == times[name][path]
                assert all(time >= piece.lo for time in counting if time < END)


def test_a_piece_ends_where_the_rows_of_later_files_begin() -> None:
    past = Past({0: {"a": 0}, 1: {"b": 0}, 2: {"c": 0}})
    pieces = pieces_of({"S": past}, {"a": 1, "b": 3, "c": 7}, 0, 8, 5)
    assert [(piece.lo, piece.hi) for piece in pieces] == [(0, 3), (3, 7), (7, 8)]


def test_a_late_row_does_not_hold_pieces_back() -> None:
    past = Past({0: {"a": 0}, 1: {"b": 0}}, {1: 6})
    pieces = pieces_of({"S": past}, {"a": 1, "b": 2}, 0, 8, 1)
    assert [(piece.lo, piece.hi) for piece in pieces] == [(0, 6), (6, 8)]


def test_without_files_there_is_one_piece() -> None:
    assert [(piece.number, piece.lo, piece.hi) for piece in pieces_of({}, {}, 0, 8, 3)] == [(0, 0, 8)]
