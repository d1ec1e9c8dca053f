"""The lengths of windows: constants, as numbers of microseconds or of what the time column counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from sqlglot import exp

from slackwater.algebra.expressions import Call, Cast, Expression, Literal
from slackwater.algebra.types import BIGINT, DATE, INTERVAL, STRING, TIMESTAMP_NTZ, UNKNOWN, Type
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.base.time import Duration, length_in
from slackwater.bind.binding import Binding
from slackwater.bind.coercion import coerced
from slackwater.bind.expressions import Expressions
from slackwater.bind.parameters.places import read_constant
from slackwater.bind.windowing import problems

_MICROSECOND = timedelta(microseconds=1)
_LONGEST = 10**17
"""The longest window, in microseconds or numbers, as long as the longest interval."""
MOST_WINDOWS = 10_000
"""The most windows that one row may be in."""


def time_of(value: Expression, function: str, span: Span, binding: Binding) -> Expression | None:
    """The time that windows are of: a timestamp, or a whole number; None for errors, which are reported."""
    if value.type is UNKNOWN:
        return None
    if value.type.is_integer:
        return coerced(value, BIGINT)
    if value.type == DATE:
        return Cast(TIMESTAMP_NTZ, value, origin=span)
    if not value.type.is_time:
        binding.report(problems.NOT_A_TIME.at(span, function=function, type=value.type))
        return None
    return value


@dataclass(slots=True)
class Lengths:
    """Binds the lengths of a call of a window function, of windows of a type of time."""

    function: str
    type: Type
    binder: Expressions
    size: int = 0
    step: int = 0
    offset: int = 0
    is_wrong: bool = False

    def positive(self, node: exp.Expression, part: str) -> int:
        """A length that is not zero; 1 for errors, which are reported."""
        length = self.any(node, part)
        if length is not None and length <= 0:
            self._report(problems.NOT_POSITIVE.at(self._span(node), part=part, function=self.function))
        return max(length or 1, 1)

    def any(self, node: exp.Expression, part: str) -> int | None:
        """A length, which may be negative; None for errors, which are reported."""
        value, sign = self.binder.bind(node), 1
        if self.type.is_integer:
            value = read_constant(value, (BIGINT,), self.binder.binding, self.binder.bind)
        while isinstance(value, Call) and value.function == "negate":
            value, sign = value.arguments[0], -sign
        if value.type is UNKNOWN:
            self.is_wrong = True
            return None
        length = self._length(value, node, part)
        return None if length is None else sign * length

    def _length(self, value: Expression, node: exp.Expression, part: str) -> int | None:
        span = self._span(node)
        constant = value.value if isinstance(value, Literal) else None
        length = length_in(constant) if value.type == STRING and isinstance(constant, str) else None
        if length is not None and length.unit is not None:
            duration = Duration(Fraction(length.amount), length.unit)
            return self._of(duration, -1 if length.is_negative else 1, span, part)
        if value.type == INTERVAL and isinstance(constant, timedelta):
            micros = constant // _MICROSECOND
            return self._of(
                Duration(Fraction(abs(micros)), "microsecond"), -1 if micros < 0 else 1, span, part
            )
        if value.type.is_integer and isinstance(constant, int) and abs(constant) <= _LONGEST:
            if self.type.is_integer:
                return constant
            self._report(problems.NO_UNIT.at(span, type=self.type, part=part, function=self.function))
            return None
        self._report(problems.NOT_A_LENGTH.at(span, part=part, function=self.function))
        return None

    def _of(self, duration: Duration, sign: int, span: Span, part: str) -> int | None:
        """The length in microseconds or, of a column of numbers, in chronons."""
        binding = self.binder.binding
        clock = binding.catalog.clock
        if self.type.is_integer and binding.catalog.calendar:
            self._report(problems.NUMBERS.at(span, part=part, function=self.function))
            return None
        count = duration.microseconds if not self.type.is_integer else None
        if self.type.is_integer and (chronons := clock.chronons(duration)) is not None:
            count = Fraction(chronons)
        if count is None or count.denominator != 1:
            chronon = "1 microsecond" if not self.type.is_integer else str(clock.chronon).lower()
            self._report(problems.UNEVEN_LENGTH.at(span, chronon=chronon, part=part, function=self.function))
            return None
        if count > _LONGEST:
            self._report(problems.NOT_A_LENGTH.at(span, part=part, function=self.function))
            return None
        if self.type.is_integer:
            binding.catalog.measured = clock
            if not binding.catalog.states_chronon:
                stated, called = str(clock.chronon).upper(), self.function
                note = problems.DEFAULT_CHRONON.at(
                    span, part=part, function=called, count=int(count), chronon=stated.lower(), stated=stated
                )
                binding.note(note)
        return sign * int(count)

    def check(self, span: Span, cumulates: bool) -> None:
        """Report lengths that do not fit together."""
        step = "step" if cumulates else "slide"
        if cumulates and self.size % self.step:
            self._report(problems.UNEVEN_STEPS.at(span))
        if (count := -(-self.size // self.step)) > MOST_WINDOWS and not self.is_wrong:
            many = problems.MANY_WINDOWS.at(
                span, count=count, most=MOST_WINDOWS, part=step, function=self.function
            )
            self._report(many)

    def _span(self, node: exp.Expression) -> Span:
        return self.binder.binding.span(node)

    def _report(self, problem: Diagnostic) -> None:
        self.is_wrong = True
        self.binder.binding.report(problem)
