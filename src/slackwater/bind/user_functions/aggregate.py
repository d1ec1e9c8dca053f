"""Calls of aggregates of users: their arguments become one struct, a value for each row of the group."""

from __future__ import annotations

from slackwater.algebra.expressions import Aggregation, Call, Case, Expression, Literal, conjunction
from slackwater.algebra.expressions.nodes import USER
from slackwater.algebra.expressions.signatures import structured
from slackwater.algebra.types import BOOLEAN, UNKNOWN
from slackwater.algebra.users.functions import UserFunction
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.user_functions.call import fitting


def user_aggregation(
    function: UserFunction,
    arguments: list[Expression],
    where: list[Expression],
    distinct: bool,
    span: Span,
    binding: Binding,
) -> Aggregation | None:
    """The aggregate of the rows for which the conditions hold; None for an error, which is reported."""
    values = fitting(function, arguments, span, binding)
    if values is None or any(condition.type is UNKNOWN for condition in where):
        return None
    type_ = structured([value.type for value in values])
    if type_ is None or not values:
        sentence = f'Aggregate "{function.name}" takes one or more values of known types.'
        types = [argument.type for argument in arguments]
        binding.report(errors.wrong_arguments(function.name, sentence, span, types))
        return None
    row: Expression = Call(type_, "struct", tuple(values))
    known = [_not_null(value) for value in values] if function.strict else []
    condition = conjunction([*where, *known])
    if condition is not None:
        row = Case(type_, ((condition, row),), Literal(type_, None))
    return Aggregation(function.result, USER, row, distinct, span, function)


def _not_null(value: Expression) -> Expression:
    return Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (value,)),))
