"""What steps are for their kernels: compiled expressions, windows, calls, patterns."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import starmap
from typing import TypeVar

from slackwater.algebra.errors import overflow
from slackwater.algebra.expressions import Aggregation
from slackwater.algebra.expressions.over import Framed, OverCall
from slackwater.algebra.patterns import Reading
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.accumulators import Call
from slackwater.kernels.bestmatch.compiled import compiled, measures
from slackwater.kernels.bestmatch.matching import Matching
from slackwater.kernels.expressions import columns as expressions
from slackwater.kernels.over import over
from slackwater.kernels.over.calls import Computed
from slackwater.kernels.patterns import recognize
from slackwater.kernels.patterns.program import compiled as pattern_program
from slackwater.kernels.windows import rows
from slackwater.physical import steps

One = TypeVar("One")
Result = TypeVar("Result")


class _ById:
    """A cache key, compared by identity: equal expressions and steps of two programs differ in origin."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def _once(compile_: Callable[[One], Result]) -> Callable[[One], Result]:
    """Compiled once each: compiling takes longer than a small epoch, and every epoch needs it."""
    results = lru_cache(maxsize=4096)(lambda key: compile_(key.value))
    return lambda value: results(_ById(value))


column = _once(expressions.column)
predicate = _once(expressions.predicate)
measures_of = _once(measures)


@lru_cache(maxsize=4096)
def _matching(step: _ById, left: tuple[str, ...], right: tuple[str, ...]) -> Matching:
    assert isinstance(step.value, steps.BestMatch)
    return compiled(step.value, left, right)


def matching_of(step: steps.BestMatch, left: tuple[str, ...], right: tuple[str, ...]) -> Matching:
    """The best-match join of two inputs with these columns."""
    return _matching(_ById(step), left, right)


@_once
def matcher_of(step: steps.Recognize) -> recognize.Matcher:
    """The pattern of a step, for the kernel."""
    reads = [read for _, read in step.reads]
    return recognize.Matcher(
        pattern_program(step.pattern),
        step.partition,
        dict(step.conditions),
        frozenset(step.plain),
        step.measures,
        step.skip,
        step.target,
        step.within,
        max((read.before for read in reads), default=0),
        any(read.reading is Reading.NUMBER for read in reads),
        predicate,
    )


def row_window_of(step: steps.RowWindow) -> rows.RowWindow:
    """The window of a step, for the kernel."""
    return rows.RowWindow(step.count, step.slide, step.partition, step.within)


def row_windows_of(step: steps.NestedRowWindows) -> list[rows.RowWindow]:
    """The windows of a step, for the kernel."""
    return [rows.RowWindow(count, step.slide, step.partition, within) for count, within in step.windows]


def calls_of(step: steps.Aggregate) -> list[Call]:
    """The aggregates of a step, for the kernel."""
    return [_call_of(name, call) for name, call in step.calls]


def _call_of(name: str, call: Aggregation) -> Call:
    return Call(
        name,
        call.function,
        None if call.argument is None else call.argument.name,  # type: ignore[attr-defined]
        call.distinct,
        call.type,
        call.type if call.argument is None else call.argument.type,
        EngineError(overflow(call.function, call.type, call.origin)),
        None if call.user is None else call,
    )


def over_of(step: steps.Over) -> over.Over:
    """The step for the kernel."""
    calls = tuple(starmap(_computed, step.calls))
    return over.Over(step.partition, step.order, calls, step.limit, step.closing)


def _computed(name: str, call: OverCall) -> Computed:
    if isinstance(call, Framed):
        aggregation = call.aggregation
        return Computed(name, aggregation.function, frame=call.frame, aggregate=_call_of(name, aggregation))
    argument, default = (None if part is None else part.name for part in (call.argument, call.default))
    return Computed(name, call.function, argument, call.count, default, call.ignore_nulls, call.frame)
