"""Running totals: aggregates and conditions in constant space (section 3.8.1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.compare import OPERATORS
from slackwater.flux.compile.context import StaticContext
from slackwater.flux.plan.state import Accumulator
from slackwater.flux.runtime.nodes import number
from slackwater.flux.values import arithmetic
from slackwater.flux.values.atomic import Atomic, Items, Number, Untyped, atomized, is_number
from slackwater.flux.values.casts import to_double
from slackwater.flux.values.comparison import compared, generally_compared
from slackwater.flux.values.errors import Wrong


class Total:
    """The value so far; an error is raised only when the result is read."""

    __slots__ = ("add", "count", "error", "function", "marks", "texts", "value")

    def __init__(self, function: str, compare: Callable[[Atomic], bool] | None = None) -> None:
        self.function = function
        self.marks: list[int] = []
        self.texts: list[str] = []
        """Character content of the elements that are being read, and where each of them begins."""
        self.add: Callable[[Atomic], None] = _ADDS.get(function, _compare(compare))(self)
        self.reset()

    def reset(self) -> None:
        self.count = 0
        self.value: Any = None
        self.error: Wrong | None = None

    def feed(self, items: Items) -> None:
        for value in atomized(items):
            self.take(value)

    def take(self, value: Atomic) -> None:
        """Adds a value; after an error, values are ignored."""
        if self.error is None:
            try:
                self.add(value)
            except Wrong as wrong:
                self.error = wrong

    def result(self) -> Items:
        if self.error is not None:
            raise self.error
        match self.function:
            case "count":
                return [self.count]
            case "exists":
                return [self.count > 0]
            case "empty":
                return [self.count == 0]
            case "compare":
                return [self.value is True]
            case "sum":
                return [self.value if self.count else 0]
            case "avg":
                return [arithmetic.calculated("div", self.value, self.count)] if self.count else []
        return [self.value] if self.count else []


Add = Callable[[Atomic], None]


def _sum(total: Total) -> Add:
    def add(value: Atomic) -> None:
        operand: Number = number(value.text) if isinstance(value, Untyped) else arithmetic.operand(value)
        if not total.count:
            total.value = operand
        elif type(operand) is float and type(total.value) is float:
            total.value += operand
        else:
            total.value = arithmetic.calculated("+", total.value, operand)
        total.count += 1

    return add


def _extreme(op: str) -> Callable[[Total], Add]:
    """NaN is the least and the greatest; numbers of different types become doubles."""

    def of(total: Total) -> Add:
        def add(value: Atomic) -> None:
            operand: Atomic = number(value.text) if isinstance(value, Untyped) else value
            best = total.value
            total.count += 1
            if total.count == 1:
                total.value = operand
                return
            if (
                is_number(operand)
                and is_number(best)
                and (isinstance(operand, float) or isinstance(best, float))
            ):
                operand, best = to_double(operand), to_double(best)
            if _is_nan(best) or _is_nan(operand):
                total.value = math.nan
            else:
                total.value = operand if compared(op, operand, best) else best

        return add

    return of


def _is_nan(value: Atomic) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _compare(holds: Callable[[Atomic], bool] | None) -> Callable[[Total], Add]:
    def of(total: Total) -> Add:
        def add(value: Atomic) -> None:
            if total.value is not True and holds is not None and holds(value):
                total.value = True

        return add

    return of


def _count(total: Total) -> Add:
    def add(value: Atomic) -> None:
        total.count += 1

    return add


_ADDS: dict[str, Callable[[Total], Add]] = {
    "count": _count,
    "exists": _count,
    "empty": _count,
    "sum": _sum,
    "avg": _sum,
    "min": _extreme("<"),
    "max": _extreme(">"),
}


def total_of(accumulator: Accumulator, static: StaticContext) -> Total:
    if accumulator.function != "compare":
        return Total(accumulator.function)
    assert accumulator.constant is not None
    op, (constant,) = accumulator.op, atomized(compiler.items(accumulator.constant, static)())
    compare = OPERATORS[op]

    def holds(value: Atomic) -> bool:
        if isinstance(value, Untyped):
            if isinstance(constant, str):
                return compare(value.text, constant)
            if isinstance(constant, float):
                return compare(number(value.text), constant)
        return generally_compared(op, [value], [constant])

    constant = to_double(constant) if is_number(constant) else constant
    return Total("compare", holds)
