"""How graphs are cut: which elements move, by what, and which steps then work together."""

from __future__ import annotations

import pytest

from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import DOUBLE, INT, STRING
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels.layout import state_layout
from slackwater.optimize import optimized
from slackwater.optimize.cost.statistics import NO_STATISTICS, SourceStatistics, Statistics
from slackwater.physical import steps
from slackwater.physical.explain.text import explained_stages
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.physical.stages.plan import Move, Stages
from slackwater.physical.stages.sums import sums_instead


def catalog() -> Catalog:
    streams = Catalog()
    streams.stream("S", Schema.of(a=INT, b=INT, c=STRING))
    streams.stream("T", Schema.of(a=INT, d=DOUBLE))
    streams.relation("R", Schema.of(p=INT))
    return streams


def staged(*texts: str, statistics: Statistics = NO_STATISTICS) -> Stages:
    plans = {
        f"q{i}": bind_query(Text("<query>", t), catalog(), Kind.RELATION).plan for i, t in enumerate(texts)
    }
    return cut(lowered({name: optimized(plan) for name, plan in plans.items()}, statistics=statistics))


def rates(**known: float) -> Statistics:
    return Statistics({name: SourceStatistics(rate=rate) for name, rate in known.items()})


def keys(stages: Stages) -> str:
    """By what each stage's inputs are moved: stages behind `|`, `()` to the first partition, `*` to all."""
    return " | ".join(
        ", ".join(dict.fromkeys(_key(move) for move in stage.takes if move.sums_for is None))
        for stage in stages.stages
    )


def _key(move: Move) -> str:
    if move.is_broadcast:
        return "*"
    return "-" if move.key is None else "+".join(move.key) or "()"


GROUPED = "SELECT a, b, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a, b"

TABLE = [
    # what, moved by,
    # query
    ("nothing is kept", "-",
     "SELECT a FROM S [RANGE 3] WHERE b > 1"),
    ("a group", "S.a",
     "SELECT a, SUM(b) AS s FROM S [RANGE 3] GROUP BY a"),
    ("a group by what is computed", "S.a + 1",
     "SELECT a + 1 AS k, SUM(b) AS s FROM S [NOW] GROUP BY a + 1"),
    ("everything", "()",
     "SELECT SUM(b) AS s FROM S [RANGE 3]"),
    ("groups, then everything", "S.a+S.b | ()",
     f"SELECT MAX(n) AS m FROM ({GROUPED}) AS x"),
    ("groups, then some of their keys", "S.a",
     f"SELECT a, MAX(n) AS m FROM ({GROUPED}) AS x GROUP BY a"),
    ("groups, then something else", "S.a+S.b | x.n",
     f"SELECT n, COUNT(*) AS m FROM ({GROUPED}) AS x GROUP BY n"),
    ("distinct rows, then groups", "a",
     "SELECT a, COUNT(*) AS n FROM (SELECT DISTINCT a, b FROM S [NOW]) AS x GROUP BY a"),
    ("a join", "x.a, y.a",
     "SELECT x.b, y.d FROM S [NOW] AS x JOIN T [NOW] AS y ON x.a = y.a"),
    ("a join, then groups by its key", "x.a, y.a",
     "SELECT y.a, COUNT(*) AS n FROM S [NOW] AS x JOIN T [NOW] AS y ON x.a = y.a GROUP BY y.a"),
    ("an outer join", "x.a, y.a",
     "SELECT * FROM S [NOW] AS x LEFT JOIN T [NOW] AS y ON x.a = y.a"),
    ("all pairs, the right side everywhere", "x.a+x.b, *",
     "SELECT x.b, y.d FROM S [NOW] AS x JOIN T [NOW] AS y ON x.a < y.a"),
    ("all pairs, the smaller side everywhere", "*, y.a+y.d",
     "SELECT x.b, y.d FROM S [NOW] AS x JOIN T [RANGE 9] AS y ON x.a < y.a"),
    ("all pairs with a relation", "*, y.a",
     "SELECT x.p, y.a FROM R AS x JOIN S [RANGE 9] AS y ON x.p < y.a"),
    ("all pairs with a row", "() | x.a+x.b, *",
     "SELECT x.b, y.m FROM S [RANGE 9] AS x JOIN (SELECT MAX(d) AS m FROM T [RANGE 9]) AS y ON x.a < y.m"),
    ("all pairs of what is placed already", "S.a, () | -, *",
     "SELECT x.a, y.m FROM (SELECT a, COUNT(*) AS n FROM S [RANGE 9] GROUP BY a) AS x, "
     "(SELECT MAX(d) AS m FROM T [RANGE 9]) AS y"),
    ("all pairs, then groups as they are placed", "S.a, () | -, *",
     "SELECT a, MAX(m) AS m FROM (SELECT a, COUNT(*) AS n FROM S [RANGE 9] GROUP BY a) AS x, "
     "(SELECT MAX(d) AS m FROM T [RANGE 9]) AS y GROUP BY a"),
    ("all pairs of few rows", "()",
     "SELECT x.b, y.d FROM S [ROWS 5] AS x JOIN T [ROWS 5] AS y ON x.a < y.a"),
    ("rows without partners", "x.a, *",
     "SELECT x.a FROM S [RANGE 9] AS x WHERE NOT EXISTS (SELECT 1 FROM T [NOW] AS y WHERE y.a < x.a)"),
    ("the best of all pairs, first of each group", "group of left, * | ()",
     "SELECT x.b, y.d FROM S [RANGE 9] AS x BESTMATCH JOIN T [RANGE 9] AS y ON (x.a + y.a) MIN, (x.b) MAX"),
    ("the best pairs of each row", "x.a+x.b, *",
     "SELECT x.b, y.d FROM S [RANGE 9] AS x LEFT BESTMATCH JOIN T [RANGE 9] AS y ON (x.a + y.a) MIN"),
    ("the last rows of all", "()",
     "SELECT a FROM S [ROWS 3]"),
    ("the last rows of each", "a",
     "SELECT b FROM S [PARTITION BY a ROWS 3]"),
    ("the last rows of each double", "()",
     "SELECT a FROM T [PARTITION BY d ROWS 3]"),
    ("a slide waits", "a",
     "SELECT a, COUNT(*) AS n FROM S [RANGE 4 SLIDE 2] GROUP BY a"),
    ("both sides of a difference", "a",
     "SELECT a FROM S [NOW] EXCEPT SELECT a FROM T [NOW]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("moved", "query"), [(m, q) for _, m, q in TABLE], ids=[name for name, _, _ in TABLE]
)
def test_elements_move_no_more_than_they_must(moved: str, query: str) -> None:
    assert keys(staged(query)) == moved, explained_stages(staged(query))


def every() -> list[Stages]:
    return [staged(query) for _, _, query in TABLE] + [staged(*(query for _, _, query in TABLE))]


def test_what_keeps_something_has_a_key_for_each_of_its_inputs() -> None:
    for stages in every():
        for work in stages.beside.works:
            node = stages.graph.nodes[work.node]
            assert not state_layout(node) or isinstance(node.step, steps.RangeWindow)
        for work in (work for stage in stages.stages for work in stage.works):
            node = stages.graph.nodes[work.node]
            if state_layout(node) and not (isinstance(node.step, steps.RangeWindow) and node.step.slide == 1):
                assert len(work.keys) == len(work.inputs)


def test_each_stage_needs_only_what_earlier_ones_give_or_pass_on() -> None:
    for stages in every():
        had = set(stages.beside.gives)
        for stage in stages.stages:
            assert set(stage.takes) | set(stage.passes) <= had
            known: set[int] = set()
            for work in stage.works:
                assert {i for i in work.inputs if isinstance(i, int)} <= known
                assert {i for i in work.inputs if isinstance(i, Move)} <= set(stage.takes)
                known.add(work.node)
            had = {*stage.passes, *stage.gives}
        assert not had


def test_every_step_is_in_one_stage() -> None:
    for stages in every():
        nodes = [work.node for stage in (stages.beside, *stages.stages) for work in stage.works]
        assert sorted(nodes) == list(range(len(stages.graph.nodes)))


def test_stages_are_explained() -> None:
    assert explained_stages(
        staged("SELECT MAX(n) AS m FROM (SELECT a, COUNT(*) AS n FROM S [NOW] GROUP BY a) AS x")
    ) == (
        """\
scan
  0  read S (a int, b int, c string)
  1  map a of 0
  2  window now of 1
  3  map S.a = a of 2

stage 0
  exchange 3 by S.a
  exchange 3 by S.a, as partial sums for 4 if these are fewer
  4  aggregate count(*) by S.a of 3
       keeps the accumulators of each group, and the future ends of elements, placed by S.a
  5  map 0: max(x.n) = count(*) of 4

stage 1, in one partition
  exchange 5 to the first partition
  6  aggregate max(0: max(x.n)) of 5
       keeps the accumulators of each group, and the future ends of elements, in the first partition
  7  map m = max(x.n) of 6   => q0"""
    )


def test_a_broadcast_is_explained() -> None:
    assert explained_stages(staged("SELECT x.a FROM S [RANGE 3] AS x, R WHERE x.a < p")).endswith(
        """\
stage 0
  exchange 3 by x.a
  exchange 5 to every partition
  6  join x.a < R.p of 3, 5
       keeps the elements of both sides until they end, placed by x.a, the right side in every partition
  7  map x.a of 6   => q0"""
    )


@pytest.mark.parametrize(
    ("statistics", "moved"),
    [
        (NO_STATISTICS, "x.a, *"),
        (rates(s=1_000, t=1), "x.a, *"),
        (rates(s=1, t=1_000), "*, y.a+y.d"),
        (rates(t=1_000), "x.a, *"),
    ],
)
def test_the_side_with_fewer_bytes_is_sent_to_every_partition(statistics: Statistics, moved: str) -> None:
    """Of equal windows the right one, if nothing is known of both."""
    query = "SELECT x.a, y.d FROM S [RANGE 3000] AS x, T [RANGE 3000] AS y WHERE x.a < y.a"
    assert keys(staged(query, statistics=statistics)) == moved


@pytest.mark.parametrize(
    ("statistics", "moved"), [(rates(s=1_000, t=1), "x.a, y.a"), (rates(s=1, t=1_000), "x.a, y.a")]
)
def test_a_join_by_one_column_moves_both_sides_whatever_they_cost(statistics: Statistics, moved: str) -> None:
    query = "SELECT x.a, y.d FROM S [RANGE 3000] AS x, T [RANGE 3000] AS y WHERE x.a = y.a"
    assert keys(staged(query, statistics=statistics)) == moved


SUMMED = [
    # what, the aggregates that take partial sums and from where,
    # query
    ("sums and counts", "4 of 3",
     "SELECT a, SUM(b) AS s, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a"),
    ("of a window with a slide", "4 of 1",
     "SELECT a, AVG(b) AS s FROM S [RANGE 4 SLIDE 2] GROUP BY a"),
    ("of what may fail behind a slide", "",
     "SELECT a, SUM(CAST(c AS INT)) AS s FROM S [RANGE 4 SLIDE 2] GROUP BY a"),
    ("of groups", "4 of 3, 6 of 5",
     f"SELECT n, COUNT(*) AS m FROM ({GROUPED}) AS x GROUP BY n"),
    ("least values", "",
     "SELECT a, SUM(b) AS s, MIN(b) AS m FROM S [RANGE 3] GROUP BY a"),
    ("each value once", "",
     "SELECT a, COUNT(DISTINCT b) AS n FROM S [RANGE 3] GROUP BY a"),
    ("of elements that stay", "4 of 3",
     f"SELECT a, SUM(n) AS n FROM ({GROUPED}) AS x GROUP BY a"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sums", "query"), [(s, q) for _, s, q in SUMMED], ids=[name for name, _, _ in SUMMED]
)
def test_linear_aggregates_take_partial_sums(sums: str, query: str) -> None:
    stages = staged(query)
    moves = [move for move in stages.moves if move.sums_for is not None]
    assert ", ".join(f"{m.sums_for} of {m.node}" for m in moves) == sums, explained_stages(stages)


def test_elements_that_two_steps_use_move_as_they_are() -> None:
    summed = "SELECT a, COUNT(*) AS n FROM S [RANGE 4 SLIDE 2] GROUP BY a"
    stages = staged(summed, "SELECT a FROM S [RANGE 4 SLIDE 2]")
    assert not any(move.sums_for for move in stages.moves), explained_stages(stages)
    windows = (f"SELECT a, COUNT(*) AS n FROM S [RANGE {r} SLIDE 2] GROUP BY a" for r in (4, 6))
    stages = staged(*windows)
    assert len([move for move in stages.moves if move.sums_for]) == 2
    assert not sums_instead(stages, stages.moves), explained_stages(stages)
