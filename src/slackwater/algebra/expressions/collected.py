"""Aggregates of the whole bag of values of a group; of several arguments, it is a bag of structs.

A bag has no order, so each of them says which of several values it gives.
"""

from __future__ import annotations

from collections.abc import Callable

from slackwater.algebra.expressions.aggregate import Aggregate
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.expressions.signatures import Family
from slackwater.algebra.types import BIGINT, BINARY, DOUBLE, STRING, Type, array


def _field(place: int) -> Callable[[Type], Type]:
    return lambda type_: inner_types(type_)[place] if type_.name == "struct" else type_


def _double(type_: Type) -> Type:
    return DOUBLE


def _list_of_first(type_: Type) -> Type:
    return array(_field(0)(type_))


def _pair(name: str, meaning: str) -> Aggregate:
    return Aggregate(name, Family.PAIR, _double, f"{meaning}; NULL of none", syntax=f"{name}(y, x)")


COLLECTED = (
    Aggregate(
        "min_by",
        Family.BY,
        _field(1),
        "the value where the second is least; of several the least",
        also="`arg_min(a, b)`",
        syntax="min_by(a, b)",
    ),
    Aggregate(
        "max_by",
        Family.BY,
        _field(1),
        "the value where the second is greatest; of several the least",
        also="`arg_max(a, b)`",
        syntax="max_by(a, b)",
    ),
    Aggregate(
        "mode", Family.ANY, lambda type_: type_, "the most frequent; of several the least; NULL of none"
    ),
    Aggregate(
        "string_agg",
        Family.TEXTS,
        lambda type_: STRING,
        "the texts with the constant b between them, in the order of c, then their own; NULL of none",
        also="`listagg(a, b)`",
        syntax="string_agg(a [, b]) [WITHIN GROUP (ORDER BY c)]",
    ),
    Aggregate(
        "array_agg",
        Family.LISTED,
        _list_of_first,
        "the values, in the order of b, then their own; empty of none",
        also="`collect_list(a)`",
        syntax="array_agg(a [ORDER BY b])",
    ),
    Aggregate("collect_set", Family.ANY, array, "the distinct values in their order; empty of none"),
    Aggregate(
        "percentile",
        Family.PLACED,
        _double,
        "the value at the constant share b (0 to 1) of the order, between two in proportion; NULL of none",
        also="`percentile_cont(b) WITHIN GROUP (ORDER BY a)`",
        syntax="percentile(a, b)",
    ),
    Aggregate(
        "percentile_disc",
        Family.PLACED,
        _field(0),
        "the first value that a constant share b of the values does not exceed; NULL of none",
        also="`approx_percentile(a, b)`, `percentile_approx(a, b)`, which are exact",
        syntax="percentile_disc(b) WITHIN GROUP (ORDER BY a)",
    ),
    Aggregate("bit_and", Family.INTEGER, lambda type_: BIGINT, "the bits that are set in all; NULL of none"),
    Aggregate("bit_or", Family.INTEGER, lambda type_: BIGINT, "the bits that are set in any; NULL of none"),
    Aggregate(
        "bit_xor",
        Family.INTEGER,
        lambda type_: BIGINT,
        "the bits that are set in an odd number; NULL of none",
    ),
    Aggregate(
        "bitmap_construct_agg",
        Family.INTEGER,
        lambda type_: BINARY,
        "4096 bytes in which the bits at these positions are set; others than 0 to 32767 are left out",
    ),
    Aggregate(
        "bitmap_or_agg", Family.BINARY, lambda type_: BINARY, "4096 bytes with the bits that are set in any"
    ),
    Aggregate(
        "bitmap_and_agg",
        Family.BINARY,
        lambda type_: BINARY,
        "4096 bytes with the bits that are set in all; all bits of none",
    ),
    Aggregate("skewness", Family.NUMBER, _double, "the skewness; NULL of none, and of equal values"),
    Aggregate("kurtosis", Family.NUMBER, _double, "the excess kurtosis; NULL of none, and of equal values"),
    _pair("corr", "the correlation of pairs without NULL"),
    _pair("covar_pop", "the population's covariance"),
    _pair("covar_samp", "the sample's covariance"),
    _pair("regr_avgx", "the mean of x in pairs without NULL"),
    _pair("regr_avgy", "the mean of y"),
    _pair("regr_sxx", "the sum of squares of x about its mean"),
    _pair("regr_syy", "the sum of squares of y about its mean"),
    _pair("regr_sxy", "the sum of products about the means"),
    _pair("regr_slope", "the slope of the line of least squares"),
    _pair("regr_intercept", "where that line is at x = 0"),
    _pair("regr_r2", "the square of the correlation, 1 of equal y"),
)
