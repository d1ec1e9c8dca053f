"""Functions of functions: the kernels call them for all rows at once, and give what the reference gives."""

from __future__ import annotations

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from slackwater import algebra
from slackwater.algebra import Project
from slackwater.algebra.expressions import Call, Expression, HigherCall, free_variables
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, array, map_of
from slackwater.algebra.values import map_value
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.expressions import columns
from slackwater.kernels.expressions.values import column_of, values_of
from slackwater.optimize.phases import optimized
from slackwater.reference.expressions import compiled

TYPES = {"n": BIGINT, "a": array(BIGINT), "b": array(BIGINT), "m": map_of(BIGINT, BIGINT)}
LARGE = 2**62
DECLARED = "CREATE STREAM r (n BIGINT, a ARRAY<BIGINT>, b ARRAY<BIGINT>, m MAP<BIGINT, BIGINT>) TIME at INT;"

numbers = st.none() | st.integers(-2, 3) | st.sampled_from((LARGE, -LARGE))
arrays = st.none() | st.lists(numbers, max_size=4).map(tuple)
maps = st.none() | st.dictionaries(st.integers(-2, 2), numbers, max_size=3).map(
    lambda d: map_value(d.items())
)
rows = st.lists(st.tuples(numbers, arrays, arrays, maps), min_size=1, max_size=4)


@st.composite
def numeric(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    """A number over the variables and the column n; names are hidden at random."""
    kind = draw(st.integers(0, 7 if depth else 1))
    inner = numeric(names, depth - 1)
    match kind:
        case 0:
            return draw(st.sampled_from((*names, "n")))
        case 1:
            return draw(st.sampled_from(("0", "1", "-2", "NULL + 1")))
        case 2 | 3:
            return f"({draw(inner)} {draw(st.sampled_from('+*-'))} {draw(inner)})"
        case 4:
            return f"CASE WHEN {draw(condition(names, depth - 1))} THEN {draw(inner)} ELSE {draw(inner)} END"
        case 5:
            return f"coalesce({draw(inner)}, {draw(inner)})"
        case 6:
            return f"size({draw(listed(names, depth - 1))})"
    one, other = draw(st.permutations(("x", "y", "n")))[:2]
    body = draw(numeric((*names, one, other), depth - 1))
    return f"aggregate({draw(listed(names, depth - 1))}, 0, ({one}, {other}) -> {body})"


@st.composite
def condition(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    inner = numeric(names, max(depth - 1, 0))
    if not depth or draw(st.booleans()):
        return f"{draw(inner)} {draw(st.sampled_from(('<', '=', '>')))} {draw(inner)}"
    name = draw(st.sampled_from("xn"))
    function = draw(st.sampled_from(("exists", "forall")))
    body = draw(condition((*names, name), depth - 1))
    return f"{function}({draw(listed(names, depth - 1))}, {name} -> {body})"


@st.composite
def listed(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    if not depth:
        return draw(st.sampled_from("ab"))
    one, other = draw(st.permutations(("x", "y", "n")))[:2]
    inner, below = draw(listed(names, depth - 1)), (*names, one, other)
    match draw(st.integers(0, 4)):
        case 0:
            return f"transform({inner}, ({one}, {other}) -> {draw(numeric(below, depth - 1))})"
        case 1:
            return f"filter({inner}, {one} -> {draw(condition((*names, one), depth - 1))})"
        case 2:
            return f"zip_with({inner}, a, ({one}, {other}) -> {draw(numeric(below, depth - 1))})"
        case 3:
            return f"array_sort({inner}, ({one}, {other}) -> {draw(numeric(below, depth - 1))})"
    kind = draw(st.sampled_from(("transform_keys", "transform_values")))
    return f"map_values({kind}(m, ({one}, {other}) -> {draw(numeric(below, depth - 1))}))"


def plan_of(query: str) -> algebra.Operator:
    return bind(Text("q", f"{DECLARED} {query}"), Catalog())[-1].plan


def value_of(text: str) -> Expression:
    project = next(
        node for node in plan_of(f"SELECT {text} AS v FROM r [NOW]").walk() if isinstance(node, Project)
    )
    return project.columns[0][1]


def outcome(expr: Expression, given_rows: list[tuple[object, ...]]) -> object:
    evaluate = compiled(expr, Schema(tuple((f"r.{name}", type_) for name, type_ in TYPES.items())))
    try:
        return [evaluate(row, {}) for row in given_rows]
    except EngineError as error:
        return error.diagnostics[0].code


def by_kernels(expr: Expression, given_rows: list[tuple[object, ...]]) -> object:
    frame = pl.DataFrame(
        [
            column_of([row[place] for row in given_rows], type_).alias(f"r.{name}")
            for place, (name, type_) in enumerate(TYPES.items())
        ]
    )
    try:
        return values_of(frame.select(columns.column(expr).alias("v"))["v"], expr.type)
    except EngineError as error:
        return error.diagnostics[0].code


@given(listed((), 3), rows)
@example("transform(a, x -> x * x)", [(1, (), (), None), (1, (LARGE,), None, None)])
@example("filter(a, x -> exists(b, n -> n * n > x))", [(1, (1, LARGE), (2, LARGE), ())])
@example("transform(a, x -> aggregate(b, 0, (x, n) -> x + n) + x)", [(1, (1, 2), (3, None), ())])
def test_the_kernels_are_the_reference(text: str, given_rows: list[tuple[object, ...]]) -> None:
    expr = value_of(text)
    assert not free_variables(expr)
    assert by_kernels(expr, given_rows) == outcome(expr, given_rows)


def test_functions_that_differ_in_names_are_equal() -> None:
    assert value_of("transform(a, x -> x + n)") == value_of("transform(a, y -> y + n)")
    assert value_of("transform(a, n -> n + 1)") != value_of("transform(a, x -> n + 1)")


def test_what_a_function_uses_is_computed_once_for_a_row() -> None:
    plan = optimized(
        plan_of("SELECT transform(a, x -> x + d) AS v FROM (SELECT a, n * 2 AS d FROM r [NOW]) AS t")
    )
    exprs = [expr for node in plan.walk() for expr in node.expressions]
    (call,) = (part for expr in exprs for part in expr.walk() if isinstance(part, HigherCall))
    inside = {part.function for part in call.walk() if isinstance(part, Call)}
    everywhere = {part.function for expr in exprs for part in expr.walk() if isinstance(part, Call)}
    assert inside == {"add"}
    assert everywhere == {"add", "multiply"}
    assert not any(map(free_variables, exprs))
