"""The estimates of an explanation: of operators, of steps and of exchanges, in words and numbers.

Estimates are of operators. A step has the estimate of the operator whose last step it is; what is exchanged
before that has the elements of the operator below.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.algebra import Operator
from slackwater.base.time import Clock
from slackwater.optimize.cost.estimate import Estimator
from slackwater.optimize.cost.estimates import Estimate
from slackwater.optimize.cost.statistics import Statistics, width_of
from slackwater.physical.graph import Graph

_SECOND = 1_000_000
"""Microseconds."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The estimates of the steps of a graph."""

    estimator: Estimator
    clock: Clock
    of_steps: dict[int, Estimate]

    @property
    def unit(self) -> str:
        """The time that rates are of."""
        return "second" if self.clock.chronon.microseconds else "chronon"

    def per_unit(self, rate: float) -> float:
        """A rate per chronon as one per unit."""
        chronon = self.clock.chronon.microseconds
        return rate * float(_SECOND / chronon) if chronon else rate

    def exchanged(self, graph: Graph, place: int) -> float:
        """Bytes per unit that move, if the elements of a step do."""
        width, at = width_of(graph.nodes[place].schema), place
        while at not in self.of_steps and graph.nodes[at].inputs:
            at = graph.nodes[at].inputs[0]
        return self.per_unit(self.of_steps[at].elements * width) if at in self.of_steps else 0.0

    def in_words(self, plan: Operator) -> str:
        """The estimate of an operator, for its line in `explain`."""
        one = self.estimator.estimate(plan)
        words = [f"{short(self.per_unit(one.rate))}/{self.unit[0]}"]
        words += [f"{short(self.per_unit(one.retracted))}/{self.unit[0]} retracted"] if one.retracted else []
        words += [f"{short(one.alive)} alive"]
        words += [f"keeps {short(one.state)} ({in_bytes(one.state_bytes)})"] if one.state else []
        words += [f"work {short(self.per_unit(one.work))}/{self.unit[0]}"]
        return f"[{', '.join(words)}]"


def costs_of(graph: Graph, statistics: Statistics, clock: Clock) -> Costs:
    """The estimates of the operators that the graph was made of."""
    estimator = Estimator(statistics)
    operators: Iterable[tuple[object, int]] = graph.lowered.values()
    return Costs(
        estimator,
        clock,
        {place: estimator.estimate(plan) for plan, place in operators if isinstance(plan, Operator)},
    )


def short(number: float) -> str:
    """A number in few characters.

    >>> [short(n) for n in (0, 0.0004, 0.25, 12, 999.6, 12_345, 2.5e6, 3e12)]
    ['0', '0.0004', '0.25', '12', '1k', '12k', '2.5M', '3000G']
    """
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * size:
            return f"{_digits(number / size)}{sign}"
    return _digits(number)


def _digits(number: float) -> str:
    return f"{number:.2g}" if number < 9.95 else f"{number:.0f}"


def in_bytes(number: float) -> str:
    """A number of bytes in few characters.

    >>> in_bytes(43_200)
    '43 kB'
    """
    for size, sign in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= 0.9995 * size:
            return f"{_digits(number / size)} {sign}"
    return f"{_digits(number)} B"
