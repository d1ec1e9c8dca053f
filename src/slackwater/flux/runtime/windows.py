"""Which items the windows over a stream have, and which of them no later window needs (section 3.8.2.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from slackwater.flux.values.errors import unordered_window
from slackwater.flux.values.windows import instant
from slackwater.language.xquery import syntax as ast

Items = deque[tuple[Any, int]]
"""Buffered items, with their sizes."""


class CountedWindows:
    """Definition 3.8.13: W_j = d_(j-1)μ+1 … d_(j-1)μ+Δ."""

    def __init__(self, window: ast.CountWindow) -> None:
        self.window = window
        self.reset()

    def reset(self) -> None:
        self.start = 0
        """How many buffered items come before the next window."""
        self.fresh = False
        """The last item has been in no window yet."""

    def full(self, items: Items) -> Iterable[tuple[int, int]]:
        """The windows that the last item completes: items to drop before each, and items in it."""
        self.fresh = len(items) > self.start
        if len(items) - self.start == self.window.size:
            dropped, self.start = self.start, self.window.slide
            self.fresh = False
            yield dropped, self.window.size

    def unneeded(self, items: Items) -> int:
        """How many of the first items no later window needs."""
        dropped = min(self.start, len(items))
        self.start -= dropped
        return dropped

    def rest(self, items: Items) -> Iterable[tuple[int, int]]:
        """The windows that are open at the end of the stream."""
        if self.fresh and len(items) > self.start:
            yield self.start, len(items) - self.start


class TimedWindows:
    """Definition 3.8.14: W_j = the items with (j-1)μ ≤ t - t_1 < (j-1)μ + Δ."""

    def __init__(self, window: ast.DiffWindow, reference: Callable[[object], Any]) -> None:
        self.window = window
        self.reference = reference
        self.times: deque[Decimal] = deque()
        self.reset()

    def reset(self) -> None:
        self.times.clear()
        self.start: Decimal | None = None

    def full(self, items: Items) -> Iterable[tuple[int, int]]:
        time = instant(self.reference(items[-1][0]))
        if self.times and time < self.times[-1]:
            raise unordered_window()
        self.times.append(time)
        if self.start is None:
            self.start = time
        while time >= self.start + self.window.size:
            yield self._window()

    def _window(self) -> tuple[int, int]:
        assert self.start is not None
        dropped = 0
        while self.times and self.times[0] < self.start:
            self.times.popleft()
            dropped += 1
        end = self.start + self.window.size
        size = sum(1 for time in self.times if time < end)
        self.start += self.window.slide
        return dropped, size

    def unneeded(self, items: Items) -> int:
        dropped = 0
        while self.times and self.start is not None and self.times[0] < self.start:
            self.times.popleft()
            dropped += 1
        return dropped

    def rest(self, items: Items) -> Iterable[tuple[int, int]]:
        if self.start is None:
            return
        last = self.times[-1] if self.times else None
        while last is not None and self.start <= last:
            end = self.start + self.window.size
            yield self._window()
            if end > last:
                break
