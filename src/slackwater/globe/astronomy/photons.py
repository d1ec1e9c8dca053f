"""Streams of photons as the ROSAT satellite sent them (thesis, section 2.1), the same for the same seed.

Of a number of photons, two come from the Vela supernova remnant, which is soft and wide. A few of these come
from RXJ0852.0-4622 in front of it, a disc with a bright edge: they have more energy, so that it shows above
1.3 keV only. Every twenty minutes it flares for one, and is then the brighter one. Other photons come from
anywhere in the sky. They come in the order of their detection.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from math import asin, cos, degrees, pi, radians, sin, sqrt
from pathlib import Path
from random import Random

DTD = Path(__file__).with_name("photons.dtd")
VELA = ((120.0, 138.0), (-49.0, -40.0))
"""Right ascension and declination, each from and to, that the subscription "Vela" selects."""
RXJ = ((130.5, 135.5), (-48.0, -45.0))
_CENTRE, _RADIUS = (133.0, -46.37), 1.0
_RATE = 4.0
_PERIOD, _FLARE = 1200.0, 60.0
_QUIET, _FLARING = 0.03, 0.9
"""The part of the photons of both that comes from RXJ, while it is quiet and while it flares."""


def photons(seed: int = 0, begin: float = 0.0, of: int = 4) -> Iterator[str]:
    """One photon after the other, without end, from `begin` on; two of `of` come from Vela."""
    random = Random(seed)
    time = begin
    for number in count():
        time += random.expovariate(_RATE)
        ra, dec, energy = _origin(number % of, time, random)
        yield (
            f"<photon>\n<ra>{ra:.4f}</ra>\n<dec>{dec:.4f}</dec>\n"
            f"<pos_error>{random.random() / 60:.5f}</pos_error>\n"
            f"<phc>{int(energy * 100)}</phc>\n<en>{energy:.3f}</en>\n"
            f"<field_id>{int(random.random() * 1378) + 1}</field_id>\n<det_time>{time:.3f}</det_time>\n"
            f"<dx>{int(random.random() * 8192)}</dx>\n<dy>{int(random.random() * 8192)}</dy>\n</photon>\n"
        )


def document(number: int, seed: int = 0, begin: float = 0.0, of: int = 4) -> Iterator[str]:
    """A document of so many photons; none means that it never ends."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<photons>\n'
    yield from islice(photons(seed, begin, of), number or None)
    yield "</photons>\n"


def _origin(number: int, time: float, random: Random) -> tuple[float, float, float]:
    """Right ascension, declination and energy of a photon."""
    soft = min(2.4, 0.1 + random.expovariate(3.3))
    if number > 1:
        return random.uniform(0.0, 360.0), degrees(asin(random.uniform(-1.0, 1.0))), soft
    if random.random() < (_FLARING if time % _PERIOD < _FLARE else _QUIET):
        ra, dec = _in_disc(random)
        return ra, dec, 0.9 + 1.5 * random.betavariate(2.0, 3.0)
    (west, east), (south, north) = VELA
    ra = min(max(random.gauss(132.5, 2.6), west), east)
    return ra, min(max(random.gauss(-46.1, 1.5), south), north), soft


def _in_disc(random: Random) -> tuple[float, float]:
    """Half of the photons of the remnant come from its edge."""
    edge = random.random() < 0.5
    radius = _RADIUS * (random.uniform(0.75, 1.0) if edge else sqrt(random.random()))
    angle = random.uniform(0.0, 2 * pi)
    dec = _CENTRE[1] + radius * sin(angle)
    return _CENTRE[0] + radius * cos(angle) / cos(radians(dec)), dec
