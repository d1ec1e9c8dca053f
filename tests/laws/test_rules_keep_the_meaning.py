"""Every rule, and all of them in their order, keep the meaning of a plan, on generated queries and inputs."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import (
    AGGREGATES,
    COMPARISONS,
    WINDOWS,
    Generated,
    Source,
    _Writer,
    catalog,
    inputs,
    queries,
)
from laws.subqueries import few_inputs, subqueries
from rules.plans import Case, cases
from slackwater.algebra import Kind, Relation, Stream
from slackwater.algebra.expressions import Outer
from slackwater.algebra.operator import Operator
from slackwater.algebra.types import INT
from slackwater.base.diagnostic import EngineError
from slackwater.base.rules import Rule
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.optimize import PHASES, optimized, steps
from slackwater.optimize.driver import PlanDriver
from slackwater.reference.bags import Changes, record
from slackwater.reference.history import Histories

UNTIL = 15


class _Nesting(_Writer):
    """Writes queries with subqueries of every form in every place."""

    aggregated = False

    def subquery(self, outer: list[Source], depth: int) -> str:
        kinds = ("plain", "outside", "grouped", "counted", "set", "joined", "distinct", "derived")
        match self.pick(kinds):
            case "outside":
                inner, scope = self._scope(outer)
                value = self.integer(scope, depth)
                return f"SELECT {value} AS v FROM {self._from(inner)}{self._where(scope, depth)}"
            case "grouped" | "counted" as kind:
                inner, scope = self._scope(outer)
                call = self.pick(AGGREGATES[:7]).replace("{}", self.integer(scope, 0))
                by = f" GROUP BY {inner.alias}.a" if kind == "grouped" else ""
                having = (
                    f" HAVING COUNT(*) {self.pick(COMPARISONS)} {self.integer(outer, 0)}"
                    if self.coin()
                    else ""
                )
                where = self._where(scope, depth)
                return f"SELECT CAST({call} AS INT) AS v FROM {self._from(inner)}{where}{by}{having}"
            case "set":
                word = self.pick(("UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL",
                                  "UNION MAX", "EXCEPT STRICT"))  # fmt: skip
                return f"{super().subquery(outer, depth)} {word} {super().subquery(outer, depth)}"
            case "joined":
                one, other = self.source(), self.source()
                scope = [*outer, one, other]
                kind = self.pick(("INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"))
                on = f"{one.alias}.a = {other.alias}.a AND {self.condition(scope, depth)}"
                value = self.integer([one], 0)
                text = f"{self._from(one)} {kind} JOIN {self._from(other)} ON {on}"
                return f"SELECT {value} AS v FROM {text}{self._where([*outer, one], depth)}"
            case "distinct":
                return super().subquery(outer, depth).replace("SELECT", "SELECT DISTINCT", 1)
            case "derived":
                number = len(self.query.sources) + 1
                return f"SELECT y{number}.v FROM ({super().subquery(outer, depth)}) AS y{number}"
            case _:
                return super().subquery(outer, depth)

    def scalar(self, outer: list[Source], depth: int) -> str:
        if self.coin():
            return super().scalar(outer, depth)
        inner, scope = self._scope(outer)
        by = f"GROUP BY {inner.alias}.a HAVING {inner.alias}.a = {self.integer(outer, 0)}"
        value = self.pick((f"MAX({self.integer([inner], 0)})", f"COUNT(*) + {self.integer(outer, 0)}"))
        return f"(SELECT {value} AS v FROM {self._from(inner)}{self._where(scope, depth)} {by})"

    def condition(self, scope: list[Source], depth: int) -> str:
        if depth and self.draw(st.integers(0, 5)) == 0:
            inner, both = self._scope(scope)
            pair = f"({self.integer(scope, 0)}, {self.integer(scope, 0)})"
            values = f"{self.integer([inner], 0)} AS v, {self.integer(both, 0)} AS w"
            word = self.pick(("IN", "NOT IN"))
            return f"{pair} {word} (SELECT {values} FROM {self._from(inner)}{self._where(both, depth - 1)})"
        return super().condition(scope, depth)

    def aggregate(self, scope: list[Source]) -> str:
        """The first aggregate of a query is of a value with a subquery."""
        depth, self.aggregated = 0 if self.aggregated else 1, True
        return self.pick(AGGREGATES).replace("{}", self.integer(scope, depth))

    def from_clause(self) -> tuple[str, list[Source]]:
        if self.coin():
            return super().from_clause()
        one, other = self.source(), self.source()
        kind = self.pick(("INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"))
        on = self.condition([one, other], 2)
        scope = [one] if kind in ("SEMI", "ANTI") else [one, other]
        return f"{self._from(one)} {kind} JOIN {self._from(other)} ON {on}", scope

    def _scope(self, outer: list[Source]) -> tuple[Source, list[Source]]:
        inner = self.source()
        return inner, [*outer, inner]

    def _from(self, source: Source) -> str:
        return f"{{{source.placeholder}}} AS {source.alias}"

    def _where(self, scope: list[Source], depth: int) -> str:
        if not self.coin():
            return ""
        ints = self.columns(scope, INT)
        equal = f"{self.pick(ints)} = {self.pick(ints)}"
        return f" WHERE {equal}" if self.coin() else f" WHERE {equal} AND {self.condition(scope, depth)}"


@st.composite
def nested(draw: st.DrawFn) -> Generated:
    return _Nesting(draw).whole()


@st.composite
def streamed(draw: st.DrawFn) -> str:
    """A stream of a relation, with a selection, windows, and streamed again."""
    query: Generated = draw(queries())
    operators = st.sampled_from(["ISTREAM", "DSTREAM", "RSTREAM"])
    text = f"{draw(operators)}({query.cql})"
    window = draw(st.sampled_from(WINDOWS)).replace("BY a", "BY p")
    where = draw(st.sampled_from(["", " WHERE w.p > 0", " WHERE w.p = w.q AND w.q IS NOT NULL"]))
    text = f"SELECT w.p AS p, w.q AS q FROM ({text}) [{window}] AS w{where}"
    return f"{draw(operators)}({text})" if draw(st.booleans()) else text


def plan_of(text: str) -> Operator:
    return bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan


def is_unnested(plan: Operator) -> bool:
    return not any(
        below.subplans or isinstance(node, Outer)
        for below in plan.walk()
        for expr in below.expressions
        for node in expr.walk()
    )


@trying(60)
@given(queries(), inputs)
def test_the_optimized_plan_gives_the_same_answer(query: Generated, data: dict[str, Changes]) -> None:
    plan = plan_of(query.cql)
    better = optimized(plan)
    assert is_unnested(better)
    assert Histories(data).changes(better) == Histories(data).changes(plan), query.cql


@trying(100)
@given(subqueries(), few_inputs)
def test_nested_subqueries_of_any_level_are_unnested(query: Generated, data: dict[str, Changes]) -> None:
    plan = plan_of(query.cql)
    better = optimized(plan)
    assert is_unnested(better)
    assert Histories(data).changes(better) == Histories(data).changes(plan), query.cql


@trying(60)
@given(nested(), inputs)
def test_subqueries_of_every_form_in_every_place_are_unnested(
    query: Generated, data: dict[str, Changes]
) -> None:
    plan = plan_of(query.cql)
    better = optimized(plan)
    assert is_unnested(better)
    assert Histories(data).changes(better) == Histories(data).changes(plan), query.cql


@trying(40)
@given(st.one_of(queries(), nested(), subqueries()), inputs)
def test_every_single_step_keeps_the_answer(query: Generated, data: dict[str, Changes]) -> None:
    plan = plan_of(query.cql)
    answer = Histories(data).changes(plan)
    for step in steps(plan):
        assert Histories(data).changes(step.plan) == answer, f"{step.rule}: {query.cql}"


@trying(40)
@given(streamed(), inputs)
def test_every_step_on_a_stream_keeps_its_elements(text: str, data: dict[str, Changes]) -> None:
    plan = bind_query(Text("<query>", text), catalog()).plan
    answer = Histories(data, UNTIL).changes(plan)
    for step in steps(plan):
        assert Histories(data, UNTIL).changes(step.plan) == answer, f"{step.rule}: {text}"


@trying(40)
@given(st.one_of(queries(), nested(), subqueries()))
def test_a_rule_that_fits_a_node_is_tried_on_it(query: Generated) -> None:
    plan = plan_of(query.cql)
    rules = tuple(law for phase in PHASES for law in phase.rules if isinstance(law, Rule))
    driver = PlanDriver(rules)
    for node in (*plan.walk(), *optimized(plan).walk()):
        assert [law.name for law in rules if law(node) is not None and law not in driver.tried_on(node)] == []


def some_inputs(plan: Operator, seed: str) -> dict[str, Changes]:
    """A few rows for each source, determined by the seed; keys are unique."""
    random = Random(seed)
    data: dict[str, Changes] = {}
    for source in plan.walk():
        if isinstance(source, Stream | Relation) and source.name not in data:
            changes = data.setdefault(source.name, {})
            present: dict[object, tuple] = {}
            for t in sorted(random.choices(range(10), k=12)):
                row = tuple(random.choice(_VALUES[type_.name]) for type_ in source.schema.types)
                key = row[0] if isinstance(source, Relation) and source.key else object()
                if isinstance(source, Relation) and random.random() < 0.3 and present:
                    record(changes, t, present.pop(random.choice(list(present))), -1)
                elif key not in present:
                    present[key] = row
                    record(changes, t, row, 1)
    return data


_VALUES = {
    "int": (None, 0, 1, 1, 2, 3),
    "string": (None, "1", "2", "30"),
    "array": (None, (), ("1",), ("1", "2"), ("30", None, "1")),
}
"""By the name of a type; arrays are of texts."""


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.path.stem}: {case.rule}")
def test_every_rule_keeps_the_answer_where_its_plan_shows_that_it_fires(case: Case) -> None:
    plan = case.plan()
    for seed in range(6):
        data = some_inputs(plan, f"{case.query} {seed}")
        try:
            answer = Histories(data, UNTIL).changes(plan)
        except EngineError:
            continue
        for step in (*case.steps(), *case.all_steps()):
            assert Histories(data, UNTIL).changes(step.plan) == answer, f"{step.rule}: {case.query}"


def test_every_rule_fires_while_whole_plans_are_optimized() -> None:
    fired = {step.rule for case in cases() for step in case.all_steps()}
    assert {rule.name for phase in PHASES for rule in phase.rules} - fired == set()
