"""Calls of functions of users."""

from __future__ import annotations

from sqlglot import exp

from slackwater.algebra.expressions import Expression, Literal, UserCall
from slackwater.algebra.types import UNKNOWN, common
from slackwater.algebra.users.functions import AGGREGATE, TABLE, UserFunction, python_function
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.coercion import coerced
from slackwater.bind.user_functions import problems
from slackwater.bind.user_functions.python import signature, takes_arguments


def called(node: exp.Expression, binding: Binding) -> UserFunction | None:
    """The function of a user that a node calls, if it is no aggregate."""
    if not isinstance(node, exp.Anonymous):
        return None
    function = binding.catalog.functions.get(node.name.lower())
    return None if function is None or function.form == AGGREGATE else function


def user_call(
    function: UserFunction, arguments: list[Expression], span: Span, binding: Binding
) -> Expression:
    """The call, with its arguments as the function takes them; a mismatch is reported."""
    if function.form == TABLE:
        binding.report(problems.MISPLACED_TABLE_FUNCTION.at(span, name=function.name))
        return Literal(UNKNOWN, None, origin=span)
    return value_of_call(function, arguments, span, binding)


def value_of_call(
    function: UserFunction, arguments: list[Expression], span: Span, binding: Binding
) -> Expression:
    """The call of a function of any form; that of a table function is the array of its rows."""
    values = fitting(function, arguments, span, binding)
    if values is None:
        return Literal(UNKNOWN, None, origin=span)
    return UserCall(function.result, function, tuple(values), origin=span)


def fitting(
    function: UserFunction, arguments: list[Expression], span: Span, binding: Binding
) -> list[Expression] | None:
    """The arguments as the function takes them; None after an error."""
    binding.used.add(f"{function.name.lower()}()")
    types = [argument.type for argument in arguments]
    if UNKNOWN in (*types, function.result):
        return None
    takes = function.arguments
    if takes is None:
        if takes_arguments(python_function(function), function.form, function.kind, len(arguments)):
            return arguments
        mismatch(function, arguments, span, binding)
        return None
    fits = len(takes) == len(types) and all(common(a, b) == a for a, b in zip(takes, types, strict=True))
    if not fits:
        mismatch(function, arguments, span, binding)
        return None
    return [coerced(value, type_) for value, type_ in zip(arguments, takes, strict=True)]


def mismatch(function: UserFunction, arguments: list[Expression], span: Span, binding: Binding) -> None:
    """Report that a function does not take the arguments."""
    word = "Aggregate" if function.form == AGGREGATE else "Function"
    types = [argument.type for argument in arguments]
    listed = ", ".join(map(str, function.arguments or ())) or "no arguments"
    sentence = f'{word} "{function.name}" takes {listed}.'
    if function.arguments is None:
        sentence = f"It is {signature(python_function(function), function.form, function.kind)}."
    binding.report(errors.wrong_arguments(function.name, sentence, span, types))
