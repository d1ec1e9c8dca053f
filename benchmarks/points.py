"""Points in [0, 1]^d for best-match joins, distributed as in chapter 4.4 of the thesis.

Correlated points are good in all dimensions or bad in all, anti-correlated ones good in one and bad in others
[Börzsönyi, Kossmann, Stocker, ICDE 2001]; normal ones are crowded in the middle.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""A row for each dimension."""


def uniform(rng: np.random.Generator, count: int, dimensions: int) -> Points:
    return rng.random((dimensions, count))


def correlated(rng: np.random.Generator, count: int, dimensions: int) -> Points:
    """Near the diagonal."""
    return _inside(rng.random(count) + rng.normal(0, 0.05, (dimensions, count)))


def anti_correlated(rng: np.random.Generator, count: int, dimensions: int) -> Points:
    """Near the plane on which the mean of the dimensions is a half."""
    spread = rng.random((dimensions, count))
    return _inside(spread - spread.mean(axis=0) + rng.normal(0.5, 0.05, count))


def normal(rng: np.random.Generator, count: int, dimensions: int) -> Points:
    return _inside(rng.normal(0.5, 0.15, (dimensions, count)))


def _inside(points: Points) -> Points:
    """Values outside of [0, 1] from the other end: at the border they would be equal."""
    return points % 1.0


DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, int, int], Points]] = {
    "uniform": uniform,
    "correlated": correlated,
    "anti-correlated": anti_correlated,
    "normal": normal,
}
