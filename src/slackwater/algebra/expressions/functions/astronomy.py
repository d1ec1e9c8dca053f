"""Positions in the sky: right ascension and declination, in degrees; NULL if one of them is an infinity."""

from __future__ import annotations

from slackwater.algebra.expressions import signatures as s
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BOOLEAN, DOUBLE

_NUM, _REAL = Family.NUMBER, s.always(DOUBLE)


def _direction(name: str, axis: str) -> Function:
    meaning = f"{axis} of the direction (right ascension, declination), as a unit vector"
    return Function(name, (_NUM,) * 2, _REAL, meaning, partial=True)


FUNCTIONS = (
    Function(
        "angular_distance",
        (_NUM,) * 4,
        _REAL,
        "the angle in degrees between (right ascension, declination) of the first two and of the last two",
        partial=True,
    ),
    Function(
        "cone_search",
        (_NUM,) * 5,
        s.always(BOOLEAN),
        "whether the first two, a position, are at most the fifth, in degrees, from that of the next two",
        partial=True,
    ),
    _direction("celestial_x", "x, towards the vernal equinox,"),
    _direction("celestial_y", "y"),
    _direction("celestial_z", "z, towards the north pole,"),
)
