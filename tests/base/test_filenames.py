"""Names of users as names of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slackwater.base.filenames import file_name_of

names = st.text(st.sampled_from("ab-% ._/\\:é\0~h2DNulCo1") | st.characters(), max_size=300)
cased = st.lists(names, unique_by=str.casefold, min_size=2, max_size=2)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("trades", "trades"),
        ("query 1", "query-1"),
        ("query-1", "query%2D1"),
        ("../../../OUT", "%2E.%2F..%2F..%2FOUT"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("", "%"),
        ("%", "%25"),
        ("nul.txt", "%6Eul.txt"),
        ("end.", "end%2E"),
        ("Straße", "Stra%C3%9Fe"),
    ],
)
def test_names_that_say_where(name: str, safe: str) -> None:
    assert file_name_of(name) == safe


@given(names)
@example("\ud800")
def test_a_name_stays_in_its_folder(name: str) -> None:
    safe = file_name_of(name)
    assert Path("out", safe).parent == Path("out")
    assert safe not in (".", "..")
    assert safe.isascii()
    assert safe.isprintable()
    assert not set(safe) & set('<>:"/\\|?* ')
    assert 0 < len(safe) < 200


@given(cased)
@example(["a" * 200, "a" * 201])
@example(["a" * 150 + "/", "a" * 150 + "/b"])
@example([" a", "-a"])
def test_other_names_are_other_files(pair: list[str]) -> None:
    first, second = map(file_name_of, pair)
    assert first.casefold() != second.casefold()
