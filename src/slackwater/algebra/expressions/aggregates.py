"""The closed table of aggregate functions, and the type each gives."""

from __future__ import annotations

from slackwater.algebra.expressions.aggregate import Aggregate
from slackwater.algebra.expressions.collected import COLLECTED
from slackwater.algebra.expressions.signatures import Family, Mismatch
from slackwater.algebra.types import BIGINT, DOUBLE, MAX_PRECISION, NULL, UNKNOWN, Type, decimal


def _total(type_: Type) -> Type:
    if type_.is_floating:
        return DOUBLE
    return decimal(MAX_PRECISION, type_.scale) if type_.is_decimal else BIGINT


def _double(type_: Type) -> Type:
    return DOUBLE


def _same(type_: Type) -> Type:
    return type_


AGGREGATES: dict[str, Aggregate] = {
    aggregate.name: aggregate
    for aggregate in (
        Aggregate("count", Family.ANY, lambda _: BIGINT, "how many there are", of_rows=True),
        Aggregate(
            "sum",
            Family.NUMBER,
            _total,
            "their exact sum, rounded once; NULL of none",
            error="arithmetic-overflow",
        ),
        Aggregate(
            "try_sum",
            Family.NUMBER,
            _total,
            "their exact sum, rounded once; NULL of none, and if it is too large",
        ),
        Aggregate(
            "avg",
            Family.NUMBER,
            _double,
            "their exact mean, rounded once; NULL of none",
            also="`mean`, `average`",
        ),
        Aggregate(
            "min", Family.ANY, _same, "the least; NULL of none", also="`any_value`, of which any will do"
        ),
        Aggregate("max", Family.ANY, _same, "the greatest, where NaN is above every number; NULL of none"),
        Aggregate(
            "stddev",
            Family.NUMBER,
            _double,
            "the sample's standard deviation; NULL of fewer than two",
            also="`stddev_samp`, `std`",
        ),
        Aggregate(
            "variance",
            Family.NUMBER,
            _double,
            "the sample's variance; NULL of fewer than two",
            also="`var_samp`, `var`",
        ),
        Aggregate("stddev_pop", Family.NUMBER, _double, "the population's standard deviation; NULL of none"),
        Aggregate(
            "var_pop",
            Family.NUMBER,
            _double,
            "the population's variance; NULL of none",
            also="`variance_pop`",
        ),
        Aggregate(
            "median", Family.NUMBER, _double, "the middle one, or the mean of the middle two; NULL of none"
        ),
    )
}

AGGREGATES |= {aggregate.name: aggregate for aggregate in COLLECTED}

LINEAR = ("count", "sum", "try_sum", "avg", "variance", "stddev", "var_pop", "stddev_pop")
"""The aggregates that are functions of sums over the rows: those of parts of the rows can be added up."""


def aggregate_type(name: str, argument_type: Type | None, distinct: bool = False) -> Type | Mismatch:
    """The type of the aggregate of such an argument (None: of rows), or why there is none."""
    aggregate = AGGREGATES[name]
    if argument_type is None:
        is_allowed = aggregate.of_rows and not distinct
        return aggregate.result(NULL) if is_allowed else Mismatch(None, aggregate.takes)
    if not aggregate.parameter.takes(argument_type):
        return Mismatch(0, aggregate.takes)
    polymorphic = aggregate.result in (_same, _total)
    return UNKNOWN if polymorphic and argument_type == UNKNOWN else aggregate.result(argument_type)
