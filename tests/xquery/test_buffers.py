"""Buffers have the sizes of figures C.1 and C.2: most do not grow with the document."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks.auction import ELEMENTS_DTD, write_auction
from slackwater.flux.run import Stats, XQuery
from slackwater.flux.runtime.nodes import NODE_BYTES
from slackwater.schema import read_schema
from xquery.oracle import query_in

NOTHING = ("q1", "q13", "q20", "qw1")
ONE_ELEMENT = {"q5": 2, "q16": 3, "q17": 2}
"""Query -> nodes: a price, a seller with the person's id in it, a name, each with its text."""
WINDOWS = {"qw2": 10, "qw3": 20}
SMALL, LARGE = 5, 50
TEXT = 100
"""More than a name, a price or a person's id is long."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("auctions")


@cache
def document(folder: Path, megabytes: int) -> Path:
    path = folder / f"{megabytes}.xml"
    with path.open("wb") as out:
        write_auction(out, megabytes, elements=True)
    return path


def stats(name: str, path: Path) -> Stats:
    query = XQuery(query_in(f"thesis/{name}.xq"), read_schema(ELEMENTS_DTD, "site"))
    for _ in query.run(path):
        pass
    return query.stats


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_buffered(name: str, folder: Path) -> None:
    assert stats(name, document(folder, LARGE)).peak == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_ELEMENT)
def test_one_element_is_buffered_whatever_the_size(name: str, folder: Path) -> None:
    small, large = stats(name, document(folder, SMALL)).peak, stats(name, document(folder, LARGE)).peak
    assert 0 < small <= large + 16
    assert large <= ONE_ELEMENT[name] * NODE_BYTES + TEXT


@pytest.mark.slow
@pytest.mark.parametrize("name", WINDOWS)
def test_the_items_of_a_window_are_buffered_whatever_the_size(name: str, folder: Path) -> None:
    for megabytes in (SMALL, LARGE):
        assert stats(name, document(folder, megabytes)).peak <= WINDOWS[name] * (2 * NODE_BYTES + TEXT)


@pytest.mark.slow
def test_a_join_buffers_one_side(folder: Path) -> None:
    """Query 8b buffers the name and the id of every person; query 8 buffers all auctions, too."""
    path = document(folder, SMALL)
    persons = path.read_bytes().count(b"<person>")
    one_side, both = stats("q8b", path).peak, stats("q8", path).peak
    assert one_side < persons * (5 * NODE_BYTES + TEXT)
    assert both > 5 * one_side


@pytest.mark.slow
def test_most_of_the_document_is_skipped_unparsed(folder: Path) -> None:
    run = stats("q1", document(folder, LARGE))
    assert run.skipped > 0.9 * run.bytes
