"""Errors in a best-match join: its loops, its orders, its bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from slackwater.base.diagnostic import Diagnostic, did_you_mean
from slackwater.base.span import Span
from slackwater.language.xquery import problems
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import CASTS, FUNCTIONS

Arities = Mapping[str, tuple[int, int | None]]
"""The least and the greatest number of arguments of each function."""

_PAIRS = 4
"""A function that is an order takes the values of two pairs."""


def check_best_match(
    join: ast.BestMatch, before: Sequence[ast.Clause], functions: Arities
) -> Iterator[Diagnostic]:
    """What is wrong with a join that comes after these clauses."""
    if join.left.name == join.right.name:
        yield problems.ONE_LOOP.at(join.right.span, name=join.right.name)
    else:
        loops = _loops(before)
        for side in (join.left, join.right):
            if side.name not in loops:
                yield problems.NOT_A_LOOP.at(side.span, name=side.name)
    for dimension in join.dimensions:
        yield from _check_order(dimension, functions)
        yield from _check_bound(dimension)


def _loops(before: Sequence[ast.Clause]) -> list[str]:
    """The variables of the last two loops, if only let and where come between and after them."""
    loops: list[str] = []
    for clause in reversed(before):
        match clause:
            case ast.For(variable, window=None) if len(loops) < 2:
                loops.append(variable)
            case ast.Let() | ast.Where() if len(loops) < 2:
                pass
            case _:
                break
    return loops


def _check_order(dimension: ast.Dimension, functions: Arities) -> Iterator[Diagnostic]:
    order, size = dimension.order, len(dimension.values)
    declared = {
        name: arity for name, arity in functions.items() if name not in FUNCTIONS and name not in CASTS
    }
    if order in ast.EXTREMES:
        takes = 1
    elif order in declared or order.startswith("udf:"):
        takes = 1 if size == 1 else 2
        if declared.get(order, (_PAIRS, _PAIRS)) != (_PAIRS, _PAIRS):
            yield _not_of_pairs(dimension, declared[order][0])
    elif order in ast.SET_ORDERS:
        takes = 2
    else:
        hint = did_you_mean(order, [*ast.EXTREMES, *ast.SET_ORDERS, *declared])
        yield problems.UNKNOWN_ORDER.at(_name_span(dimension), name=order, hint=hint or problems.ORDER_HINT)
        return
    if size != takes:
        plural = "" if takes == 1 else "s"
        yield problems.WRONG_VALUES.at(dimension.span, order=order, takes=takes, plural=plural, size=size)
    if order not in ast.EXTREMES and dimension.bound is not None:
        yield problems.BOUND_OF_ORDER.at(dimension.bound.span, order=order)


def _not_of_pairs(dimension: ast.Dimension, takes: int) -> Diagnostic:
    return problems.WRONG_ARGUMENTS.at(
        _name_span(dimension),
        name=dimension.order,
        expected=takes,
        plural="" if takes == 1 else "s",
        count=_PAIRS,
        hint=f"An order compares two pairs: declare function {dimension.order}($r, $s, $other_r, $other_s).",
    )


def _check_bound(dimension: ast.Dimension) -> Iterator[Diagnostic]:
    bound = dimension.bound
    if bound is None or dimension.order not in ast.EXTREMES:
        return
    if isinstance(bound, ast.String):
        yield problems.BOUND_NOT_A_NUMBER.at(bound.span)
    match dimension:
        case ast.Dimension(
            (ast.Call("abs"),), "min", ast.Unary("-", ast.Integer() | ast.Fixed() | ast.Double())
        ):
            yield problems.NEGATIVE_BOUND.at(bound.span)


def _name_span(dimension: ast.Dimension) -> Span | None:
    """The place of the order's name, which comes after the parenthesis and before the bound."""
    span = dimension.span
    if span is None:
        return None
    end = dimension.bound.span.start if dimension.bound and dimension.bound.span else span.end
    start = span.text.content.rindex(dimension.order, span.start, end)
    return Span(span.text, start, start + len(dimension.order))
