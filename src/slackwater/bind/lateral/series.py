"""generate_series(first, last) and range(first, end): their numbers as an array that is unnested."""

from __future__ import annotations

from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.types import BIGINT, UNKNOWN, array
from slackwater.bind.expressions import Expressions
from slackwater.bind.lateral import problems
from slackwater.bind.parameters.places import read_beside
from slackwater.language.cql import nodes

_MOST = 10_000
_COUNTS = {"generate_series": (2, 3), "range": (1, 2, 3)}


def numbers(call: nodes.Unnested, binder: Expressions) -> Expression | None:
    """The array of the numbers, or None after an error."""
    binding, span, function = binder.binding, binder.binding.span(call), call.function
    zero = Literal(BIGINT, 0)
    values = [
        read_beside([binder.bind(argument), zero], binding, binder.bind)[0] for argument in call.expressions
    ]
    if any(value.type is UNKNOWN for value in values):
        return None
    whole = [v.value for v in values if isinstance(v, Literal) and v.type.is_integer and v.value is not None]
    if len(whole) < len(values) or len(values) not in _COUNTS[function]:
        binding.report(problems.BAD_SERIES.at(span, function=function))
        return None
    first, last, step = [*([0] if len(whole) == 1 else []), *whole, 1][:3]
    if step == 0:
        binding.report(problems.ENDLESS_SERIES.at(span, function=function))
        return None
    end = last + (1 if step > 0 else -1) if function == "generate_series" else last
    series = range(first, end, step)
    if max(0, (end - first) // step) > _MOST:
        binding.report(problems.LONG_SERIES.at(span, function=function, most=f"{_MOST:,}"))
        return None
    return Literal(array(BIGINT), tuple(series), origin=span)
