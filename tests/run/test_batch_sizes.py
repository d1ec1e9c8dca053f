"""How large batches of a backlog are: by where queries run, and by what is done with a row."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.run.cluster.choice import batch_width

CORES = 4
COUNTS = "SELECT k, COUNT(*) AS n FROM S [RANGE 9 SECONDS] GROUP BY k"


def setting(placement: str) -> Any:
    return SimpleNamespace(
        placement=placement,
        spark=SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=CORES)),
    )


def graph_of(text: str) -> Graph:
    catalog = Catalog()
    catalog.stream("S", Schema.of(k=INT, v=INT))
    return lowered({"q": optimized(bind_query(Text("<query>", text), catalog, Kind.RELATION).plan)})


@pytest.mark.parametrize(
    ("query", "width"),
    [
        ("SELECT v FROM S WHERE k > 1", 3),
        (COUNTS, 3),
        (f"SELECT n, COUNT(*) AS m FROM ({COUNTS}) AS x GROUP BY n", 2),
    ],
)
def test_in_the_workers_rows_that_are_exchanged_once_come_in_larger_batches(query: str, width: int) -> None:
    assert batch_width(setting("workers"), graph_of(query)) == width * CORES


def test_in_the_driver_the_number_of_cores_does_not_count() -> None:
    assert batch_width(setting("driver"), graph_of(COUNTS)) == 1
