"""Python's garbage collector, while much is made that stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the search for cycles, if it is on.

    The plans of many queries are many objects that stay: while they are made, the collector would walk over
    all of them several times and find nothing. Objects without cycles are freed as always.

    >>> with collection_paused():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
