"""The picture of figure 2.2: photons around RXJ0852.0-4622, all of them, and those above 1.3 keV."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from slackwater.base.diagnostic import EngineError
from slackwater.base.extras import missing_extra
from slackwater.globe.astronomy.photons import RXJ
from slackwater.sinks.stream_file import unwritable_file

LEAST = 1.3
"""The energy in keV from which on the remnant shows."""
_INK, _BARS = "#333333", "#2471a3"

Photon = tuple[float, float, float]
"""Right ascension, declination, energy."""


def photons_in(items: Iterable[str]) -> list[Photon]:
    """The photons of items such as those of the subscriptions "Vela" and "RXJ"."""
    return [_photon(ElementTree.fromstring(item)) for item in items]


def write_sky(path: str, photons: Iterable[Photon]) -> None:
    """Write the picture as PNG; raises EngineError."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.colors import LogNorm
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise missing_extra("the picture of the sky", "matplotlib", "demo") from error

    (west, east), (south, north) = RXJ
    near = [one for one in photons if west < one[0] < east and south < one[1] < north]
    figure = Figure(figsize=(9, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 2, width_ratios=(3, 4))
    for (energies, sky), least in zip(axes, (0.0, LEAST), strict=True):
        some = [one for one in near if one[2] > least]
        words = "all photons" if not least else f"photons above {least} keV"
        energies.hist([one[2] for one in some], bins=46, range=(0.1, 2.4), color=_BARS)
        energies.set(xlabel="energy in keV", ylabel="photons", xlim=(0, 2.5))
        energies.set_title(f"{len(some)} {words}", loc="left", color=_INK, fontsize=11)
        if some:
            sky.hist2d(
                [one[0] for one in some], [one[1] for one in some], bins=(60, 48),
                range=((west, east), (south, north)), cmap="magma", norm=LogNorm(),
            )  # fmt: skip
        sky.set_facecolor("black")
        sky.set(xlabel="right ascension", ylabel="declination", xlim=(east, west), ylim=(south, north))
        energies.spines[["top", "right"]].set_visible(False)
    try:
        figure.savefig(path, format="png", dpi=100)
    except OSError as cause:
        raise EngineError(unwritable_file(path, cause)) from cause


def _photon(element: ElementTree.Element) -> Photon:
    ra, dec, energy = (float(element.findtext(name) or "nan") for name in ("ra", "dec", "en"))
    return ra, dec, energy
