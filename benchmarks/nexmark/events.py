"""Events of an auction, as in Nexmark: persons who sell and bid, auctions, and bids, one event an instant.

An auction has all its bids while few later auctions have begun. Its bids have different prices, and all times
are different, so that the winner does not depend on how ties are broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

BEGIN = datetime(2024, 2, 29, 7, 59, 40)
CHANNELS = ("Google", "Facebook", "Baidu", "Apple", "channel-71", "channel-9128")
STATES = (("OR", "Portland"), ("ID", "Boise"), ("CA", "San Francisco"), ("WA", "Seattle"))
CATEGORIES = (10, 10, 11, 12)
_PRICES, _APART = 600, 367
"""So many events in a row have different prices: the two have no common divisor."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Mix:
    """How many events there are, how far apart, and which places of each cycle are persons and auctions."""

    count: int
    step: timedelta
    cycle: int
    persons: tuple[int, ...]
    auctions: tuple[int, ...]
    active: tuple[int, int]
    """How many of the newest persons act, and on how many of the newest auctions."""


SMALL = Mix(128, timedelta(milliseconds=413), 16, (0, 9), (1, 5, 10), (100, 100))


def large(count: int) -> Mix:
    """Nexmark's own proportions: of 50 events one is a person and three are auctions; 1,000 a second."""
    return Mix(count, timedelta(milliseconds=1), 50, (0,), (1, 2, 3), (1_000, 30))


def instant(at: datetime) -> int:
    """Microseconds since 1970."""
    return int((at.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))


def events(mix: Mix = SMALL, seed: int = 7) -> dict[str, pl.DataFrame]:
    """The rows of each stream, in order of their times."""
    random = np.random.default_rng(seed)
    number = np.arange(mix.count, dtype=np.int64)
    is_person, is_auction = (np.isin(number % mix.cycle, places) for places in (mix.persons, mix.auctions))
    persons, auctions = np.cumsum(is_person), np.cumsum(is_auction)
    drawn = random.integers(0, 2**40, (4, mix.count))

    def at(some: NDArray[np.bool_]) -> pl.Series:
        times = instant(BEGIN) + number[some] * (mix.step // timedelta(microseconds=1))
        return pl.Series(times).cast(pl.Datetime("us"))

    def newest(some: NDArray[np.bool_], so_far: Ints, active: int, draw: Ints) -> Ints:
        """One of the newest of so many, numbered from 1 on."""
        most = np.minimum(so_far[some], active)
        return so_far[some] - draw[some] % most

    is_bid = ~(is_person | is_auction)
    who = newest(is_auction, persons, mix.active[0], drawn[0])
    bidder = newest(is_bid, persons, mix.active[0], drawn[0])
    item = newest(is_bid, auctions, mix.active[1], drawn[1])
    return {
        "person": _persons(persons[is_person], drawn[2][is_person], at(is_person)),
        "auction": _auctions(auctions[is_auction], who, drawn[1:, is_auction], at(is_auction)),
        "bid": _bids(number[is_bid], item, bidder, drawn[2:, is_bid], at(is_bid)),
    }


def _persons(ids: Ints, draw: Ints, at: pl.Series) -> pl.DataFrame:
    text = pl.Series(ids - 1).cast(pl.String)
    states, cities = (pl.Series(names).gather(draw % len(STATES)) for names in zip(*STATES, strict=True))
    return pl.DataFrame(
        {
            "id": ids,
            "name": "name " + pl.Series((ids - 1) % 5).cast(pl.String),
            "email_address": text + "@mail",
            "city": cities,
            "state": states,
            "date_time": at,
        }
    ).with_columns(extra=pl.lit("x"))


def _auctions(ids: Ints, seller: Ints, draws: Ints, at: pl.Series) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "id": ids + 1000,
            "item_name": "item " + pl.Series(ids - 1).cast(pl.String),
            "date_time": at,
            "lasts": pl.Series((2 + draws[0] % 29) * 1_000_000).cast(pl.Duration("us")),
            "seller": seller,
            "category": pl.Series(CATEGORIES).gather(draws[1] % len(CATEGORIES)),
        }
    )
    return frame.select(
        "id", "item_name", pl.lit("as new").alias("description"),
        pl.lit(10, pl.Int64).alias("initial_bid"), pl.lit(100, pl.Int64).alias("reserve"), "date_time",
        (pl.col("date_time") + pl.col("lasts")).alias("expires"), "seller", "category",
        pl.lit("cc").alias("extra"),
    )  # fmt: skip


def _bids(number: Ints, item: Ints, bidder: Ints, draws: Ints, at: pl.Series) -> pl.DataFrame:
    channel = pl.Series(CHANNELS).gather(draws[0] % len(CHANNELS))
    frame = pl.DataFrame(
        {
            "auction": item + 1000,
            "bidder": bidder,
            "price": 50 + number * _APART % _PRICES,
            "channel": channel,
            "number": pl.Series(number).cast(pl.String),
            "is_known": pl.Series(draws[1] % 5 < 3) & channel.str.contains("-"),
            "date_time": at,
            "extra": pl.Series(["d", "cd", "ccd", "cccd"]).gather(draws[1] % 4),
        }
    )
    known = "&channel_id=" + pl.col("channel").str.slice(8)
    url = (
        "https://www.nexmark.com/" + pl.col("channel") + "/item/" + pl.col("number") + "?query=1"
        + pl.when("is_known").then(known).otherwise(pl.lit(""))
    )  # fmt: skip
    return frame.select("auction", "bidder", "price", "channel", url.alias("url"), "date_time", "extra")


SIDE = [(key, f"value {key}") for key in range(0, 10, 2)]
"""The rows of `side_input`."""


def count_char(text: str | None, part: str) -> int:
    """The function of q14, which users of Flink register."""
    return (text or "").count(part)
