"""MATCH_RECOGNIZE: the reference against regular expressions, the engines against the reference."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import streams
from laws.test_kernels_are_the_reference import cuts
from laws.test_workers_are_the_driver import many_cuts, outcome
from slackwater.algebra import Operator, Schema
from slackwater.algebra.types import INT, STRING
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.engines.engine import Kernels
from slackwater.language.cql import parse, to_sql
from slackwater.optimize import optimized
from slackwater.physical.description import described, graph_of
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

SCHEMAS = {"S": Schema.of(k=INT, c=STRING, x=INT)}
VALUES = {INT: st.sampled_from([0, 1, 2, 3, None]), STRING: st.sampled_from(["a", "b", "c"])}
data = st.fixed_dictionaries({"S": streams(SCHEMAS["S"], 10, 9, VALUES)})
QUANTIFIERS = ("", "", "", "+", "?", "*", "+?", "*?", "??", "{2}", "{1,2}", "{0,2}?", "{1,}")


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    """Patterns of A, B and C, in which what is repeated is not empty."""
    if not depth or draw(st.booleans()):
        return draw(st.sampled_from("ABC")) + draw(st.sampled_from(QUANTIFIERS))
    parts = draw(st.lists(patterns(depth - 1), min_size=1, max_size=3))
    if draw(st.booleans()):
        return f"({' | '.join(parts)})"
    plain = " ".join(draw(st.sampled_from("ABC")) for _ in parts)
    return f"({plain}){draw(st.sampled_from(QUANTIFIERS))} {' '.join(parts)}"


whole = patterns().map(lambda pattern: f"{pattern} B A" if "A" not in pattern else f"C? {pattern} B")


def plan_of(text: str) -> Operator:
    declarations = Catalog()
    for name, schema in SCHEMAS.items():
        declarations.stream(name, schema)
    return bind_query(Text("<query>", text), declarations).plan


letters = st.lists(st.sampled_from("abc"), max_size=9)


@trying(150)
@given(whole, letters)
def test_matches_are_those_of_a_regular_expression(pattern: str, rows: list[str]) -> None:
    text = (
        "SELECT ISTREAM(*) FROM S MATCH_RECOGNIZE (MEASURES FIRST(x) AS a, LAST(x) AS b "
        f"PATTERN ({pattern}) WITHIN 100 DEFINE A AS c = 'a', B AS B.c = 'b') AS m"
    )
    inputs: dict[str, Changes] = {"S": {at: {(0, letter, at): 1} for at, letter in enumerate(rows)}}
    changes = Histories(inputs).changes(plan_of(text))
    regular = re.sub(r"[ABC]", lambda name: {"A": "a", "B": "b", "C": "."}[name[0]], pattern.replace(" ", ""))
    expected = [(one.start(), one.end() - 1) for one in re.finditer(regular, "".join(rows))]
    assert sorted(row for bag in changes.values() for row in bag) == expected


CONDITIONS = (
    "A AS A.c = 'a', B AS B.c = 'b'",
    "A AS c <> 'b', B AS B.x > PREV(B.x), C AS C.x <= PREV(x, 2)",
    "B AS B.x >= A.x, C AS C.x <> LAST(B.x)",
    "A AS SUM(A.x) < 4, B AS COUNT(*) < 4, C AS AVG(A.x) <= C.x",
    "B AS B.x >= FIRST(B.x), C AS C.c <> LAST(C.c, 1) OR LAST(C.c, 1) IS NULL",
    "A AS CAST(A.x AS STRING) < '3', C AS PREV(FIRST(A.x)) IS NULL OR MATCH_NUMBER() < 3",
)
MEASURES = (
    "FIRST(A.x) AS f, LAST(B.x, 1) AS l, COUNT(C.x) AS n, MATCH_NUMBER() AS m",
    "CLASSIFIER() AS v, SUM(B.x) AS s, COUNT(*) AS n, x AS y",
    "A.x + B.x AS s, PREV(A.x) AS p, MAX(c) AS c, COUNT(DISTINCT A.x) AS d",
)
SKIPS = ("", "AFTER MATCH SKIP PAST LAST ROW", "AFTER MATCH SKIP TO NEXT ROW", "AFTER MATCH SKIP TO LAST B",
         "AFTER MATCH SKIP TO FIRST C", "AFTER MATCH SKIP TO B")  # fmt: skip


@st.composite
def queries(draw: st.DrawFn) -> str:
    skip = draw(st.sampled_from(SKIPS))
    pattern = draw(whole)
    if skip.endswith(("B", "C")):
        pattern = f"A+ {skip[-1]} {pattern}"
    partition = draw(st.sampled_from(["", "PARTITION BY k ", "PARTITION BY k, c "]))
    within = draw(st.sampled_from(["", "WITHIN 3 ", "WITHIN 1 ", "WITHIN 6 "]))
    variables = "".join(sorted(set(re.findall("[ABC]", pattern))))
    pattern = pattern if variables == "ABC" else f"{pattern} (A | B | C)"
    return (
        f"SELECT ISTREAM(*) FROM S MATCH_RECOGNIZE ({partition}MEASURES {_measures(draw, partition)} {skip} "
        f"PATTERN ({pattern}) {within}DEFINE {draw(st.sampled_from(CONDITIONS))}) AS m"
    )


def _measures(draw: st.DrawFn, partition: str) -> str:
    return draw(st.sampled_from(MEASURES[:2] if ", c" in partition else MEASURES))


def answer(engine: object, text: str, data: dict[str, Changes], at: list[int]) -> Changes:
    plan = plan_of(text)
    return Kernels().run(plan, data, at) if engine is Kernels else Histories(data).changes(plan)


@trying(150)
@given(queries(), data, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    assert answer(Kernels, text, data, at) == answer(Histories, text, data, at), text


@trying(40)
@given(queries(), data)
def test_the_two_evaluators_of_the_reference_agree(text: str, data: dict[str, Changes]) -> None:
    plan = plan_of(text)
    assert Snapshots(data).changes(plan) == Histories(data).changes(plan), text


@trying(25)
@given(queries(), data, many_cuts, st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_driver_and_workers_resume_from_each_other(
    text: str, data: dict[str, Changes], at: list[int], places: list[int]
) -> None:
    plan = optimized(plan_of(text))
    assert outcome(plan, data, at, places, False, SCHEMAS) == Histories(data).changes(plan), text


@trying(30)
@given(queries())
def test_a_query_is_what_it_is_printed_and_described_as(text: str) -> None:
    (tree,) = parse(Text("<query>", text))
    assert parse(Text("<query>", to_sql(tree))) == [tree]
    graph = lowered({"answer": optimized(plan_of(text))})
    assert graph_of(json.loads(json.dumps(described(graph), allow_nan=False))) == graph, text
