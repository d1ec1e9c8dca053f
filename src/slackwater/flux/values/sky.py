"""Positions in the sky, in degrees: angles between them, cones, and directions as vectors."""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, cos, degrees, hypot, inf, nan, radians, sin

from slackwater.flux.values.atomic import Items, at_most_one
from slackwater.flux.values.casts import to_double
from slackwater.flux.values.context import Context


def _of_numbers(name: str, compute: Callable[..., float]) -> Callable[..., Items]:
    """A function of doubles: empty if an argument is, NaN of an infinity."""

    def computed(_context: Context, *arguments: Items) -> Items:
        values = [at_most_one(items, name) for items in arguments]
        if None in values:
            return []
        numbers = [to_double(value) for value in values if value is not None]
        return [nan if inf in map(abs, numbers) else compute(*numbers)]

    return computed


def _distance(ra: float, dec: float, other_ra: float, other_dec: float) -> float:
    """tan d = |a × b| / a · b"""
    one, other, between = radians(dec), radians(other_dec), radians(other_ra - ra)
    if abs(between) == inf:
        return nan
    north = cos(one) * sin(other) - sin(one) * cos(other) * cos(between)
    along = sin(one) * sin(other) + cos(one) * cos(other) * cos(between)
    return degrees(atan2(hypot(cos(other) * sin(between), north), along))


def _in_cone(_context: Context, *arguments: Items) -> Items:
    distance = _of_numbers("cone-search", _distance)(_context, *arguments[:4])
    radius = at_most_one(arguments[4], "cone-search")
    if not distance or radius is None:
        return [False]
    return [to_double(distance[0]) <= to_double(radius)]  # type: ignore[arg-type]


SKY: dict[str, Callable[..., Items]] = {
    "angular-distance": _of_numbers("angular-distance", _distance),
    "cone-search": _in_cone,
    "celestial-x": _of_numbers("celestial-x", lambda ra, dec: cos(radians(dec)) * cos(radians(ra))),
    "celestial-y": _of_numbers("celestial-y", lambda ra, dec: cos(radians(dec)) * sin(radians(ra))),
    "celestial-z": _of_numbers("celestial-z", lambda ra, dec: sin(radians(dec))),
}
