"""The right answers, computed at once over all the data, and their fingerprints.

An engine may promise less than an answer at every instant; it is checked against its promise:

    exact      the answer at every instant
    arrivals   the answer at the instant of each event, nothing when something expires
    closed     the answer at every whole second, emitted when that second has passed
    behind     the answer at the end of each batch, with what expired up to the batch before
    finally    the last answer; those before it may be wrong
"""

from __future__ import annotations

import numpy as np
import polars as pl

from benchmarks import data, fingerprint
from benchmarks.data import Shape
from benchmarks.workloads import Workload

SECOND = 1_000_000


def horizon(shape: Shape, window: int) -> int:
    """An instant after which nothing changes any more."""
    return data.BEGIN + shape.events * SECOND // data.PER_SECOND + 2 * window * SECOND


def answer(workload: Workload, shape: Shape, window: int, promise: str) -> int:
    """The fingerprint of the right answer."""
    streams = {name: data.stream(name, shape) for name in workload.streams}
    if workload.name == "g":
        return _bank(streams["T"], promise, horizon(shape, window))
    source, length = streams["S"], window * SECOND
    match workload.name[0], promise:
        case name, "behind":
            return _behind(name, source, shape, length)
        case "a", "arrivals":
            return _stream(_sums(source, length).filter(pl.col("arrival")), ["k", "n", "s"], "from")
        case ("a" | "e") as name, "closed":
            return _closed(name, source, window)
        case "d", "arrivals":
            return _stream(
                _sums(source, length).filter((pl.col("n") == 1) & pl.col("arrival")), ["k"], "from"
            )
        case "b", _:
            return _stream(_pairs(source, streams["U"], length), ["k", "v", "w"], "from")
        case "c", _:
            matching = source.filter(pl.col("v") >= 500).with_columns((pl.col("v") * 2).alias("d"))
            return _stream(matching, ["k", "d"], "ts")
        case "f", _:
            joined = source.join_asof(streams["R"].sort("ts"), on="ts", by="k", check_sortedness=False)
            return _stream(joined, ["k", "v", "r"], "ts")
        case "a", _:
            spans = _sums(source, length)
        case "d", _:
            spans = _sums(source, length).filter(pl.col("n") > 0)
        case _:
            spans = _histogram(_sums(source, length))
    columns = [spans[name].to_numpy() for name in workload.answer]
    begin, end = spans["from"].to_numpy(), spans["to"].to_numpy()
    return fingerprint.of_relation(columns, begin, end, horizon(shape, window))


def _bank(transactions: pl.DataFrame, promise: str, end: int) -> int:
    """The number of accounts, from the first transaction of each on; balances add up to zero."""
    accounts = pl.concat([transactions.select(pl.col(side).alias("k"), "ts") for side in ("src", "dst")])
    begins = np.sort(accounts.group_by("k").agg(pl.col("ts").min())["ts"].to_numpy())
    count = np.arange(len(begins) + 1)
    if promise == "finally":
        return fingerprint.of_stream([count[-1:], np.zeros(1)], np.zeros(1))
    spans = np.concatenate([[0], begins]), np.concatenate([begins, [end]])
    return fingerprint.of_relation([count, np.zeros(len(count))], *spans, end)


def _stream(frame: pl.DataFrame, columns: list[str], instant: str) -> int:
    return fingerprint.of_stream([frame[name].to_numpy() for name in columns], frame[instant].to_numpy())


def _behind(name: str, source: pl.DataFrame, shape: Shape, length: int) -> int:
    """The last table: every event, without those that had expired when the last batch began."""
    before = source["ts"][shape.events - shape.batch - 1]
    alive = source.filter(pl.col("ts") + length + 1 > before)
    sums = alive.group_by("k").agg(n=pl.len().cast(pl.Int64), s=pl.col("v").sum(), zero=pl.lit(0))
    if name != "e":
        return _stream(sums, ["k", "n", "s"] if name == "a" else ["k"], "zero")
    return _stream(sums.group_by("n").agg(m=pl.len().cast(pl.Int64), zero=pl.lit(0)), ["n", "m"], "zero")


def _sums(source: pl.DataFrame, length: int) -> pl.DataFrame:
    """Each key's count and sum, and from when to when they stay. A range closes both its ends."""
    additions = source.select("k", t="ts", n=pl.lit(1), s="v", arrival=pl.lit(True))
    removals = source.select(
        "k", t=pl.col("ts") + length + 1, n=pl.lit(-1), s=-pl.col("v"), arrival=pl.lit(False)
    )
    edges = pl.concat([additions, removals]).sort("k", "t")
    sums = edges.with_columns(
        pl.col("n", "s").cum_sum().over("k"), pl.col("t").shift(-1).over("k").alias("to")
    )
    return sums.filter((pl.col("n") > 0) & pl.col("to").is_not_null()).rename({"t": "from"})


def _histogram(sums: pl.DataFrame) -> pl.DataFrame:
    """How many keys have which count, and from when to when."""
    edges = pl.concat([sums.select("n", t="from", m=pl.lit(1)), sums.select("n", t="to", m=pl.lit(-1))])
    edges = edges.group_by("n", "t").agg(pl.col("m").sum()).sort("n", "t")
    counts = edges.with_columns(pl.col("m").cum_sum().over("n"), to=pl.col("t").shift(-1).over("n"))
    return counts.filter(pl.col("m") > 0).rename({"t": "from"})


def _pairs(left: pl.DataFrame, right: pl.DataFrame, length: int) -> pl.DataFrame:
    """Pairs at most a window apart, stamped with the later of the two."""
    pairs = left.join(right, on="k", suffix="_u")
    near = pairs.filter((pl.col("ts") - pl.col("ts_u")).abs() <= length)
    return near.with_columns(pl.max_horizontal("ts", "ts_u").alias("from"))


def _closed(name: str, source: pl.DataFrame, window: int) -> int:
    """Windows that end at a whole second and are over: up to the last event's second."""
    second = (pl.col("ts") // SECOND).alias("second")
    last = source.select(second.max()).item()
    panes = source.group_by("k", second).agg(n=pl.len().cast(pl.Int64), s=pl.col("v").sum())
    ends = panes.with_columns(pl.int_ranges(pl.col("second") + 1, pl.col("second") + window + 1).alias("end"))
    closed = (
        ends.explode("end").filter(pl.col("end") <= last).group_by("k", "end").agg(pl.col("n", "s").sum())
    )
    if name == "a":
        return _stream(closed, ["k", "n", "s"], "end")
    return _stream(closed.group_by("n", "end").agg(m=pl.len().cast(pl.Int64)), ["n", "m"], "end")
