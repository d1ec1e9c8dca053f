"""Data: generated streams, the same every time, as files of one batch each.

S (k, v, ts)      one event in every millisecond of event time: 1,000 a second
U (k, w, ts)      the same, half a millisecond later
R (k, r, ts)      a relation by key: every key at the beginning, then updates spread over the time
T (src, dst, amount, ts)      transactions between accounts, one in every millisecond
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

PER_SECOND = 1_000
BEGIN = 1_700_000_000_000_000
"""The first event, in microseconds since 1970: a whole minute."""
_STEP = 1_000_000 // PER_SECOND
_SEEDS = {"S": 1, "U": 2, "R": 3, "T": 4}


@dataclass(frozen=True, slots=True)
class Shape:
    """How much of a stream there is."""

    events: int
    keys: int
    batch: int
    updates: int = 0

    def of(self, name: str) -> str:
        return f"{name}-{self.events}-{self.keys}-{self.batch}-{self.updates}"


def stream(name: str, shape: Shape) -> pl.DataFrame:
    """The rows of S, U, R or T in the order of their time, `ts` in microseconds."""
    random = np.random.default_rng(_SEEDS[name])
    if name == "R":
        return _relation(shape, random)
    ts = BEGIN + np.arange(shape.events, dtype=np.int64) * _STEP + (_STEP // 2 if name == "U" else 0)
    if name == "T":
        accounts = random.integers(0, shape.keys, (2, shape.events))
        amounts = random.integers(1, 1_000, shape.events)
        return pl.DataFrame({"src": accounts[0], "dst": accounts[1], "amount": amounts, "ts": ts})
    value = {"S": "v", "U": "w"}[name]
    keys, values = random.integers(0, shape.keys, shape.events), random.integers(0, 1_000, shape.events)
    return pl.DataFrame({"k": keys, value: values, "ts": ts})


def _relation(shape: Shape, random: np.random.Generator) -> pl.DataFrame:
    # Between two events, so that an update and an event never share an instant.
    ahead = np.full(shape.keys, BEGIN - _STEP // 2)
    places = np.arange(shape.updates, dtype=np.int64) * shape.events // max(shape.updates, 1)
    ts = np.concatenate([ahead, BEGIN + places * _STEP + _STEP // 4])
    keys = np.concatenate([np.arange(shape.keys), random.integers(0, shape.keys, shape.updates)])
    return pl.DataFrame({"k": keys, "r": random.integers(0, 1_000, len(keys)), "ts": ts.astype(np.int64)})


def write_stream(name: str, shape: Shape, cache: Path, *, csv: bool) -> Path:
    """The folder with the stream's files; generated where they do not exist."""
    folder = cache / "data" / shape.of(name)
    if (folder / "whole").exists() and (not csv or any(folder.glob("*.csv"))):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    frame = stream(name, shape)
    span = shape.batch * _STEP
    for place in range(-(-shape.events // shape.batch)):
        before, after = BEGIN + place * span, BEGIN + (place + 1) * span
        part = frame.filter((pl.col("ts") < after) & ((pl.col("ts") >= before) | pl.lit(place == 0)))
        _write(part, folder / f"part-{place:05d}", place, csv)
    (folder / "whole").touch()
    return folder


def _write(part: pl.DataFrame, stem: Path, place: int, csv: bool) -> None:
    stamped = part.with_columns(pl.col("ts").cast(pl.Datetime("us", "UTC")))
    path = stem.with_suffix(".parquet")
    stamped.write_parquet(path, compression="snappy")
    # Spark reads files in the order in which they were changed.
    os.utime(path, (BEGIN // 1_000_000 + place, BEGIN // 1_000_000 + place))
    if csv:
        part.write_csv(stem.with_suffix(".csv"))
