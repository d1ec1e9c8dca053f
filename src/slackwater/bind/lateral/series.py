"""generate_series(first, last) and range(first, end): their numbers as an array that is unnested."""

from __future__ import annotations

from sqlglot import exp

from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.types import BIGINT, UNKNOWN, array
from slackwater.bind.expressions import Expressions
from slackwater.bind.lateral import problems
from slackwater.bind.parameters.places import read_beside
from slackwater.language.cql import nodes

_MOST = 10_000
_TAKES = {
    "generate_series": "two whole numbers, and a constant step",
    "range": "one to three constant whole numbers",
}
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
    if len(whole) < len(values) and _may_vary(function, values):
        return _of_each_row(call, values, binder)
    if len(whole) < len(values) or len(values) not in _COUNTS[function]:
        binding.report(problems.BAD_SERIES.at(span, function=function, takes=_TAKES[function]))
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


def _may_vary(function: str, values: list[Expression]) -> bool:
    """Whether the numbers may differ from row to row: those of generate_series, with a constant step."""
    if function != "generate_series" or len(values) not in _COUNTS[function]:
        return False
    return all(value.type.is_integer for value in values) and all(map(_is_step, values[2:]))


def _is_step(value: Expression) -> bool:
    return isinstance(value, Literal) and bool(value.value)


def _of_each_row(call: nodes.Unnested, values: list[Expression], binder: Expressions) -> Expression | None:
    """CASE WHEN first <= last THEN sequence(first, last, step) END: no numbers in the other direction."""
    step = values[2].value if len(values) > 2 and isinstance(values[2], Literal) else 1
    first, last, *steps = (argument.copy() for argument in call.expressions)
    is_before = exp.LTE if step > 0 else exp.GTE
    series = exp.Anonymous(
        this="sequence", expressions=[first, last, *(steps or [exp.Literal.number(1)])]
    ).update_positions(call)
    condition = is_before(this=first.copy(), expression=last.copy()).update_positions(call)
    whole = exp.Case(ifs=[exp.If(this=condition, true=series)]).update_positions(call)
    bound = binder.bind(whole)
    return None if bound.type is UNKNOWN else bound
