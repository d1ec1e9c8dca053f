"""Descriptions: plans as data. What is read is what was written, and what is unknown is named."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from slackwater.algebra import types
from slackwater.algebra.expressions import nodes
from slackwater.algebra.expressions.nodes import Aggregation, Expression, Literal
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import INT, Type
from slackwater.algebra.users.functions import AGGREGATE, ROWS, UserFunction
from slackwater.algebra.values import NAN
from slackwater.base.span import Text
from slackwater.physical import steps
from slackwater.physical.description import Unreadable, described, graph_of, state_names
from slackwater.physical.description import expressions as in_expressions
from slackwater.physical.description import steps as in_steps
from slackwater.physical.description.forms import Shape
from slackwater.physical.graph import Graph

S = Schema.of(a=INT)
INSIDE_PLANS_ONLY = {nodes.Outer, nodes.Subquery, nodes.Exists, nodes.Scalar, nodes.Quantified, nodes.Table}


def test_every_step_has_a_name() -> None:
    assert {shape.kind for shape in in_steps.STEPS.values()} == set(steps.STEPS)


def test_every_expression_of_steps_has_a_name() -> None:
    kinds = {kind for _, kind in inspect.getmembers(nodes, inspect.isclass) if issubclass(kind, Expression)}
    tabled = {shape.kind for shape in in_expressions.EXPRESSIONS.values()}
    assert tabled == kinds - INSIDE_PLANS_ONLY - {Expression}


@pytest.mark.parametrize(
    "shape", [*in_steps.STEPS.values(), *in_expressions.EXPRESSIONS.values()], ids=lambda s: s.kind.__name__
)
def test_every_field_is_described_except_the_place_in_a_text(shape: Shape) -> None:
    attributes = {field.name for field in fields(shape.kind)} - {"origin"}
    assert {field.attribute for field in shape.fields.values()} == attributes


def test_every_type_has_a_name() -> None:
    constants = {value.name for value in vars(types).values() if isinstance(value, Type)}
    assert constants | {"decimal", "array", "struct", "map"} == in_expressions.TYPES


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -(2**63), 0.1, 1.0, float("inf"), NAN, "a 'b'", b"\x00\xff", Decimal("1.10"),
     date(2024, 2, 29), datetime(2024, 2, 29, 12, 0, 0, 1), timedelta(days=-1, microseconds=7),
     (1, None, (2.5, "x"))],
)  # fmt: skip
def test_a_value_is_read_as_it_was_written(value: Any) -> None:
    data = json.loads(json.dumps(in_expressions.VALUE.write(value), allow_nan=False))
    again = in_expressions.VALUE.read(data)
    assert (again, type(again)) == (value, type(value))


def test_a_type_is_read_as_it_was_written() -> None:
    nested = types.struct(a=types.array(types.decimal(10, 2)), b=types.struct(c=INT))
    assert in_expressions.TYPE.read(json.loads(json.dumps(in_expressions.TYPE.write(nested)))) == nested


def graph(predicate: Expression | None = None) -> Graph:
    made = Graph()
    read = made.add(steps.Read("S", S), (), S)
    made.outputs["q"] = made.add(steps.Filter(predicate or Literal(types.BOOLEAN, True)), (read,), S)
    return made


def changed(change: dict[str, Any]) -> dict[str, Any]:
    return {**described(graph()), **change}


def test_a_description_of_a_later_version_is_refused() -> None:
    with pytest.raises(Unreadable, match="version 2 of plans; this slackwater reads up to version 1"):
        graph_of(changed({"version": 2}))


@pytest.mark.parametrize(
    ("step", "what"),
    [
        ({"is": "sort"}, 'step "sort"'),
        ({"is": "changed", "sign": 1, "until": 3}, '"until" of step "changed"'),
        ({"is": "filter", "predicate": {"is": "lambda"}}, 'expression "lambda"'),
        ({"is": "filter", "predicate": {"is": "call", "type": "money"}}, 'type "money"'),
        (
            {"is": "filter", "predicate": {"is": "call", "type": "int", "function": "eval", "arguments": []}},
            'function "eval"',
        ),
    ],
)
def test_what_is_unknown_is_named(step: dict[str, Any], what: str) -> None:
    node = {"state": "x", "step": step, "inputs": [], "schema": []}
    with pytest.raises(Unreadable, match=what):
        graph_of(changed({"steps": [node]}))


def test_a_state_has_the_same_name_in_every_graph_and_wherever_its_text_is() -> None:
    here = graph()
    other = Graph()
    other.add(steps.Read("T", S), (), S)
    read = other.add(steps.Read("S", S, origin=Text("t", "x").span()), (), S)
    place = other.add(steps.Filter(Literal(types.BOOLEAN, True, origin=Text("t", "x").span())), (read,), S)
    assert state_names(other)[place] == state_names(here)[1]
    assert state_names(graph(Literal(types.BOOLEAN, False)))[1] != state_names(here)[1]


def test_a_name_that_was_read_stays() -> None:
    """Even where a later version describes the step in another way."""
    before = described(graph())
    before["steps"][1]["state"] = "as it was"
    assert state_names(graph_of(before))[1] == "as it was"


def test_a_class_may_be_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = json.loads(json.dumps(described(graph())))

    @dataclass(frozen=True, slots=True)
    class Sieve(steps.Step):
        condition: Expression

    form = in_steps.STEPS["filter"].fields["predicate"].form
    table = {**in_steps.STEPS, "filter": Shape(Sieve, {"predicate": in_steps.Field("condition", form)})}
    monkeypatch.setattr(in_steps, "_STEP", in_steps.table("step", table))
    again = graph_of(before)
    assert again.nodes[1].step == Sieve(Literal(types.BOOLEAN, True))
    assert described(again) == before
    again.names.clear()
    assert described(again) == before


def test_aggregations_are_described_whole() -> None:
    attributes = {field.name for field in fields(Aggregation)} - {"origin"}
    function = UserFunction("f", "m:f", ROWS, INT, form=AGGREGATE)
    aggregation = Aggregation(INT, nodes.USER, nodes.column("a", INT), True, user=function)
    data = in_expressions.AGGREGATION.write(aggregation)
    assert len(data) == len(attributes) + 1
    assert in_expressions.AGGREGATION.read(data) == aggregation
    built_in = in_expressions.AGGREGATION.write(Aggregation(INT, "max", nodes.column("a", INT), True))
    assert len(built_in) == len(attributes), "what came later is written only where it says something"


def test_a_later_field_is_left_out_while_it_has_no_value() -> None:
    """So that a step has the name that it had before there was such a field, and is read from older plans."""
    one, other = steps.Count("distinct"), steps.Count("distinct", steps.Closing("a", 3))
    for step, keys in ((one, {"is", "copies"}), (other, {"is", "copies", "closing"})):
        counted = Graph()
        counted.add(steps.Read("S", S), (), S)
        counted.add(step, (0,), S)
        data = described(counted)
        assert data["steps"][1]["step"].keys() == keys
        assert graph_of(json.loads(json.dumps(data))).nodes[1].step == step
