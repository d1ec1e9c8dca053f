"""Streams of photons as the thesis describes them (section 2.1), of any length, the same for the same seed.

$ python -m benchmarks.photons --count 100000 photons.xml
$ python -m benchmarks.photons --count 0 - | …                  without end

Half of the photons come from around the Vela supernova remnant, some of these from RXJ0852.0-4622 inside it,
which are the ones with more energy; the rest from anywhere. They come in the order of their detection.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Annotated

import typer

DTD = Path(__file__).with_name("photons.dtd")
VELA = ((120.0, 138.0), (-49.0, -40.0))
"""Right ascension and declination, each from and to, that the subscription "Vela" asks for."""
RXJ = ((130.5, 135.5), (-48.0, -45.0))


def photons(seed: int = 0) -> Iterator[str]:
    """One photon after the other, without end."""
    random = Random(seed)
    uniform = random.uniform
    time = 0.0
    for number in count():
        kind = number % 4
        (west, east), (south, north) = (
            RXJ if kind == 0 else VELA if kind == 1 else ((0.0, 360.0), (-90.0, 90.0))
        )
        ra, dec = uniform(west, east), uniform(south, north)
        energy = uniform(1.0, 2.4) if kind == 0 else 0.1 + random.random() ** 2 * 2.3
        time += random.expovariate(4.0)
        yield (
            f"<photon>\n<ra>{ra:.4f}</ra>\n<dec>{dec:.4f}</dec>\n"
            f"<pos_error>{random.random() / 60:.5f}</pos_error>\n"
            f"<phc>{int(energy * 100)}</phc>\n<en>{energy:.3f}</en>\n"
            f"<field_id>{int(random.random() * 1378) + 1}</field_id>\n<det_time>{time:.3f}</det_time>\n"
            f"<dx>{int(random.random() * 8192)}</dx>\n<dy>{int(random.random() * 8192)}</dy>\n</photon>\n"
        )


def document(number: int, seed: int = 0) -> Iterator[str]:
    """A document of so many photons; none means that it never ends."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<photons>\n'
    yield from islice(photons(seed), number or None)
    yield "</photons>\n"


def main(
    path: Annotated[Path, typer.Argument(help="Where the stream is written; - is standard output.")],
    number: Annotated[int, typer.Option("--count", help="How many photons; 0 is no end.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Another seed, other photons.")] = 0,
) -> None:
    """Write a stream of photons."""
    with sys.stdout.buffer if str(path) == "-" else path.open("wb") as out:
        parts = document(number, seed)
        while batch := "".join(islice(parts, 200)):
            out.write(batch.encode())


if __name__ == "__main__":
    typer.run(main)
