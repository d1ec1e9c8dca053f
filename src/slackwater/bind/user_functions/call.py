"""Calls of functions of users."""

from __future__ import annotations

from slackwater.algebra.expressions import Expression, Literal, UserCall
from slackwater.algebra.types import UNKNOWN, common
from slackwater.algebra.user_functions import UserFunction
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.coercion import coerced


def user_call(
    function: UserFunction, arguments: list[Expression], span: Span, binding: Binding
) -> Expression:
    """The call, with its arguments as the function takes them; a mismatch is reported."""
    binding.used.add(f"{function.name.lower()}()")
    types = [argument.type for argument in arguments]
    if UNKNOWN in (*types, function.result):
        return Literal(UNKNOWN, None, origin=span)
    takes = function.arguments
    if takes is None:
        return UserCall(function.result, function, tuple(arguments), origin=span)
    fits = len(takes) == len(types) and all(common(a, b) == a for a, b in zip(takes, types, strict=True))
    if not fits:
        listed = ", ".join(map(str, takes)) or "no arguments"
        sentence = f'Function "{function.name}" takes {listed}.'
        binding.report(errors.wrong_arguments(function.name, sentence, span, types))
        return Literal(UNKNOWN, None, origin=span)
    values = tuple(coerced(value, type_) for value, type_ in zip(arguments, takes, strict=True))
    return UserCall(function.result, function, values, origin=span)
