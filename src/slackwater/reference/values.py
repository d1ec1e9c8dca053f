"""The total order of values."""

from __future__ import annotations

from slackwater.algebra.values import row_key, sort_key

__all__ = ["row_key", "sort_key"]
