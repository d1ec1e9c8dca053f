"""Positions in the sky. Computed row by row: sines of numpy and of Python's library differ in the last digit.

A cone's edge would otherwise depend on how many rows are computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import DOUBLE
from slackwater.kernels.expressions.decimals import Maker, to_double
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.terms import Term, faults_of


def _by_rows(function: Callable[..., Any]) -> Maker:
    def defined(*values: float) -> Any:
        return None if any(map(math.isinf, values[:4])) else function(*values)

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        pairs = zip(arguments, call.arguments, strict=True)
        doubles = [to_double(argument.value, part.type) for argument, part in pairs]
        value = by_rows(defined, doubles, [DOUBLE] * len(doubles), call.type)
        return Term(value, faults_of(arguments))

    return make


def _distance(ra: float, dec: float, other_ra: float, other_dec: float) -> float | None:
    turn = other_ra - ra
    if math.isinf(turn):
        return None
    alpha, one, other = math.radians(turn), math.radians(dec), math.radians(other_dec)
    sine, cosine = math.sin(one), math.cos(one)
    y, x = math.sin(other), math.cos(other)
    east, north = x * math.sin(alpha), cosine * y - sine * x * math.cos(alpha)
    return _real(math.degrees(math.atan2(math.hypot(east, north), sine * y + cosine * x * math.cos(alpha))))


def _in_cone(ra: float, dec: float, centre_ra: float, centre_dec: float, radius: float) -> bool | None:
    distance = _distance(ra, dec, centre_ra, centre_dec)
    return None if distance is None else distance <= radius


def _real(value: float) -> float:
    return value + 0.0


MAKERS: dict[str, Maker] = {
    "angular_distance": _by_rows(_distance),
    "cone_search": _by_rows(_in_cone),
    "celestial_x": _by_rows(lambda ra, dec: _real(math.cos(math.radians(dec)) * math.cos(math.radians(ra)))),
    "celestial_y": _by_rows(lambda ra, dec: _real(math.cos(math.radians(dec)) * math.sin(math.radians(ra)))),
    "celestial_z": _by_rows(lambda ra, dec: _real(math.sin(math.radians(dec)) + 0.0 * ra)),
}
