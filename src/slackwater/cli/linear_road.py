"""A small Linear Road highway: vehicles that drive, report, and get stuck.

mile   0 ──────── 8 ▒▒▒ 11 ──────── 20 ─ …       ▒ a jam, while it lasts
       ▲ entrances
"""

from __future__ import annotations

import os
import random
from pathlib import Path

from slackwater.algebra.changes import Changes, arrivals

MILE = 5280
REPORT_EVERY = 30
_ENTRANCES = 8
"""Vehicles enter in the first miles and drive towards the jam."""
_JAM = (8, 11)


FILES = 12
"""How many files a day's reports are written to: Spark reads them one after the other."""


def reports_of(vehicles: int, minutes: int, seed: int, folder: Path) -> int:
    """Write all reports into files, in the order of time; returns their count."""
    import polars as pl

    names = {"ts": pl.Int64, "vehicleId": pl.Int32, "speed": pl.Float64, "xPos": pl.Int32}
    rows = [(time, *row) for time, bag in highway(vehicles, minutes, seed).items() for row in bag]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    size = max(1, -(-frame.height // FILES))
    for number in range(-(-frame.height // size)):
        path = folder / f"{number:03d}.parquet"
        frame.slice(number * size, size).write_parquet(path)
        # Spark takes the oldest file first.
        os.utime(path, (number + 1, number + 1))
    return frame.height


def highway(vehicles: int, minutes: int, seed: int) -> Changes:
    """The reports of all vehicles as elements (vehicleId, speed, xPos)."""
    chance = random.Random(seed)
    last = minutes * 60
    jam = (last // 4, last * 3 // 4)
    reports: list[tuple[int, tuple[int, float, int]]] = []
    for vehicle in range(1, vehicles + 1):
        position = float(chance.randrange(_ENTRANCES) * MILE)
        cruising = chance.uniform(50, 70)
        leaves = position + chance.uniform(3, 15) * MILE
        for time in range(chance.randrange(max(last * 2 // 3, 1)), last + 1, REPORT_EVERY):
            if position > leaves:
                break
            stuck = _JAM[0] <= position // MILE < _JAM[1] and jam[0] <= time < jam[1]
            speed = round(chance.uniform(8, 25) if stuck else chance.gauss(cruising, 4), 1)
            reports.append((time, (vehicle, speed, int(position))))
            position += speed * MILE * REPORT_EVERY / 3600
    return arrivals(reports)
