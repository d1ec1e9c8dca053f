"""Sensors in a field that measure temperature or humidity, each at its own rate; and their best matches.

x  o    o      x temperature, o humidity: no place has both, and a reading of one kind
  o   x        is paired with the readings of the other kind that are near in space
 x  x   o      and near in time
"""

from __future__ import annotations

import math
import os
import random
from pathlib import Path
from typing import NamedTuple

FIELD = 600
"""The field has so many meters on each side."""
FILES = 6
KINDS = ("Temp", "Hum")


class Sensor(NamedTuple):
    number: int
    x: int
    y: int
    every: int
    """The seconds between two readings."""


def sensors_of(count: int, seed: int) -> dict[str, list[Sensor]]:
    """So many sensors of each kind, at places and rates by chance."""
    chance = random.Random(seed)
    return {
        kind: [
            Sensor(number, chance.randrange(FIELD), chance.randrange(FIELD), chance.randrange(120, 420, 20))
            for number in range(1, count + 1)
        ]
        for kind in KINDS
    }


def readings_of(sensors: dict[str, list[Sensor]], minutes: int, seed: int, folder: Path) -> int:
    """Write the readings of each kind into files of a folder, in the order of time; returns their count."""
    import polars as pl

    names = {"ts": pl.Int64, "sensor": pl.Int32, "x": pl.Int32, "y": pl.Int32, "v": pl.Float64}
    chance, total = random.Random(seed), 0
    for kind, placed in sensors.items():
        rows = sorted(
            (time, one.number, one.x, one.y, _value(kind, time, one, chance))
            for one in placed
            for time in range(chance.randrange(one.every), minutes * 60, one.every)
        )
        (folder / kind).mkdir()
        size = max(1, -(-len(rows) // FILES))
        for number in range(-(-len(rows) // size)):
            path = folder / kind / f"{number:03d}.parquet"
            part = rows[number * size : (number + 1) * size]
            pl.DataFrame(part, schema=names, orient="row").write_parquet(path)
            # Spark takes the oldest file first.
            os.utime(path, (number + 1, number + 1))
        total += len(rows)
    return total


def _value(kind: str, time: int, sensor: Sensor, chance: random.Random) -> float:
    """A front that passes from left to right: it becomes colder and more humid behind it."""
    behind = 1 / (1 + math.exp((sensor.x - time / 6) / 60))
    value = 24 - 9 * behind if kind == "Temp" else 40 + 50 * behind
    return round(value + chance.gauss(0, 0.5), 1)
