"""SyncSQL, bound: which plan each of its forms is."""

from __future__ import annotations

import pytest

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Now
from slackwater.algebra.points import Points
from slackwater.algebra.types import BIGINT, INT, STRING, TIMESTAMP, TIMESTAMP_NTZ
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import Query, bind

SOURCE = "CREATE STREAM S (k STRING, v INT) TIME t INT;"


def bound(text: str, catalog: Catalog | None = None) -> Query:
    """The last query of a program."""
    return bind(Text("program.cql", text), catalog or Catalog())[-1]


def plan_of(text: str) -> Operator:
    return bound(f"{SOURCE} {text}").plan


def operators(plan: Operator) -> list[str]:
    return [type(node).__name__ for node in plan.walk()]


def test_the_type_of_a_column_stands_before_or_after_it() -> None:
    catalog = Catalog()
    bind(Text("p", "REGISTER SOURCE a (char k, v int, bigint w NOT NULL, time INT) TIME t INT"), catalog)
    entry = catalog.get("a")
    assert entry is not None
    assert entry.plan == algebra.Stream("a", algebra.Schema.of(k=STRING, v=INT, w=BIGINT, time=INT))


@pytest.mark.parametrize("key", ["KEY k", "KEY (k)"])
def test_a_stream_whose_rows_are_tagged_is_a_relation(key: str) -> None:
    catalog = Catalog()
    bind(Text("p", f"CREATE STREAM a (k STRING, v INT) {key} OP op TIME t INT"), catalog)
    (source,) = catalog.sources
    assert source.plan == algebra.Relation("a", algebra.Schema.of(k=STRING, v=INT), ("k",))
    assert source.op == "op"


def test_r_of_a_relation_is_the_relation() -> None:
    text = "CREATE STREAM T OVER S KEY k; SELECT STREAMED"
    assert plan_of(f"{text} k, v FROM R(T)") == plan_of(f"{text} k, v FROM T")
    assert plan_of(f"{text} k, v FROM ℜ(T)") == plan_of(f"{text} k, v FROM r(T)")


def test_brackets_are_another_spelling_of_sync_by() -> None:
    view = "CREATE STREAMED VIEW P AS SELECT Timepoint FROM R(clockStr) WHERE Timepoint MOD 4 = 1;"
    assert plan_of(f"{view} SELECT k FROM R[P](S) x") == plan_of(f"{view} SELECT k FROM R(S) x SYNC BY P")
    assert plan_of(f"{view} SELECT k FROM R(S) SYNC BY P AS x") == plan_of(
        f"{view} SELECT k FROM ℜ[P](S) AS x"
    )


def test_a_star_includes_ts_of_streams_only() -> None:
    assert plan_of("SELECT STREAMED * FROM R(S)").schema.names == ("k", "v", "TS")
    view = "CREATE STREAMED VIEW V AS SELECT k FROM S [ROWS 2];"
    assert plan_of(f"{view} SELECT STREAMED * FROM R(V)").schema.names == ("k",)
    stream = plan_of(f"{view} SELECT STREAMED *, TS FROM R(V)")
    assert stream.schema.names == ("k", "TS")
    assert "Stamp" not in operators(plan_of(f"{view} SELECT STREAMED * FROM R(V)"))


def test_a_column_called_ts_is_the_one_that_counts() -> None:
    plan = bound("CREATE STREAM S (ts INT, v INT) TIME t INT; SELECT STREAMED TS FROM R(S)").plan
    assert plan.schema == algebra.Schema.of(TS=INT)
    assert "Stamp" not in operators(plan)


def test_a_column_called_now_is_the_one_that_counts() -> None:
    plan = bound("CREATE STREAM S (now INT) TIME t INT; SELECT now FROM S [ROWS 1] WHERE now > 3").plan
    assert "When" not in operators(plan)


def test_a_stream_called_clockstr_is_the_one_that_counts() -> None:
    plan = bound("CREATE STREAM clockStr (a INT) TIME t INT; SELECT a FROM R(clockStr)").plan
    assert "Ticks" not in operators(plan)


@pytest.mark.parametrize(
    ("time", "type_"), [("INT", BIGINT), ("TIMESTAMP", TIMESTAMP), ("TIMESTAMP_NTZ", TIMESTAMP_NTZ)]
)
def test_ts_now_and_timepoint_have_the_type_of_the_clock(time: str, type_: algebra.Type) -> None:
    source = f"CREATE STREAM S (v INT) TIME t {time};"
    window = bound(f"{source} SELECT STREAMED TS FROM R(S) WHERE NOW > TS").plan
    assert window.schema.types == (type_,)
    (when,) = (node for node in window.walk() if isinstance(node, algebra.When))
    assert {part.type for part in when.predicate.walk() if isinstance(part, Now)} == {type_}
    clock = bound(f"{source} SELECT STREAMED Timepoint FROM R(clockStr)").plan
    assert clock.schema.types == (type_,)


def test_a_period_is_measured_by_the_clock() -> None:
    source = "CREATE STREAM S (v INT) TIME t TIMESTAMP;"
    plan = bound(f"{source} SELECT STREAMED v FROM R(S) SYNC BY EVERY 5 MINUTES OFFSET 1 MINUTE").plan
    (synchronize,) = (node for node in plan.walk() if isinstance(node, algebra.Synchronize))
    assert synchronize.points == Points.every(300_000_000, 60_000_000)


def test_a_chain_of_comparisons_is_their_conjunction() -> None:
    chain = plan_of("SELECT k FROM S [ROWS 1] WHERE 1 < v <= 5 < 9")
    assert chain == plan_of("SELECT k FROM S [ROWS 1] WHERE 1 < v AND v <= 5 AND 5 < 9")
    boolean = plan_of("SELECT k FROM S [ROWS 1] WHERE 1 < v > (v = 2)")
    assert boolean == plan_of("SELECT k FROM S [ROWS 1] WHERE (1 < v) > (v = 2)")


def test_a_form_that_is_named_is_the_form_of_a_relation() -> None:
    by_default, streamed = bound(f"{SOURCE} SELECT k FROM S"), bound(f"{SOURCE} SELECT STREAMED k FROM S")
    assert by_default.plan == algebra.Istream(streamed.plan)
    assert (by_default.output, streamed.output) == (None, "streamed")
    view = bound(f"{SOURCE} CREATE COMPLETE VIEW V AS SELECT k FROM S")
    assert (view.plan, view.output) == (streamed.plan, "complete")


def test_a_now_view_that_is_only_in_conditions_does_not_tick() -> None:
    view = "CREATE STREAMED VIEW N AS SELECT 1 AS one, MAX(Timepoint) AS c FROM R(clockStr);"
    plan = plan_of(f"{view} SELECT STREAMED S.* FROM R(S) JOIN N ON N.c - 5 < S.TS WHERE S.TS <= N.c")
    assert operators(plan) == ["Project", "When", "When", "Project", "Range", "Stamp", "Stream"]
    assert "Ticks" in operators(plan_of(f"{view} SELECT STREAMED S.*, c FROM R(S), N WHERE c - 5 < S.TS"))
