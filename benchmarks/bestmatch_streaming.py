"""`python -m benchmarks.bestmatch_streaming`: the share of a best match of streams that is known at a time.

As in figure 4.15 of the thesis: two streams of 1,000 points, ordered by their first dimension, which is their
time; both dimensions are bounded by 0.1. The pairs of a row are final when the streams are past its bound.
Draws docs/pictures/bestmatch_streaming.svg, in shares of the streams and not in seconds, so that it is the
same on every machine.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from benchmarks.points import DISTRIBUTIONS
from benchmarks.suite import ROOT
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered

PICTURE = ROOT / "docs" / "pictures" / "bestmatch_streaming.svg"
ROWS, UNIT, STEPS = 1_000, 10_000, 100
QUERY = f"""
CREATE STREAM R (y DOUBLE) TIME ts INT;
CREATE STREAM S (y DOUBLE) TIME ts INT;
SELECT FINAL(R.y AS r, S.y AS s)
FROM R LEFT OUTER BESTMATCH JOIN S ON (ABS(R.ts - S.ts)) MIN {UNIT // 10}, (ABS(R.y - S.y)) MIN 0.1e0;
"""
COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#7a4fa3")
LEFT, TOP, WIDTH, HEIGHT = 60, 20, 420, 240


def known(distribution: str) -> list[float]:
    """The share of the answer that is known after each step through the streams."""
    rng = np.random.default_rng(7)
    streams = {name: _stream(*DISTRIBUTIONS[distribution](rng, ROWS, 2)) for name in ("R", "S")}
    [bound] = bind(Text("<benchmark>", QUERY), Catalog())
    machine = Machine(lowered({"answer": optimized(bound.plan)}))
    size = UNIT // STEPS
    counts = [0]
    for lo in range(0, UNIT, size):
        within = pl.col(FROM).is_between(lo, lo + size, closed="left")
        part = {name: frame.filter(within) for name, frame in streams.items()}
        counts.append(counts[-1] + machine.epoch(part, lo, lo + size)["answer"].height)
    rest = machine.epoch({}, UNIT, INFINITY)["answer"].height
    return [count / (counts[-1] + rest) for count in counts] + [1.0]


def _stream(times: np.ndarray, values: np.ndarray) -> pl.DataFrame:
    ts = np.sort((times * UNIT).astype(np.int64))
    order = np.argsort((times * UNIT).astype(np.int64), kind="stable")
    return pl.DataFrame({"ts": ts.astype(np.int32), "y": values[order], FROM: ts}).with_columns(
        pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )


def picture(shares: dict[str, list[float]]) -> str:
    """The shares as lines."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 150} {TOP + HEIGHT + 50}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
    ]
    for share in (0, 25, 50, 75, 100):
        x, y = LEFT + WIDTH * share / 100, TOP + HEIGHT * (1 - share / 100)
        lines.append(f'<text x="{x}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{share} %</text>')
        lines.append(f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{share} %</text>')
    lines.append(
        f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">streams read</text>'
    )
    for at, ((name, values), colour) in enumerate(zip(shares.items(), COLOURS, strict=True)):
        points = " ".join(
            f"{LEFT + WIDTH * min(place / STEPS, 1):.1f},{TOP + HEIGHT * (1 - value):.1f}"
            for place, value in enumerate(values)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        y = TOP + 14 + 18 * at
        lines.append(f'<text x="{LEFT + WIDTH + 12}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture({name: known(name) for name in DISTRIBUTIONS}), encoding="utf-8")
