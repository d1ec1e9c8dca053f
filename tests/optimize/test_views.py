"""Programs of many views: one on the other, and each used twice by the next."""

from __future__ import annotations

import pytest

from laws.test_kernels_are_the_reference import ran
from slackwater.algebra import Operator, Project, Schema, Stream
from slackwater.algebra.explain import explained
from slackwater.algebra.expressions import column
from slackwater.algebra.types import INT
from slackwater.base.diagnostic import QueryError
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import Query, bind
from slackwater.optimize import Optimizer, Rule, optimized, steps
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes

DECLARED = "CREATE STREAM R (a INT, b INT, c STRING);\nCREATE VIEW v0 AS SELECT a, b FROM R [RANGE 5];\n"
DATA: dict[str, Changes] = {"R": {0: {(1, 5, "x"): 1, (2, 7, "y"): 2}, 3: {(None, 1, "z"): 1}}}


def bound(levels: int, body: str) -> list[Query]:
    """A query of the last of so many views, each a query of the one before, {}; # is its number."""
    bodies = (body.replace("{}", f"v{n - 1}").replace("#", str(n)) for n in range(1, levels + 1))
    views = "".join(f"CREATE VIEW v{n} AS {text};\n" for n, text in enumerate(bodies, start=1))
    return bind(Text("views.cql", DECLARED + views + f"SELECT * FROM v{levels};"), Catalog())


def stacked(levels: int, body: str) -> Operator:
    return bound(levels, body)[-1].plan


def test_three_hundred_views_one_on_the_other_are_one_query() -> None:
    better = optimized(stacked(300, "SELECT * FROM {}"))
    assert ran(better, DATA, [2]) == ran(optimized(stacked(0, "")), DATA, [2])
    assert len(list(better.walk())) < 5


def test_conditions_of_many_views_meet_below_them() -> None:
    better = optimized(stacked(40, "SELECT a, b + 1 AS b FROM {} WHERE a > 0"))
    assert len(list(better.walk())) < 6
    assert ran(better, DATA, []) == {0: {(1, 45): 1, (2, 47): 2}, 6: {(1, 45): -1, (2, 47): -2}}


def test_a_condition_passes_the_views_below_it_in_one_step() -> None:
    counts = [len(steps(stacked(levels, "SELECT * FROM {} WHERE a > #"))) for levels in (10, 20, 40)]
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


def test_views_looked_at_for_one_plan_are_known_for_the_next() -> None:
    lower, upper = (query.plan for query in bound(30, "SELECT * FROM {} WHERE a > #")[-2:])
    optimizer = Optimizer()
    offered: list[Operator] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "__call__", lambda rule, plan: offered.append(plan) or rule.apply(plan))
        optimizer.optimized(lower)
        first = len(offered)
        optimizer.optimized(upper)
    assert len(offered) - first < first / 4


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        ("SELECT a, b FROM {} WHERE a < # UNION ALL SELECT a, b FROM {} WHERE a >= #", 2),
        ("SELECT a, b FROM {} WHERE a < # UNION ALL "
         "SELECT a, MAX(b) AS b FROM {} WHERE a >= # GROUP BY a", 1),
        ("SELECT x.a, y.b FROM {} AS x JOIN {} AS y ON x.a = y.a", None),
        ("SELECT a, b FROM {} WHERE a IN (SELECT a FROM {})", 2),
        ("SELECT a, b FROM {} UNION SELECT a, b FROM {}", 1),
        ("SELECT a, b FROM {} EXCEPT ALL (SELECT a, b FROM {} WHERE a = 1)", 2),
        ("SELECT a, MAX(b) AS b FROM {} AS x WHERE EXISTS (SELECT 1 FROM {} AS y WHERE y.a = x.a) "
         "GROUP BY a", 1),
    ],
)  # fmt: skip
def test_views_that_use_the_one_before_twice_share_it(body: str, copies: int | None) -> None:
    better = optimized(stacked(16, body))
    assert len(lowered({"answer": better}).nodes) < 500
    if copies is not None:  # a join of copies with copies has too many to count
        assert ran(better, DATA, [2])[0][2, 7] == copies


def test_the_steps_of_views_used_twice_do_not_double_with_each_level() -> None:
    plan = stacked(16, "SELECT x.a, y.b FROM {} AS x JOIN {} AS y ON x.a = y.a WHERE x.b > #")
    traced = steps(plan)
    assert len(traced) < 500
    assert explained(traced[-1].plan) == explained(optimized(plan))


def test_what_is_used_twice_is_shown_once_in_a_long_plan() -> None:
    plan = stacked(16, "SELECT x.a, y.b FROM {} AS x JOIN {} AS y ON x.a = y.a")
    lines = explained(plan).split("\n")
    assert len(lines) < 100
    assert sum(line.endswith("as above") for line in lines) >= 15


def test_what_is_too_deep_is_refused() -> None:
    plan: Operator = Stream("S", Schema.of(a=INT))
    for _ in range(10_000):
        plan = Project(plan, (("a", column("a", INT)),))
    with pytest.raises(QueryError, match="too-deep"):
        optimized(plan)
