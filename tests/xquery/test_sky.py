"""Positions in the sky: known angles, and the same numbers as CQL's functions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.flux.run import XQuery
from slackwater.flux.values.sky import SKY
from slackwater.language.xquery.functions import FUNCTIONS
from slackwater.reference.astronomy import PLAIN
from xquery.oracle import oracle_answer

ANGLES = st.floats(-400, 400).map(lambda value: round(value, 4))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("angular-distance(0, 0, 90, 0)", "90"),
        ("angular-distance(10, 90, 200, -90)", "180"),
        ("angular-distance((), 0, 90, 0)", ""),
        ("cone-search(359.9, 0, 0.1, 0, 0.25)", "true"),
        ("cone-search(1, 0, 0.1, 0, 0.25)", "false"),
        ("cone-search((), 0, 0.1, 0, 0.25)", "false"),
        ("celestial-x(0, 0)", "1"),
        ("celestial-y(90, 0)", "1"),
        ("celestial-z(7, 90)", "1"),
        ("angular-distance(xs:double('INF'), 0, 0, 0)", "NaN"),
    ],
)
def test_known_positions(query: str, answer: str) -> None:
    assert oracle_answer(query) == answer
    assert XQuery(query).answer(b"<r/>") == answer


@pytest.mark.parametrize("name", SKY)
def test_a_call_has_the_type_of_its_record(name: str) -> None:
    record = FUNCTIONS[name]
    numbers = ", ".join(["1.5"] * len(record.parameters))
    assert oracle_answer(f"({name}({numbers})) instance of {record.result}") == "true"


def test_a_cone_selects_photons() -> None:
    query = "for $p in /photons/photon where cone-search($p/ra, $p/dec, 133, -46.4, 1) return $p/ra"
    inside = "<photon><ra>133.5</ra><dec>-46</dec></photon><photon><ra>120</ra><dec>0</dec></photon>"
    document = f"<photons>{inside}</photons>"
    assert XQuery(query).answer(document.encode()) == oracle_answer(query, document) == "<ra>133.5</ra>"


@given(ANGLES, ANGLES, ANGLES, ANGLES)
def test_xquery_and_cql_agree(ra: float, dec: float, other_ra: float, other_dec: float) -> None:
    numbers = ", ".join(f"{value!r}e0" for value in (ra, dec, other_ra, other_dec))
    expected = PLAIN["angular_distance"](ra, dec, other_ra, other_dec)
    assert math.isclose(float(oracle_answer(f"angular-distance({numbers})")), expected, abs_tol=1e-12)
