"""States as large ones are, for tests with few rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from slackwater.kernels import keys
from slackwater.kernels.runs import index, tiers


@contextmanager
def always_in_runs(collide: bool = False) -> Iterator[None]:
    """No frame is small, and few rows make a tier of runs; with `collide` there are very few hashes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiers, "FEW", -1)
        patch.setattr(tiers, "SHARE", 0)
        patch.setattr(tiers, "_LEAST_BITS", 1)
        patch.setattr(keys, "_FEW", -1)
        if collide:
            hashed = index._hash
            patch.setattr(index, "_hash", lambda columns: (hashed(columns) % 2) * 2**40 + hashed(columns) % 3)
        yield
