"""Statistics of a stream from a sample of its records: sizes, and the distribution of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from slackwater.globe.model import Histogram, Statistics
from slackwater.kernels.frames import columns_of

_LEAF = re.compile(rb"<([A-Za-z_][\w.-]*)[^<>]*>([^<]*)</\1>")
_QUANTILES = 10


def statistics(records: Sequence[bytes], rate: float) -> Statistics:
    """What the optimizer should expect of a stream with so many records a second.

    >>> statistics([b"<r><v>1</v></r>", b"<r><v>3</v></r>"], 5.0).histograms[0][1].quantiles[::10]
    (1.0, 3.0)
    """
    sizes: dict[str, int] = {}
    numbers: dict[str, list[float]] = {}
    for record in records:
        for match in _LEAF.finditer(record):
            name = match[1].decode()
            sizes[name] = sizes.get(name, 0) + len(match[0])
            try:
                numbers.setdefault(name, []).append(float(match[2]))
            except ValueError:
                continue
    count = max(len(records), 1)
    histograms = {name: _histogram(sorted(values)) for name, values in numbers.items() if values}
    return Statistics(
        rate,
        sum(map(len, records)) / count,
        tuple((name, size / count) for name, size in sizes.items()),
        tuple(histograms.items()),
    )


def row_statistics(frame: pl.DataFrame, rate: float) -> Statistics:
    """The same of a sample of elements.

    >>> row_statistics(pl.DataFrame({"v": [1, 3], "s": ["a", None]}), 5.0).histograms
    (('v', Histogram(quantiles=(1.0, ...3.0), distinct=2)),)
    """
    count = max(frame.height, 1)
    sizes = {name: frame[name].estimated_size() / count for name in columns_of(frame)}
    numbers = {
        name: frame[name].drop_nulls().cast(pl.Float64).drop_nans().sort().to_list()
        for name in columns_of(frame)
        if frame[name].dtype.is_numeric()
    }
    histograms = tuple((name, _histogram(values)) for name, values in numbers.items() if values)
    return Statistics(rate, sum(sizes.values()) or 1.0, tuple(sizes.items()), histograms)


def _histogram(values: Sequence[float]) -> Histogram:
    places = [round(part * (len(values) - 1) / _QUANTILES) for part in range(_QUANTILES + 1)]
    return Histogram(tuple(values[place] for place in places), len(set(values)))
