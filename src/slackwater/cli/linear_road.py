"""A small Linear Road highway: vehicles that drive, report, and get stuck.

mile   0 ──────── 8 ▒▒▒ 11 ──────── 20 ─ …       ▒ a jam, while it lasts
       ▲ entrances
"""

from __future__ import annotations

import random

from slackwater.sources.changes import Changes, arrivals

MILE = 5280
REPORT_EVERY = 30
_ENTRANCES = 8
"""Vehicles enter in the first miles and drive towards the jam."""
_JAM = (8, 11)


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
