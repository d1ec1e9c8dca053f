"""The picture of the sky."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.globe.astronomy.photons import RXJ, photons
from slackwater.globe.astronomy.plot import LEAST, photons_in, write_sky


def test_the_picture_is_written(tmp_path: Path) -> None:
    write_sky(str(tmp_path / "sky.png"), photons_in(islice(photons(), 400)))
    assert (tmp_path / "sky.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        write_sky(str(tmp_path / "nowhere" / "sky.png"), [])


def test_the_remnant_shows_above_its_energy() -> None:
    """Among photons with more energy, most of those in its area are from the remnant itself."""
    (west, east), (south, north) = RXJ
    every = photons_in(islice(photons(), 20_000))
    near = [one for one in every if west < one[0] < east and south < one[1] < north]
    bright = [one for one in near if one[2] > LEAST]

    def inside(some: list[tuple[float, float, float]]) -> float:
        return sum((ra - 133.0) ** 2 * 0.476 + (dec + 46.37) ** 2 < 1.1 for ra, dec, _ in some) / len(some)

    assert inside(bright) > 0.9 > 0.7 > inside(near)
