"""Positions in the sky, from the definitions of spherical trigonometry."""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, cos, degrees, hypot, isinf, radians, sin
from typing import Any

from slackwater.algebra.values import NAN


def angular_distance(ra: Any, dec: Any, other_ra: Any, other_dec: Any) -> float | None:
    """The angle between two directions: tan d = |a × b| / a · b, exact for small and for large angles."""
    values = [float(value) for value in (ra, dec, other_ra, other_dec)]
    difference = values[2] - values[0]
    if any(map(isinf, (*values, difference))):
        return None
    one, other, between = radians(values[1]), radians(values[3]), radians(difference)
    east = cos(other) * sin(between)
    north = cos(one) * sin(other) - sin(one) * cos(other) * cos(between)
    along = sin(one) * sin(other) + cos(one) * cos(other) * cos(between)
    return _real(degrees(atan2(hypot(east, north), along)))


def cone_search(ra: Any, dec: Any, centre_ra: Any, centre_dec: Any, radius: Any) -> bool | None:
    """Whether a position is in a cone; NaN is in none."""
    distance = angular_distance(ra, dec, centre_ra, centre_dec)
    return None if distance is None else distance <= float(radius)


def _direction(compute: Callable[[float, float], float]) -> Callable[[Any, Any], float | None]:
    def computed(ra: Any, dec: Any) -> float | None:
        values = float(ra), float(dec)
        return None if any(map(isinf, values)) else _real(compute(*map(radians, values)))

    return computed


def _real(value: float) -> float:
    """Without a sign of zero; one NaN."""
    return value + 0.0 if value == value else NAN


PLAIN: dict[str, Callable[..., Any]] = {
    "angular_distance": angular_distance,
    "cone_search": cone_search,
    "celestial_x": _direction(lambda ra, dec: cos(dec) * cos(ra)),
    "celestial_y": _direction(lambda ra, dec: cos(dec) * sin(ra)),
    "celestial_z": _direction(lambda ra, dec: sin(dec) if ra == ra else NAN),
}
