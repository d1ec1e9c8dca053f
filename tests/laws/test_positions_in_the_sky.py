"""Angles and directions in the sky: as DuckDB computes them from other formulas, and as geometry says."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from laws.by_duckdb import database
from laws.effort import trying
from slackwater.reference.astronomy import PLAIN

RA, DEC = st.floats(0.0, 360.0), st.floats(-90.0, 90.0)
HAVERSINE = (
    "degrees(2 * asin(sqrt(least(1, power(sin(radians($4 - $2) / 2), 2)"
    " + cos(radians($2)) * cos(radians($4)) * power(sin(radians($3 - $1) / 2), 2)))))"
)
AXES = ("celestial_x", "celestial_y", "celestial_z")


@trying(200)
@given(RA, DEC, RA, DEC)
def test_an_angle_is_that_of_the_haversines(ra: float, dec: float, other_ra: float, other_dec: float) -> None:
    row = database().execute(f"SELECT {HAVERSINE}", [ra, dec, other_ra, other_dec]).fetchone()
    assert row is not None
    (theirs,) = row
    mine = PLAIN["angular_distance"](ra, dec, other_ra, other_dec)
    # Haversines lose digits near the opposite point.
    assert math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-6)


@trying(200)
@given(RA, DEC, RA, DEC)
def test_an_angle_is_that_between_the_directions(
    ra: float, dec: float, other_ra: float, other_dec: float
) -> None:
    one = [PLAIN[axis](ra, dec) for axis in AXES]
    other = [PLAIN[axis](other_ra, other_dec) for axis in AXES]
    assert math.isclose(math.hypot(*one), 1.0)
    cosine = sum(a * b for a, b in zip(one, other, strict=True))
    angle = PLAIN["angular_distance"](ra, dec, other_ra, other_dec)
    assert math.isclose(math.cos(math.radians(angle)), cosine, abs_tol=1e-12)
    assert PLAIN["cone_search"](ra, dec, other_ra, other_dec, angle)
