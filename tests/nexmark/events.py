"""Events of an auction, as in Nexmark: persons who sell and bid, auctions, and bids, one event an instant.

Prices and times are all different, so that the winner of an auction does not depend on how ties are broken.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

Row = tuple[Any, ...]
BEGIN = datetime(2024, 2, 29, 7, 59, 40)
COUNT, STEP = 128, timedelta(milliseconds=413)
CHANNELS = ("Google", "Facebook", "Baidu", "Apple", "channel-71", "channel-9128")
STATES = (("OR", "Portland"), ("ID", "Boise"), ("CA", "San Francisco"), ("WA", "Seattle"))


def instant(at: datetime) -> int:
    """Microseconds since 1970."""
    return int((at.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))


def events(seed: int = 7) -> dict[str, list[tuple[datetime, Row]]]:
    """The rows of each stream with their times."""
    choose = random.Random(seed)
    prices = choose.sample(range(50, 650), COUNT)
    made: dict[str, list[tuple[datetime, Row]]] = {"person": [], "auction": [], "bid": []}
    for number in range(COUNT):
        at = BEGIN + number * STEP
        sellers, items = len(made["person"]), len(made["auction"])
        if number % 16 in (0, 9):
            state, city = choose.choice(STATES)
            row: Row = (sellers + 1, f"name {sellers % 5}", f"{sellers}@mail", city, state, at, "x")
            made["person"].append((at, row))
        elif number % 16 in (1, 5, 10):
            expires = at + timedelta(seconds=choose.randint(2, 30))
            seller, category = choose.randint(1, sellers), choose.choice((10, 10, 11, 12))
            row = (1001 + items, f"item {items}", "as new", 10, 100, at, expires, seller, category, "cc")
            made["auction"].append((at, row))
        else:
            channel = choose.choice(CHANNELS)
            known = f"&channel_id={channel[8:]}" if choose.random() < 0.6 and "-" in channel else ""
            url = f"https://www.nexmark.com/{channel}/item/{number}?query=1{known}"
            row = (
                choose.randint(1001, 1000 + items), choose.randint(1, sellers), prices[number], channel,
                url, at, "c" * choose.randint(0, 3) + "d",
            )  # fmt: skip
            made["bid"].append((at, row))
    return made


SIDE = [(key, f"value {key}") for key in range(0, 10, 2)]
"""The rows of `side_input`."""


def count_char(text: str | None, part: str) -> int:
    """The function of q14, which users of Flink register."""
    return (text or "").count(part)
