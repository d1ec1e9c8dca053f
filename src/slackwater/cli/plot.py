"""The picture of a day on the road: congestion above, tolls below, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slackwater.base.diagnostic import EngineError
from slackwater.base.extras import missing_extra
from slackwater.sinks.stream_file import unwritable_file

if TYPE_CHECKING:
    import polars as pl

_INK, _JAM, _TOLL = "#333333", "#c0392b", "#2471a3"


def write_plot(path: str, minutes: int, congested: pl.DataFrame | None, tolls: pl.DataFrame | None) -> None:
    """Write the picture as PNG; raises EngineError."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise missing_extra("the picture of the demo", "matplotlib", "demo") from error

    figure = Figure(figsize=(9, 5.5), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    for segment, start, end in spells(congested, minutes * 60):
        above.broken_barh([(start / 60, (end - start) / 60)], (segment - 0.4, 0.8), color=_JAM)
    above.set_ylabel("congested segment (mile)")
    above.yaxis.get_major_locator().set_params(integer=True)
    above.set_title("Linear Road: congested segments, and tolls per minute", loc="left", color=_INK)
    at, paid = by_minute(tolls)
    below.bar(at, paid, width=1.0, align="edge", color=_TOLL)
    below.set_ylabel("tolls per minute")
    below.set_xlabel("minutes")
    below.set_xlim(0, minutes)
    for axis in (above, below):
        axis.spines[["top", "right"]].set_visible(False)
    try:
        figure.savefig(path, format="png", dpi=120)
    except OSError as cause:
        raise EngineError(unwritable_file(path, cause)) from cause


def spells(congested: pl.DataFrame | None, last: int) -> list[tuple[int, int, int]]:
    """When each segment was congested: (segment, from, until), from the relation's changes."""
    ended: list[tuple[int, int, int]] = []
    started: dict[int, int] = {}
    for time, op, segment in sorted(congested.rows()) if congested is not None else []:
        if op == "+":
            started[segment] = time
        else:
            ended.append((segment, started.pop(segment, 0), time))
    return [*ended, *((segment, start, max(start, last)) for segment, start in started.items())]


def by_minute(tolls: pl.DataFrame | None) -> tuple[list[int], list[int]]:
    """The sum of the tolls of each minute that has some."""
    sums: dict[int, int] = {}
    for time, _, toll in tolls.rows() if tolls is not None else []:
        sums[time // 60] = sums.get(time // 60, 0) + toll
    return sorted(sums), [sums[minute] for minute in sorted(sums)]
