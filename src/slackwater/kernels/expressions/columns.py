"""Expressions over columns, a column at a time.

    frame.select(column(expr))     the expression's value in every row
    frame.filter(predicate(expr))  the rows where it is true

Columns hold values in canonical form: no -0.0, a float as its double. A part without columns is
computed once, as a frame of one row. An error of the data is raised only if its part of the
expression is evaluated in some row: not in a branch that is not taken.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from typing import Final

import polars as pl

from slackwater.algebra.expressions import (
    Call,
    Case,
    Cast,
    Column,
    Expression,
    HigherCall,
    Literal,
    Outer,
    Preferred,
    Subquery,
    UserCall,
    Variable,
    changed,
    free_variables,
)
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.expressions.signatures import CONSTANT
from slackwater.algebra.types import NULL, UNKNOWN
from slackwater.algebra.values import canonical
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.base.tree import rebuild
from slackwater.kernels.expressions import (
    arithmetic,
    astronomy,
    bits,
    calendar,
    lengths,
    logic,
    math,
    moments,
    orders,
    trying,
)
from slackwater.kernels.expressions.casts import cast
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.nested import arrays, json, maps, structs
from slackwater.kernels.expressions.nested.lambdas import higher
from slackwater.kernels.expressions.terms import Fault, NotSupported, Term, checked, faults_of
from slackwater.kernels.expressions.texts import codes, documents, edits, patterns, plain, regexes
from slackwater.kernels.expressions.user_functions import user_call
from slackwater.kernels.expressions.values import column_of, dtype, literal, values_of

__all__ = ["NotSupported", "column", "dtype", "predicate"]

FAMILIES: Final = (
    *(arithmetic, trying, logic, patterns, plain, edits, codes, documents, bits, regexes, calendar, math),
    *(moments, lengths, structs, arrays, maps, json, astronomy),
)
KERNELS: Final[dict[str, Maker]] = {
    name: maker for family in FAMILIES for name, maker in family.MAKERS.items()
}
"""One for every function of `FUNCTIONS`."""
_BROADCASTING: Final = frozenset(
    ("add", "subtract", "multiply", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "is_null")
)
"""Functions that Polars computes row by row as soon as one argument is a column."""


def column(expr: Expression) -> pl.Expr:
    """The expression's value in every row, of `dtype(expr.type)`."""
    folded = _folded(expr)
    return checked(_term(folded), expr.type, _is_long(folded))


def predicate(expr: Expression) -> pl.Expr:
    """Whether the expression is true; NULL counts as false."""
    return column(expr).cast(pl.Boolean).fill_null(False)


def _folded(expr: Expression) -> Expression:
    """The expression with its constant parts computed, except for those that raise an error."""
    if isinstance(expr, Outer | Subquery):
        raise NotSupported(f"{type(expr).__name__} looks outside the row")
    expr = rebuild(expr, Expression, _folded)
    if isinstance(expr, Literal | Column | Variable) or not _is_constant(expr):
        return expr
    try:
        return Literal(expr.type, _constant(expr), origin=expr.origin)
    except EngineError:
        return expr


def _is_long(expr: Expression) -> bool:
    """Whether Polars is sure to return a value for each row: no branch is only a literal."""
    if isinstance(expr, Call) and expr.function in _BROADCASTING:
        return any(map(_is_long, expr.arguments))
    return not any(isinstance(part, Literal) for part in expr.walk())


def _is_constant(expr: Expression) -> bool:
    return not any(isinstance(part, Column) for part in expr.walk()) and not free_variables(expr)


def _constant(expr: Expression) -> object:
    """The value of an expression without columns: its literals become the columns of one row."""
    columns = [pl.Series("row", [0])]

    def argument(placed: tuple[int, Expression], call: Call) -> Expression:
        place, part = placed
        is_constant = FUNCTIONS[call.function].family(place) in CONSTANT
        return part if is_constant else changed(part, as_column)

    def as_column(part: Expression) -> Expression | None:
        if isinstance(part, Call) and CONSTANT & {*FUNCTIONS[part.function].parameters}:
            return replace(part, arguments=tuple(map(argument, enumerate(part.arguments), repeat(part))))
        if not isinstance(part, Literal):
            return None
        columns.append(column_of([canonical(part.value)], part.type).alias(str(len(columns))))
        return Column(part.type, columns[-1].name, origin=part.origin)

    over_columns = changed(expr, as_column)
    answer = pl.DataFrame(columns).select(checked(_term(over_columns), expr.type).alias("answer"))["answer"]
    return values_of(answer, expr.type)[0]


def _term(expr: Expression) -> Term:
    match expr:
        case _ if expr.type == UNKNOWN:
            raise Bug("an expression of unknown type got past the binder")
        case Column(name=name):
            return Term(pl.col(name))
        case Literal(value=value):
            return Term(literal(value, expr.type))
        case _ if expr.parts and _is_constant(expr):
            return _error(expr)
        case Call():
            return _call(expr)
        case Case():
            branches = [(_term(condition), _term(then)) for condition, then in expr.branches]
            return logic.case(expr, branches, _term(expr.otherwise))
        case Cast():
            return cast(expr, _term(expr.operand))
        case UserCall():
            return user_call(expr, [_term(argument) for argument in expr.arguments])
        case Variable(name=name):
            return Term(pl.col(name))
        case HigherCall(arguments=arguments, lambdas=lambdas):
            bodies = [_term(function.body) for function in lambdas]
            return higher(expr, [_term(argument) for argument in arguments], bodies)
        case Preferred():
            return orders.preferred(expr, [_term(argument) for argument in expr.arguments])
    raise Bug(f"no kernel for {type(expr).__name__}")


def _error(expr: Expression) -> Term:
    """A constant that raises an error: a fault in every row that evaluates it."""

    def make() -> EngineError:
        try:
            _constant(expr)
        except EngineError as error:
            return error
        raise Bug(f"the constant {expr} was in error and is no more")

    return Term(literal(None, expr.type), (Fault(pl.lit(True), make),))


def _call(call: Call) -> Term:
    arguments = [_term(argument) for argument in call.arguments]
    if FUNCTIONS[call.function].strict and any(map(_is_null, call.arguments)):
        return Term(literal(None, call.type), faults_of(arguments))
    return KERNELS[call.function](call, arguments)


def _is_null(expr: Expression) -> bool:
    """Whether it is NULL in every row: a strict function of it is, too."""
    return expr.type == NULL or (isinstance(expr, Literal) and expr.value is None)
