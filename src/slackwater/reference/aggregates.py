"""Aggregates from which values can be subtracted again, exactly.

Numbers are summed as whole multiples of a unit so small that every value of the type is one
(10⁻ˢ for decimals of scale s, 2⁻¹⁰⁷⁴ for doubles) and rounded once, when the value is read.
So adding and subtracting, in any order, gives exactly the former float.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

from slackwater.algebra.errors import overflow
from slackwater.algebra.expressions.nodes import USER, Aggregation
from slackwater.algebra.types import BIGINT, GREATEST, LEAST, Type
from slackwater.algebra.values import NAN, canonical
from slackwater.base.diagnostic import EngineError
from slackwater.reference import collected
from slackwater.reference.casts import EXACT, fitted
from slackwater.reference.user_functions import user_aggregate
from slackwater.reference.values import sort_key


class Accumulator(Protocol):
    """The state of an aggregate for a group."""

    def add(self, value: Any, n: int) -> None:
        """Add n copies of the value, or remove them if n is negative; NULLs are ignored."""

    def value(self) -> Any:
        """The aggregate of the current copies."""


def make_accumulator(aggregation: Aggregation) -> Accumulator:
    """An empty accumulator; for COUNT(*) add any value that is not NULL."""
    argument = BIGINT if aggregation.argument is None else aggregation.argument.type
    plain = _MAKERS[aggregation.function](aggregation, argument)
    return Distinct(plain) if aggregation.distinct else plain


class Count:
    def __init__(self) -> None:
        self._copies = 0

    def add(self, value: Any, n: int) -> None:
        if value is not None:
            self._copies += n

    def value(self) -> int:
        return self._copies


class Distinct:
    """Another accumulator over one copy of each value."""

    def __init__(self, inner: Accumulator) -> None:
        self._inner = inner
        self._copies: dict[Any, int] = {}

    def add(self, value: Any, n: int) -> None:
        if value is None:
            return
        value = canonical(value)
        before = self._copies.get(value, 0)
        after = self._copies[value] = before + n
        if not after:
            del self._copies[value]
        if (before > 0) != (after > 0):
            self._inner.add(value, 1 if after > 0 else -1)

    def value(self) -> Any:
        return self._inner.value()


class Sums:
    """The number of values and their exact sum in units; infinities and NaN are counted apart."""

    def __init__(self, type_: Type) -> None:
        self.copies = self.total = 0
        self._non_finite = {math.inf: 0, -math.inf: 0, NAN: 0}
        self.unit = 1 << _FINEST if type_.is_floating else 10**type_.scale
        self._units = _float_units if type_.is_floating else _exact_units(type_.scale)

    def add(self, value: Any, n: int) -> None:
        if value is None:
            return
        self.copies += n
        if isinstance(value, float) and not math.isfinite(value):
            self._non_finite[canonical(value)] += n
            return
        self._add_units(self._units(value), n)

    def _add_units(self, units: int, n: int) -> None:
        self.total += n * units

    @property
    def non_finite(self) -> float | None:
        """The sum of the values that are not finite, if there are any."""
        values = [value for value, copies in self._non_finite.items() if copies > 0]
        return None if not values else values[0] if len(values) == 1 else NAN


class Squares(Sums):
    """Sums with the sum of squares."""

    squares = 0

    def _add_units(self, units: int, n: int) -> None:
        self.total += n * units
        self.squares += n * units * units


_FINEST = 1074
"""Every finite double is a whole multiple of 2 to the power of minus this."""


def _float_units(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return numerator << (_FINEST + 1 - denominator.bit_length())


def _exact_units(scale: int) -> Callable[[Any], int]:
    return (lambda value: int(EXACT.scaleb(value, scale))) if scale else int


def ratio(numerator: int, denominator: int) -> float:
    """The quotient, rounded once; an infinity if it is beyond the largest double."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


class Sum:
    def __init__(self, aggregation: Aggregation, argument: Type) -> None:
        self._aggregation = aggregation
        self._sums = Sums(argument)
        self.add = self._sums.add

    def value(self) -> Any:
        sums, type_ = self._sums, self._aggregation.type
        if sums.copies <= 0:
            return None
        if type_.is_floating:
            return ratio(sums.total, sums.unit) if sums.non_finite is None else sums.non_finite
        if type_.is_integer and LEAST <= sums.total <= GREATEST:
            return sums.total
        try:
            if type_.is_decimal:
                return fitted(EXACT.scaleb(Decimal(sums.total), -type_.scale), type_)
        except ValueError:
            pass
        raise EngineError(overflow("sum", type_, self._aggregation.origin))


class TrySum(Sum):
    """The sum, or NULL if it is too large."""

    def value(self) -> Any:
        try:
            return super().value()
        except EngineError:
            return None


class Average:
    def __init__(self, aggregation: Aggregation, argument: Type) -> None:
        self._sums = Sums(argument)
        self.add = self._sums.add

    def value(self) -> float | None:
        sums = self._sums
        if sums.copies <= 0:
            return None
        total = ratio(sums.total, sums.unit) if sums.non_finite is None else sums.non_finite
        mean: float = canonical(total / sums.copies)
        return mean


class Variance:
    """(n Σx² - (Σx)²) / n(n - spare), where spare is 1 for a sample."""

    def __init__(self, argument: Type, spare: int, is_root: bool) -> None:
        self._sums = Squares(argument)
        self.add = self._sums.add
        self._spare = spare
        self._is_root = is_root

    def value(self) -> float | None:
        sums = self._sums
        n = sums.copies
        if n <= self._spare:
            return None
        if sums.non_finite is not None:
            return NAN
        variance = ratio(n * sums.squares - sums.total**2, n * (n - self._spare) * sums.unit**2)
        return math.sqrt(variance) if self._is_root else variance


class Ordered:
    """The current values, in order, each with its copies."""

    def __init__(self) -> None:
        self._copies: dict[Any, int] = {}
        self._values: list[Any] = []

    def add(self, value: Any, n: int) -> None:
        if value is None or not n:
            return
        value = canonical(value)
        copies = self._copies.get(value)
        if copies is None:
            insort(self._values, value, key=sort_key)
        self._copies[value] = (copies or 0) + n
        if copies == -n:
            del self._copies[value]
            del self._values[bisect_left(self._values, sort_key(value), key=sort_key)]

    def first(self) -> Any:
        return next((value for value in self._values if self._copies[value] > 0), None)

    def last(self) -> Any:
        return next((value for value in reversed(self._values) if self._copies[value] > 0), None)

    def at(self, position: int) -> Any:
        """The value at that position in order, from 0, every copy counted."""
        for value in self._values:
            position -= max(self._copies[value], 0)
            if position < 0:
                return value
        return None

    def __len__(self) -> int:
        return sum(copies for copies in self._copies.values() if copies > 0)


class Extreme:
    def __init__(self, is_greatest: bool) -> None:
        self._values = Ordered()
        self.add = self._values.add
        self.value = self._values.last if is_greatest else self._values.first


class Median:
    def __init__(self) -> None:
        self._values = Ordered()
        self.add = self._values.add

    def value(self) -> float | None:
        count = len(self._values)
        if not count:
            return None
        low, high = self._values.at((count - 1) // 2), self._values.at(count // 2)
        if math.isfinite(low) and math.isfinite(high):
            middle = (Fraction(low) + Fraction(high)) / 2
            return ratio(middle.numerator, middle.denominator)
        return canonical(float(low) + float(high))  # type: ignore[no-any-return]


_MAKERS: dict[str, Callable[[Aggregation, Type], Accumulator]] = {
    "count": lambda aggregation, argument: Count(),
    "sum": Sum,
    "try_sum": TrySum,
    "avg": Average,
    "min": lambda aggregation, argument: Extreme(is_greatest=False),
    "max": lambda aggregation, argument: Extreme(is_greatest=True),
    "stddev": lambda aggregation, argument: Variance(argument, 1, is_root=True),
    "variance": lambda aggregation, argument: Variance(argument, 1, is_root=False),
    "stddev_pop": lambda aggregation, argument: Variance(argument, 0, is_root=True),
    "var_pop": lambda aggregation, argument: Variance(argument, 0, is_root=False),
    "median": lambda aggregation, argument: Median(),
    USER: lambda aggregation, argument: user_aggregate(aggregation),
    **collected.MAKERS,
}
