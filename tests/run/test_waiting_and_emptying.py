"""Placements where rows wait, where an output is taken by several stages, and where a state becomes empty."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels import partial, relations
from slackwater.kernels.frames import FROM, TO, N, columns_of, frame_schema
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut, sources_of
from slackwater.run.cluster import stage
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import InDriver, InWorkers
from slackwater.storage.locate import location

S, R = Schema.of(a=INT, b=INT), Schema.of(k=INT, v=INT)
TWICE = "SELECT MAX(n) AS m FROM (SELECT a, CAST(COUNT(*) AS INT) AS n FROM S [RANGE 9] GROUP BY a) AS y"
GROUPED = (
    "SELECT n, CAST(COUNT(*) AS INT) AS m FROM "
    "(SELECT a, CAST(COUNT(*) AS INT) AS n FROM S [RANGE 9] GROUP BY a) AS y GROUP BY n"
)
SHOWN = {
    "rows": "SELECT a, b FROM S [RANGE 9]",
    "both": f"(SELECT m AS a, m AS b FROM ({GROUPED}) AS z) UNION ALL (SELECT a, b FROM S [RANGE 9])",
}
PASSED = {
    "groups": (
        "SELECT p, COUNT(*) AS n FROM (ISTREAM((SELECT x.a AS p, x.a AS q FROM S [RANGE 0] AS x "
        "JOIN S [RANGE 0] AS y ON x.a BETWEEN x.a AND x.a WHERE x.a + y.a = x.a) UNION ALL "
        "(SELECT u.a AS p, u.a AS q FROM S [RANGE 0] AS u RIGHT JOIN S [RANGE 0] AS v ON u.a = v.a "
        "WHERE EXISTS (SELECT w.a FROM S [RANGE 0] AS w)))) [RANGE 0] AS z GROUP BY p"
    ),
}
"""What a stage computes is used by the next stage and by one after it."""
JOINED = {
    "near": "SELECT x.a, x.b, y.b AS c FROM S [RANGE 9] AS x JOIN S [RANGE 5] AS y ON x.a = y.a",
    "far": f"SELECT x.a, x.b FROM S [RANGE 9] AS x JOIN ({TWICE}) AS z ON z.m = x.a",
}


def graph(queries: dict[str, str], changelogs: Sequence[str] = ()) -> Graph:
    catalog = Catalog()
    catalog.stream("S", S)
    catalog.relation("R", R, ("k",))
    plans = {
        name: optimized(bind_query(Text("<query>", text), catalog, Kind.RELATION).plan)
        for name, text in queries.items()
    }
    return lowered(plans, changelogs=changelogs)


def placed(of: Graph, folder: Path, partitions: int) -> InDriver | InWorkers:
    """In so many partitions of workers; 0 is the driver."""
    place = location(folder)
    if not partitions:
        return InDriver(of, place)
    return InWorkers(Plan(cut(of), collected=frozenset(of.outputs)), place, partitions)


def changes(outputs: dict[str, list[pl.DataFrame]]) -> dict[str, list[tuple[object, ...]]]:
    """The net changes of each output."""
    net: dict[str, list[tuple[object, ...]]] = {}
    for name, frames in outputs.items():
        whole = pl.concat(frames)
        row = columns_of(whole)
        starts = whole.select(*row, pl.col(FROM).alias("@t"), N)
        ends = whole.filter(pl.col(TO) < INFINITY).select(*row, pl.col(TO).alias("@t"), -pl.col(N))
        summed = pl.concat([starts, ends]).group_by(*row, "@t").agg(pl.col(N).sum())
        net[name] = sorted(summed.filter(pl.col(N) != 0).rows(), key=repr)
    return net


def answers(of: Graph, folder: Path, places: Sequence[int]) -> dict[str, list[tuple[object, ...]]]:
    """Three epochs; the rows of all come with the first, and wait."""
    rows = [(t * 7 % 3, t % 2, t, INFINITY, 1) for t in range(12)]
    arriving = {"S": pl.DataFrame(rows, schema=frame_schema(S), orient="row")}
    outputs: dict[str, list[pl.DataFrame]] = {name: [] for name in of.outputs}
    here, bounds = placed(of, folder, places[0]), [0, 4, 8, INFINITY]
    for number, place in enumerate(places):
        if number and place != places[number - 1]:
            facts = json.loads(json.dumps(here.save(number - 1)))
            here = placed(of, folder, place)
            here.resume(facts, bounds[number])
        computed = here.compute(number, bounds[number], bounds[number + 1], arriving if number == 0 else {})
        here.save(number)
        for name, frame in computed.outputs.items():
            outputs[name].append(frame)
    return changes(outputs)


@pytest.mark.parametrize(
    "queries",
    [SHOWN, JOINED, PASSED],
    ids=["an output of two stages", "a move of two stages", "a move between stages"],
)
@pytest.mark.parametrize("places", [(2, 2, 2), (2, 0, 0), (2, 3, 3), (0, 2, 0)])
def test_rows_that_wait_count_once(tmp_path: Path, queries: dict[str, str], places: Sequence[int]) -> None:
    of = graph(queries)
    expected = answers(of, tmp_path / "driver", (0, 0, 0))
    assert answers(of, tmp_path / "other", places) == expected
    assert all(expected.values())


SUMMED = {
    "coarse": "SELECT b, COUNT(*) AS n FROM S [RANGE 9] GROUP BY b",
    "all": "SELECT COUNT(*) AS n, SUM(a) AS s FROM S [RANGE 9 SLIDE 3]",
    "pairs": "SELECT x.a, y.k FROM S [RANGE 9] AS x JOIN R AS y ON x.a < y.k",
}


@pytest.mark.parametrize("query", SUMMED)
@pytest.mark.parametrize("partitions", [0, 3])
def test_rows_that_wait_are_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, partitions: int, query: str
) -> None:
    """Also if they wait as partial sums, or in every partition."""
    monkeypatch.setattr(partial, "LEAST_ROWS", 1)
    of = graph({query: SUMMED[query]})
    here = placed(of, tmp_path, partitions)
    rows = [(1, t % 2, 10 * (t % 3), INFINITY, 1) for t in range(12)]
    keys = [(t, t, 10, INFINITY, 1) for t in range(5)]
    frames = {
        "S": pl.DataFrame(rows, schema=frame_schema(S), orient="row"),
        "R": pl.DataFrame(keys, schema=frame_schema(R), orient="row"),
    }
    here.compute(0, 0, 10, frames)
    counts = {
        source: max(here.waiting[place] for place in places) for source, places in sources_of(cut(of)).items()
    }
    assert counts == ({"S": 8, "R": 5} if query == "pairs" else {"S": 8})


@pytest.mark.parametrize("partitions", [0, 2])
def test_a_state_that_becomes_empty_stays_empty(tmp_path: Path, partitions: int) -> None:
    """After so many epochs that a snapshot is due, and with the memory of the process lost."""
    of = graph({"rows": "SELECT k, v FROM R"}, ["R"])
    here, records = placed(of, tmp_path, partitions), [("u", t) for t in range(51)]
    for number, (op, value) in enumerate([*records, ("-", 50), ("+", 7)]):
        record = {
            "k": [1], "v": [value], FROM: [number], TO: [INFINITY], N: [1],
            relations.OP: [op], relations.RANK: [0], relations.PIECE: [0],
        }  # fmt: skip
        frame = pl.DataFrame(record, schema={**frame_schema(R), **relations.RECORD})
        computed = here.compute(number, number, number + 1, {"R": frame})
        facts = here.save(number)
        if number >= 50:
            stage._memory.known.clear()
            here = placed(of, tmp_path, partitions)
            here.resume(facts, number + 1)
    assert computed.outputs["rows"].select("k", "v", N).rows() == [(1, 7, 1)]
