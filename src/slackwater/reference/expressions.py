"""Expressions in plain Python: compiled once for a schema, then called row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from slackwater.algebra.errors import several_rows
from slackwater.algebra.expressions import nodes
from slackwater.algebra.expressions.nodes import Expression
from slackwater.algebra.instants import value_at
from slackwater.algebra.schema import Schema
from slackwater.algebra.values import Row, canonical
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.reference.comparison import compared_rows
from slackwater.reference.functions import evaluator
from slackwater.reference.logic import Evaluator, case, cast, cast_to
from slackwater.reference.nested.lambdas import higher
from slackwater.reference.orders import preference
from slackwater.reference.user_functions import user_call

if TYPE_CHECKING:
    from slackwater.algebra.operator import Operator

Environment = Mapping[str, Any]
NOW = "@now"
"""The name of the current time in an environment; no column can have it."""
Relation = Callable[["Operator", Environment], Mapping[Row, int]]
"""A subquery's bag of rows, given the values of the columns around it."""


def compiled(expr: Expression, schema: Schema, relation: Relation | None = None) -> Evaluator:
    """The expression as a function of a row of the schema and of the columns of enclosing rows."""
    match expr:
        case nodes.Column(name=name):
            return _column(name, schema)
        case nodes.Outer(name=name):
            return lambda row, outer: outer[name]
        case nodes.Now():
            return lambda row, outer: value_at(outer[NOW], expr.type)
        case nodes.Literal(value=value):
            constant = canonical(value)
            return lambda row, outer: constant
        case nodes.Call(arguments=arguments):
            return evaluator(expr, [compiled(argument, schema, relation) for argument in arguments])
        case nodes.Case():
            return _case(expr, schema, relation)
        case nodes.Cast(operand=operand):
            return cast(expr, compiled(operand, schema, relation))
        case nodes.Preferred(arguments=arguments):
            return _preferred(expr, [compiled(argument, schema, relation) for argument in arguments])
        case nodes.UserCall(arguments=arguments):
            return user_call(expr, [compiled(argument, schema, relation) for argument in arguments])
        case nodes.Variable(name=name):
            return lambda row, outer: outer[name]
        case nodes.HigherCall(arguments=arguments, lambdas=lambdas):
            bodies = [compiled(function.body, schema, relation) for function in lambdas]
            return higher(expr, [compiled(argument, schema, relation) for argument in arguments], bodies)
        case nodes.Subquery():
            return _subquery(expr, schema, relation)
    raise Bug(f"no evaluation of {type(expr).__name__}")


def _column(name: str, schema: Schema) -> Evaluator:
    if name not in schema:
        raise Bug(f'no column "{name}" in {schema}')
    index = schema.index(name)
    return lambda row, outer: row[index]


def _case(expr: nodes.Case, schema: Schema, relation: Relation | None) -> Evaluator:
    def result(part: Expression) -> Evaluator:
        return cast_to(part, compiled(part, schema, relation), expr.type)

    branches = [(compiled(condition, schema, relation), result(then)) for condition, then in expr.branches]
    return case(branches, result(expr.otherwise))


def _preferred(expr: nodes.Preferred, values: list[Evaluator]) -> Evaluator:
    prefers = preference(expr.order, expr.origin)
    return lambda row, outer: prefers(*(value(row, outer) for value in values))


def _subquery(expr: nodes.Subquery, schema: Schema, relation: Relation | None) -> Evaluator:
    if relation is None:
        raise Bug("an expression with a subquery was compiled without a way to evaluate it")
    names = schema.names

    def rows(row: Row, outer: Environment) -> Mapping[Row, int]:
        bag = relation(expr.plan, {**outer, **dict(zip(names, row, strict=True))})
        return {inner: copies for inner, copies in bag.items() if copies > 0}

    match expr:
        case nodes.Exists():
            return lambda row, outer: bool(rows(row, outer))
        case nodes.Scalar():
            return lambda row, outer: _one_value(expr, rows(row, outer))
        case nodes.Table():
            return rows
        case nodes.Quantified():
            operands = [compiled(operand, schema, relation) for operand in expr.operands]
            return lambda row, outer: _quantified(
                expr, tuple(operand(row, outer) for operand in operands), rows(row, outer)
            )
    raise Bug(f"no evaluation of {type(expr).__name__}")


def _one_value(expr: nodes.Scalar, rows: Mapping[Row, int]) -> Any:
    if sum(rows.values()) > 1:
        raise EngineError(several_rows(expr.origin, sum(rows.values())))
    return next((row[0] for row in rows), None)


def _quantified(expr: nodes.Quantified, operands: Row, rows: Mapping[Row, int]) -> bool | None:
    """ANY stops at the first true, ALL at the first false; otherwise one NULL makes it NULL."""
    # A row with these very values decides by itself: the common case, without a scan.
    if expr.comparison in ("eq", "ne") and None not in operands and operands in rows:
        if expr.comparison == "eq" and not expr.every:
            return True
        if expr.comparison == "ne" and expr.every:
            return False
    decisive = not expr.every
    result: bool | None = expr.every
    for row in rows:
        holds = compared_rows(expr.comparison, operands, row)
        if holds is decisive:
            return decisive
        if holds is None:
            result = None
    return result
