"""How many rows move, and in how many partitions there is work, with partial sums and broadcasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels import partial
from slackwater.kernels.frames import FROM, TO, N, columns_of, frame_schema
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.run.cluster.job import Job, Plan
from slackwater.run.cluster.packing import unpacked
from slackwater.run.cluster.parcels import Parcel
from slackwater.run.cluster.placement import InWorkers
from slackwater.run.cluster.stage import run_stage
from slackwater.run.cluster.workers import Scan
from slackwater.storage.locate import location

S, R = Schema.of(k=INT, v=INT), Schema.of(p=INT)
ROWS, PARTITIONS = 12_000, 4


@dataclass
class Counting:
    """Tasks in this process; counts the rows that move to each partition of each stage."""

    rows: list[Counter[int]] = field(default_factory=list)
    """By stage."""

    def run(self, job: Job, scans: Sequence[Scan], parcels: list[Parcel]) -> list[Parcel]:
        for number in range(len(job.plan.stages.stages)):
            moves = [parcel for parcel in parcels if parcel.what.startswith("move ")]
            self.rows.append(Counter())
            for parcel in moves:
                self.rows[-1][parcel.target] += unpacked(parcel.content).height
            shares = [[parcel for parcel in parcels if parcel.target == at] for at in range(PARTITIONS)]
            parcels = [out for at, share in enumerate(shares) for out in run_stage(job, number, at, share)]
        return parcels

    def spread(self, task: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return [task(item) for item in items]


def exchanged(query: str, folder: Path, times: int) -> tuple[list[Counter[int]], pl.DataFrame]:
    """The rows that move to each stage, of a stream with so many different times, and the answer."""
    catalog = Catalog()
    catalog.stream("S", S)
    catalog.relation("R", R)
    graph = lowered({"answer": optimized(bind_query(Text("<query>", query), catalog, Kind.RELATION).plan)})
    stream = [(at % 3, at % 1000, at * times // ROWS, INFINITY, 1) for at in range(ROWS)]
    relation = [(at, 0, INFINITY, 1) for at in range(10)]
    cluster = Counting()
    here = InWorkers(Plan(cut(graph), collected=frozenset(["answer"])), location(folder), PARTITIONS, cluster)
    frames = {
        "S": pl.DataFrame(stream, schema=frame_schema(S), orient="row"),
        "R": pl.DataFrame(relation, schema=frame_schema(R), orient="row"),
    }
    return cluster.rows, here.compute(0, 0, INFINITY, frames).outputs["answer"]


@pytest.mark.parametrize(
    ("times", "window"),
    [(100, "RANGE 50"), (100, "FIXED 20"), (ROWS, "RANGE 400 SLIDE 200")],
    ids=["coarse times", "a fixed window of them", "a slide"],
)
@pytest.mark.parametrize("keys", ["k, ", ""], ids=["three groups", "one group"])
def test_partial_sums_move_instead_of_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, window: str, keys: str
) -> None:
    groups = f" GROUP BY {keys[:-2]}" if keys else ""
    query = f"SELECT {keys}SUM(v) AS s, COUNT(*) AS n FROM S [{window}]{groups}"
    rows, answer = exchanged(query, tmp_path / "sums", times)
    monkeypatch.setattr(partial, "LEAST_ROWS", INFINITY)
    all_rows, same = exchanged(query, tmp_path / "elements", times)
    order = [*columns_of(answer), FROM, TO, N]
    assert answer.sort(order).equals(same.select(answer.columns).sort(order))
    assert all(stage.total() == ROWS for stage in all_rows)
    assert all(stage.total() <= ROWS / 20 for stage in rows), rows


def test_elements_with_times_of_their_own_move_as_they_are(tmp_path: Path) -> None:
    rows, _ = exchanged("SELECT k, SUM(v) AS s FROM S [RANGE 50] GROUP BY k", tmp_path, ROWS)
    assert [stage.total() for stage in rows] == [ROWS]


@pytest.mark.parametrize(
    ("query", "small"),
    [
        ("SELECT k, v, p FROM S [RANGE 1] JOIN R ON v < p", 10),
        ("SELECT p, k, v FROM R, S [RANGE 1] WHERE v < p", 10),
        ("SELECT k, v, n FROM S [RANGE 1], (SELECT COUNT(*) AS n FROM R) AS c", 1),
    ],
    ids=["a relation", "a relation on the left", "a row"],
)
def test_all_pairs_are_made_in_all_partitions(tmp_path: Path, query: str, small: int) -> None:
    rows, answer = exchanged(query, tmp_path, ROWS)
    spread = [rows[-1][at] - small for at in range(PARTITIONS)]
    assert answer.height >= 100
    assert sum(spread) == ROWS
    assert min(spread) >= ROWS / PARTITIONS / 2, rows
