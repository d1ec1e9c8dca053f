"""The picture of the weather: sensors with their best matches, and when pairs became final."""

from __future__ import annotations

from collections import Counter

from slackwater.base.diagnostic import EngineError
from slackwater.base.extras import missing_extra
from slackwater.cli.weather import FIELD, Sensor
from slackwater.sinks.stream_file import unwritable_file

_INK, _TEMP, _HUM, _PAIR = "#333333", "#c0392b", "#2471a3", "#7f8c8d"


def write_weather(
    path: str, minutes: int, sensors: dict[str, list[Sensor]], pairs: list[tuple[object, ...]]
) -> None:
    """Write the picture as PNG; raises EngineError. A pair is (final, measured, sensor, other sensor, …)."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise missing_extra("the picture of the demo", "matplotlib", "demo") from error

    figure = Figure(figsize=(9, 7), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, height_ratios=(4, 1))
    temp, hum = ({one.number: one for one in sensors[kind]} for kind in ("Temp", "Hum"))
    counts = Counter((row[2], row[3]) for row in pairs)
    for (here, there), count in counts.items():
        one, other = temp[here], hum[there]  # type: ignore[index]
        width = 0.5 + 4 * count / max(counts.values())
        above.plot([one.x, other.x], [one.y, other.y], color=_PAIR, linewidth=width, zorder=1)
    above.scatter([s.x for s in temp.values()], [s.y for s in temp.values()], marker="x", color=_TEMP)
    above.scatter(
        [s.x for s in hum.values()], [s.y for s in hum.values()], facecolors="white", edgecolors=_HUM
    )
    above.set(xlim=(0, FIELD), ylim=(0, FIELD), ylabel="meters")
    above.set_title("Temperature (x), humidity (o), and how often they match best", loc="left", color=_INK)
    known = Counter(int(str(row[0])) // 60 for row in pairs)
    below.bar(list(known), list(known.values()), width=1.0, align="edge", color=_PAIR)
    below.set(xlim=(0, minutes + 10), xlabel="minutes", ylabel="final pairs")
    for axis in (above, below):
        axis.spines[["top", "right"]].set_visible(False)
    try:
        figure.savefig(path, format="png", dpi=100)
    except OSError as cause:
        raise EngineError(unwritable_file(path, cause)) from cause
