"""How tasks send elements: as they are, or as partial sums, whatever their number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from slackwater.kernels import partial


@contextmanager
def sent(as_sums: bool) -> Iterator[None]:
    """However few rows there are, they are added up where that leaves fewer, or always."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partial, "LEAST_ROWS", 1)
        patch.setattr(partial, "MOST_LEFT", 2.0 if as_sums else 0.7)
        patch.setattr(partial, "MOST_CELLS", 100.0)
        yield
