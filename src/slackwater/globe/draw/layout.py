"""Where peers stand in a picture: as far from each other as they have hops between them, and none on another.

Distances in the plane are fitted to hops by majorization of stress (SMACOF), beginning with classical
scaling; then cards that overlap are moved apart. The same network gives the same picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slackwater.globe.model import Network, PeerName

Points = NDArray[np.float64]
_ROUNDS = 200


def placed(
    network: Network, peers: Sequence[PeerName], sizes: Mapping[PeerName, tuple[float, float]], hop: float
) -> dict[PeerName, tuple[float, float]]:
    """The centre of each peer's card, in a plane that begins at 0, 0."""
    if len(peers) < 2:
        return {name: (sizes[name][0] / 2, sizes[name][1] / 2) for name in peers}
    points = _fitted(_distances(network, peers), _ROUNDS) * hop
    points = _level(points)
    extents = np.array([sizes[name] for name in peers])
    points = _apart(points, extents)
    points -= (points - extents / 2).min(axis=0)
    return {name: (float(x), float(y)) for name, (x, y) in zip(peers, points, strict=True)}


def _distances(network: Network, peers: Sequence[PeerName]) -> Points:
    """Hops between all peers; parts of a network that nothing joins stand apart."""
    hops = np.array([[network.distance(a, b) or 0 for b in peers] for a in peers], dtype=np.float64)
    joined = np.array([[network.distance(a, b) is not None for b in peers] for a in peers])
    hops[~joined] = hops.max() + 2
    return hops


def _fitted(distances: Points, rounds: int) -> Points:
    points = _scaled(distances)
    with np.errstate(divide="ignore"):
        weights = np.where(distances > 0, distances**-2.0, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(rounds):
        between = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(between > 1e-9, weights * distances / between, 0.0)
        towards = np.diag(ratio.sum(axis=1)) - ratio
        points = inverse @ towards @ points
    return points


def _scaled(distances: Points) -> Points:
    """Classical scaling; a small turn by place keeps equal peers from standing on each other."""
    size = len(distances)
    centring = np.eye(size) - 1 / size
    values, vectors = np.linalg.eigh(-0.5 * centring @ (distances**2) @ centring)
    best = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 1e-9))
    best *= np.where(best[np.abs(best).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    turns = np.arange(size) * 2.399963
    turned: Points = best + 0.05 * np.column_stack([np.cos(turns), np.sin(turns)])
    return turned


def _level(points: Points) -> Points:
    """Turned so that the longest extent lies across the page."""
    centred = points - points.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    along = vectors[:, -1] * (1 if vectors[0, -1] >= 0 else -1)
    turn = np.array([[along[0], along[1]], [-along[1], along[0]]])
    level: Points = centred @ turn.T
    return level


def _apart(points: Points, extents: Points, gap: float = 34.0) -> Points:
    """Push cards that overlap apart, along the axis on which less is missing."""
    points = points.copy()
    for _ in range(300):
        moved = False
        for one in range(len(points)):
            for other in range(one):
                missing = (extents[one] + extents[other]) / 2 + gap - np.abs(points[one] - points[other])
                if (missing > 0).all():
                    axis = int(missing.argmin())
                    sign = 1.0 if points[one][axis] >= points[other][axis] else -1.0
                    points[one][axis] += sign * (missing[axis] / 2 + 0.5)
                    points[other][axis] -= sign * (missing[axis] / 2 + 0.5)
                    moved = True
        if not moved:
            break
    return points
