"""What the benchmark of Nexmark is made of, without an engine: events, files, answers."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

import polars as pl

from benchmarks.nexmark import files, kernels
from benchmarks.nexmark.answers import digest
from benchmarks.nexmark.events import events, large
from benchmarks.nexmark.queries import NAMES, REFUSED, UNCHECKED, right_answer, streams_of
from benchmarks.nexmark.texts import SCHEMAS


def test_events_are_the_same_every_time_and_have_the_declared_columns() -> None:
    once, again = events(large(1_000)), events(large(1_000))
    for name, declared in SCHEMAS.items():
        assert once[name].equals(again[name])
        assert once[name].columns == [column.split()[0] for column in declared.split(", ")]
    assert sum(rows.height for rows in once.values()) == 1_000


def test_bids_of_an_auction_have_different_prices() -> None:
    bids = events(large(20_000))["bid"]
    assert bids.select("auction", "price").is_unique().all()
    assert bids["date_time"].is_unique().all()


def test_a_file_has_the_events_of_one_batch_of_time(tmp_path: Path) -> None:
    folder = files.write(1_000, 400, tmp_path)
    parts = sorted((folder / "bid").glob("*.parquet"))
    rows = [pl.read_parquet(part) for part in parts]
    assert len(parts) == 3
    assert pl.concat(rows).height == events(large(1_000))["bid"].height
    assert [part.stat().st_mtime for part in parts] == sorted(part.stat().st_mtime for part in parts)
    assert rows[0]["dateTime"].max() < rows[1]["dateTime"].min()
    lines = (folder / "person" / "whole.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 20
    assert "2024-02-29 07:59:40.000" in lines[0]


def test_the_same_rows_in_other_words_have_the_same_digest() -> None:
    at = datetime(2024, 2, 29, 7, 59, 40, 413_000)
    one = digest([(1, "a", Decimal("0.908"), at), (2, None, 3.0, at)])
    other = digest([(2.0, None, 3, "2024-02-29T07:59:40.413Z"), (1, "a", 0.908, "2024-02-29 07:59:40.413")])
    assert one == other
    assert digest([(1, "a")]) != digest([(1, "a"), (1, "a")])
    assert digest({(1, "a"): 0}) == 0


def test_every_query_has_a_right_answer() -> None:
    answers = {name: right_answer(name, 400) for name in NAMES}
    assert len(answers) == 23
    assert all(answers.values())
    assert {stream for name in NAMES for stream in streams_of(name)} == set(SCHEMAS)
    listed = {name for table in (REFUSED, UNCHECKED) for queries in table.values() for name in queries}
    assert listed <= set(NAMES)


def test_kernels_alone_are_measured() -> None:
    [cost] = kernels.costs(["q12"], count=2_000, epochs=4)
    assert cost.events == 1_840
    assert cost.seconds > 0
    assert cost.middle > 0
    assert cost.state > 0
