"""Streams of photons, of any length, written to a file.

$ python -m benchmarks.photons --count 100000 photons.xml
$ python -m benchmarks.photons --count 0 - | …                  without end
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from slackwater.globe.astronomy.photons import DTD, document

__all__ = ["DTD", "document"]


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
