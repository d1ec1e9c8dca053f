"""The algebra is closed: every function over operators handles all of them, and each rule states its law."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from slackwater import algebra
from slackwater.algebra import (
    OPERATORS,
    aggregates,
    bags,
    bestmatch,
    explain,
    joins,
    over,
    patterns,
    recursion,
    rows,
    sources,
    streams,
    synchronization,
    windowing,
    windows,
)
from slackwater.algebra.operator import Binary, Leaf, Operator, Unary
from slackwater.reference import definitions, history, snapshot
from slackwater.reference import windows as reference_windows

FAMILIES = (
    sources, rows, windows, windowing, joins, bestmatch, bags, aggregates, over, streams, synchronization,
    recursion, patterns,
)  # fmt: skip
SHARED = {Operator, Leaf, Unary, Binary, rows.RowMap, joins.Conditional, bags.Counted, streams.ToStream}
WINDOWS = (algebra.Range, algebra.Rows, algebra.NestedRows, algebra.Sliding, algebra.Fixed, algebra.Session)
TO_STREAM = (algebra.Istream, algebra.Dstream, algebra.Rstream)
BY_TIME = (*WINDOWS, *TO_STREAM, algebra.Ticks, algebra.Stamp, algebra.When, algebra.Synchronize,
           algebra.Recognize)  # fmt: skip
"""Operators whose result at an instant does not follow from their inputs at that instant alone."""
ITERATED = (algebra.Recursion,)
"""Operators whose result needs a part of the plan several times at one instant."""
EVALUATED = (*BY_TIME, *ITERATED, algebra.Stream, algebra.Relation)
PLAIN = [operator for operator in OPERATORS if operator not in EVALUATED]


def test_the_list_of_operators_is_complete() -> None:
    defined = {
        member
        for module in FAMILIES
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, Operator) and member.__module__ == module.__name__
    }
    assert defined - SHARED == set(OPERATORS)


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_says_what_it_means_first(operator: type[Operator]) -> None:
    first = (operator.__doc__ or "").splitlines()[0]
    assert "=" in first or ":" in first, f"{operator.__name__} begins without an equation"


@pytest.mark.parametrize("operator", PLAIN)
def test_every_relational_operator_has_a_definition(operator: type[Operator]) -> None:
    assert definitions.definition.dispatch(operator) is not definitions.definition.dispatch(Operator)


@pytest.mark.parametrize("operator", WINDOWS)
def test_every_window_has_a_definition(operator: type[Operator]) -> None:
    window = reference_windows.window
    assert window.dispatch(operator) is not window.dispatch(Operator)


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_is_explained_by_more_than_its_name_if_it_has_parameters(
    operator: type[Operator],
) -> None:
    fields = set(operator.__dataclass_fields__) - {"origin", "facts", "source", "left", "right"}
    described = explain.described.dispatch(operator) is not explain.described.dispatch(Operator)
    assert described == bool(fields)


@pytest.mark.parametrize("module", [snapshot, history])
def test_no_evaluator_falls_through_for_a_source_window_or_stream(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    needed = {operator.__name__ for operator in EVALUATED}
    assert needed <= attributes
