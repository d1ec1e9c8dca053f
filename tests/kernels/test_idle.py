"""Steps to which nothing arrives and nothing falls due are not run; those with an output all the same are."""

from __future__ import annotations

import polars as pl
import pytest

from slackwater.algebra import Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels import machine
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.physical.steps import Step

SCHEMA = {"a": pl.Int32, FROM: pl.Int64, TO: pl.Int64, N: pl.Int64}


def counts(cql: str, cuts: list[int]) -> list[int]:
    """How many elements the query has in each epoch, of one row at the instant 0."""
    declared = Catalog()
    declared.stream("S", Schema.of(a=INT))
    plan = optimized(bind_query(Text("<query>", cql), declared).plan)
    engine = Machine(lowered({"answer": plan}))
    rows = {0: pl.DataFrame([(7, 0, INFINITY, 1)], schema=SCHEMA, orient="row")}
    epochs = zip([0, *cuts], [*cuts, INFINITY], strict=True)
    return [engine.epoch({"S": rows[lo]} if lo in rows else {}, lo, hi)["answer"].height for lo, hi in epochs]


def test_what_falls_due_is_computed_without_new_elements() -> None:
    assert counts("SELECT DSTREAM(a) FROM S [RANGE 5]", [3, 6, 9]) == [0, 0, 1, 0]


def test_windows_that_move_later_show_their_rows_then() -> None:
    assert counts("SELECT ISTREAM(a) FROM S [RANGE 6 SLIDE 4]", [3, 5]) == [0, 1, 0]


def test_rows_are_repeated_at_every_instant() -> None:
    assert counts("SELECT RSTREAM(a) FROM S [RANGE 5]", [3, 5, 8]) == [3, 2, 1, 0]


def test_a_count_is_there_from_the_first_epoch_on() -> None:
    assert counts("SELECT COUNT(*) AS n FROM S [RANGE 5] WHERE a > 9", [3, 6]) == [1, 0, 0]


def test_a_recursion_ends_with_the_rows_it_starts_from() -> None:
    recursion = "WITH RECURSIVE r AS (SELECT a FROM S [RANGE 5] UNION SELECT a - 1 FROM r WHERE a > 5) "
    assert counts(recursion + "SELECT DSTREAM(a) FROM r", [3, 6, 9]) == [0, 0, 3, 0]


def test_a_session_ends_when_nothing_has_come_for_the_gap() -> None:
    assert counts("SELECT DSTREAM(a) FROM S [SESSION 4]", [3, 6, 9]) == [0, 1, 0, 0]


def test_an_idle_step_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def noting(step: Step, *rest: object) -> pl.DataFrame:
        ran.append(type(step).__name__)
        return execute(step, *rest)

    execute = machine.execute
    monkeypatch.setattr(machine, "execute", noting)
    counts("SELECT DISTINCT a + 1 AS b FROM S [RANGE 5] WHERE a > 3", [1])
    first = len(ran)
    counts("SELECT DISTINCT a + 1 AS b FROM S [RANGE 5] WHERE a > 3", [1, 2, 3, 4])
    assert len(ran) == 2 * first, ran
