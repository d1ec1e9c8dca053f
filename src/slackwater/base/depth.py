"""Plans are walked by recursion; room for those that are deeper than most, and an error for the rest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from slackwater.base import problems
from slackwater.base.diagnostic import Diagnostic, QueryError

_FRAMES = 8_000
"""So many calls inside each other fit into 8 MB of stack, which is what threads have by default."""


@contextmanager
def deep() -> Iterator[None]:
    """Let plans be deep: a view on a view on a view, some hundred times over."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    except RecursionError:
        raise QueryError(_too_deep()) from None
    finally:
        sys.setrecursionlimit(before)


def _too_deep() -> Diagnostic:
    return problems.TOO_DEEP.at()
