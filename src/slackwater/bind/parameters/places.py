"""Texts of parameters, read as values of the type that their place in an expression needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.expressions.functions import Mismatch, result_type
from slackwater.algebra.types import NULL, STRING, UNKNOWN, Type, common
from slackwater.bind.binding import Binding
from slackwater.bind.parameters import problems
from slackwater.bind.parameters.values import literal_node, read_as, readings

Bind = Callable[[exp.Expression], Expression]


def read_beside(values: list[Expression], binding: Binding, bind: Bind) -> list[Expression]:
    """The values, which need a type in common, with unread texts read as that of the others."""
    if not any(is_unread(value, binding) for value in values):
        return values
    target: Type | None = NULL
    for value in values:
        if not is_unread(value, binding):
            target = target and common(target, value.type)
    if target in (None, NULL, STRING, UNKNOWN):
        return values
    assert target is not None
    return [_read(value, target, binding, bind) if is_unread(value, binding) else value for value in values]


def read_arguments(name: str, arguments: list[Expression], binding: Binding, bind: Bind) -> list[Expression]:
    """The arguments of a function, with unread texts read as the first type that it takes there."""
    read = list(arguments)
    for place, argument in enumerate(arguments):
        if not is_unread(argument, binding):
            continue
        types = [NULL if is_unread(other, binding) else other.type for other in read]
        others = [other for at, other in enumerate(types) if at != place and other != NULL]
        for value in _candidates(argument, others):
            bound = _bound(argument, value, binding, bind)
            if bound is not None and _fits(name, [*types[:place], bound.type, *types[place + 1 :]]):
                read[place] = bound
                break
    return read


def read_constant(value: Expression, types: Sequence[Type], binding: Binding, bind: Bind) -> Expression:
    """An unread text read as a value of the first of these types that it spells; anything else as it is."""
    if not is_unread(value, binding):
        return value
    assert isinstance(value, Literal)
    for type_ in types:
        constant = read_as(str(value.value), type_)
        bound = None if constant is None else _bound(value, constant, binding, bind)
        if bound is not None:
            return bound
    return value


def is_position(node: exp.Expression, clause: str, binding: Binding) -> bool:
    """Whether a key of a clause is the position of a column; a parameter is none, which is reported."""
    span = binding.span(node)
    if isinstance(node, exp.Literal) and span.content.startswith(":"):
        name = span.content.removeprefix(":")
        binding.report(problems.NOT_A_POSITION.at(span, name=name, clause=clause))
        return False
    return isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit()


def is_unread(value: Expression, binding: Binding) -> bool:
    """Whether the value is the text of a parameter whose type depends on its place."""
    return isinstance(value, Literal) and value.type == STRING and value.origin in binding.unread


def _candidates(argument: Expression, others: Sequence[Type]) -> list[Any]:
    assert isinstance(argument, Literal)
    text = str(argument.value)
    beside = [read_as(text, other) for other in others if other != STRING]
    return [value for value in (*beside, text, *readings(text)) if value is not None]


def _fits(name: str, types: list[Type]) -> bool:
    return not isinstance(result_type(name, types), Mismatch)


def _read(value: Expression, target: Type, binding: Binding, bind: Bind) -> Expression:
    assert isinstance(value, Literal)
    text, place = str(value.value), value.origin
    for candidate in (read_as(text, target), *readings(text)):
        bound = None if candidate is None else _bound(value, candidate, binding, bind)
        if bound is not None and common(bound.type, target) is not None:
            return bound
    name, takes = place.content.removeprefix(":") if place else "", f"a value of type {target}"
    binding.report(problems.BAD_PARAMETER.at(place, name=name, value=repr(text), takes=takes))
    return Literal(UNKNOWN, None, origin=place)


def _bound(value: Expression, candidate: Any, binding: Binding, bind: Bind) -> Expression | None:
    """The expression of a literal in the place of an unread text."""
    assert value.origin is not None
    unread, node = binding.unread[value.origin], literal_node(candidate)
    if node is None:
        return None
    node.update_positions(unread)
    binding.read[value.origin] = node
    return value if isinstance(candidate, str) else bind(node)
