"""Data windows over streams: items as they come, a window at a time (section 3.8.2.4).

`OnWindow` keeps nothing of the items: they are counted, copied through, added to totals. `OnEach` keeps those
items that a later window still needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from slackwater.flux.compile.buffers import fits
from slackwater.flux.compile.flwor import compile_reference
from slackwater.flux.compile.scopes import Copy
from slackwater.flux.plan import syntax as flux
from slackwater.flux.runtime.machine import Attributes, Demand, Enter, Leave
from slackwater.flux.values.errors import Wrong, unordered_window
from slackwater.flux.values.tree import Name
from slackwater.flux.values.windows import instant
from slackwater.language.xquery import syntax as ast
from slackwater.schema import Automaton, Type

if TYPE_CHECKING:
    from slackwater.flux.compile.program import Program

Window = flux.OnWindow | flux.OnEach


class OnPath(Demand):
    """An element on the way to the items of windows."""

    rank = 2

    def __init__(self, windows: Windows, place: int) -> None:
        self.windows = windows
        self.place = place
        self.key = ("path", id(windows), place)

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        return self.windows.children(self.place, name)


class Windows:
    """The windows of a handler, and which of them is open."""

    def __init__(self, handler: Window, program: Program) -> None:
        self.handler = handler
        self.program = program
        self.steps = [fits(each.name, program.making) for each in handler.path]
        self.holds = program.test(handler.where)

    def children(self, place: int, name: Name) -> Iterable[Demand]:
        """What is wanted of a child of an element that the path has led to."""
        if not self.steps[place](name):
            return ()
        return (OnPath(self, place + 1),) if place + 1 < len(self.steps) else self.item()

    def item(self) -> Iterable[Demand]:
        raise NotImplementedError

    def reset(self) -> None:
        """The scope begins: there is no window yet."""
        raise NotImplementedError

    def finish(self) -> None:
        """No more items can come."""
        raise NotImplementedError


class Streamed(Windows):
    """Windows that do not overlap: `before` when one opens, `after` when it is full, totals in between."""

    def __init__(self, handler: flux.OnWindow, program: Program) -> None:
        super().__init__(handler, program)
        self.window = handler.window
        self.copied = handler.copied
        self.before = program.queries.compiled(handler.before, program.making)
        self.after = program.queries.compiled(handler.after, program.making)
        self.begins = program.begins(handler.variable)
        self.group = ("item", id(self))
        self.reset()

    def reset(self) -> None:
        self.seen = 0
        self.is_open = False

    def taken(self, _: Attributes) -> bool:
        """An item begins; True where it is in no window."""
        if self.holds is not None and not self.holds():
            return True
        place = self.seen
        self.seen = (place + 1) % self.window.slide
        if place >= self.window.size:
            return True
        if place == 0:
            for act in self.begins:
                act()
            self.is_open = True
            self.before()
        return False

    def ended(self, _: str) -> None:
        """An item of a window ends."""
        if self.seen == self.window.size % self.window.slide:
            self.finish()

    def finish(self) -> None:
        if self.is_open:
            self.is_open = False
            self.after()

    def item(self) -> Iterable[Demand]:
        program, handler = self.program, self.handler
        yield from program.starting(handler.item)
        yield _Taken(self)
        yield from program.matching(handler.variable, self.group)
        yield _Ended(self)
        if self.copied:
            yield Copy(handler.variable, program, None, group=self.group)


class _Taken(Demand):
    """The gate in front of an item: whether it takes part."""

    rank = 1
    gate = True
    stays = False

    def __init__(self, windows: Streamed) -> None:
        self.windows = windows
        self.key = ("taken", id(windows))
        self.group = windows.group

    def enter(self, raw: str | None) -> Enter:
        return self.windows.taken


class _Ended(Demand):
    rank = 3

    def __init__(self, windows: Streamed) -> None:
        self.windows = windows
        self.key = ("ended", id(windows))
        self.group = windows.group

    def leave(self, automaton: Automaton, state: int) -> Leave:
        return self.windows.ended


class Buffered(Windows):
    """Windows whose items are kept: the query runs over each when it is full."""

    def __init__(self, handler: flux.OnEach, program: Program) -> None:
        super().__init__(handler, program)
        self.env = program.scope.env
        self.slot = program.scope.slots[handler.variable].number
        self.items: deque[tuple[Any, int]] = deque()
        """The items that windows still need, each with its size in the buffer."""
        self.keeping = program.window_buffer(handler.variable)
        self.body = program.queries.compiled(handler.body, program.making)
        self.counter: _Counting | _Timing
        match handler.window:
            case ast.CountWindow():
                self.counter = _Counting(handler.window)
            case ast.DiffWindow():
                self.counter = _Timing(handler.window, compile_reference(handler.window, program.making))

    def reset(self) -> None:
        self._clear()
        self.counter.reset()

    def _clear(self) -> None:
        self.items.clear()
        self.size = self.keeping.size = 0

    def finish(self) -> None:
        self._fire(self.counter.rest(self.items))
        self.keeping.reading.measure()
        self._clear()

    def _fire(self, sizes: Iterable[tuple[int, int]]) -> None:
        """Runs windows: how many items are first dropped, and how many the window has."""
        for dropped, size in sizes:
            self._drop(dropped)
            self.env[self.slot] = [item for item, _ in list(self.items)[:size]]
            self.body()

    def _drop(self, count: int) -> None:
        if count:
            self.keeping.reading.measure()
        for _ in range(count):
            self.size -= self.items.popleft()[1]
        self.keeping.size = self.size

    def ended(self, _: str) -> None:
        """An item ends: it is kept, if it takes part, and windows that it fills are run."""
        keeping = self.keeping
        if self.holds is not None and not self.holds():
            keeping.size = self.size
            return
        self.items.append((keeping.env[keeping.slot], keeping.size - self.size))
        self.size = keeping.size
        try:
            self._fire(self.counter.full(self.items))
        except Wrong as wrong:
            raise wrong.at(self.handler.window.span) from None
        self._drop(self.counter.unneeded(self.items))

    def item(self) -> Iterable[Demand]:
        program, handler = self.program, self.handler
        yield from program.starting(handler.item)
        yield from program.matching(handler.item)
        yield program.kept_item(handler.variable)
        yield _Kept(self)


class _Kept(Demand):
    rank = 3

    def __init__(self, windows: Buffered) -> None:
        self.windows = windows
        self.key = ("kept", id(windows))

    def leave(self, automaton: Automaton, state: int) -> Leave:
        return self.windows.ended


Items = deque[tuple[Any, int]]


class _Counting:
    """Definition 3.8.13: W_j = d_(j-1)μ+1 … d_(j-1)μ+Δ."""

    def __init__(self, window: ast.CountWindow) -> None:
        self.window = window
        self.reset()

    def reset(self) -> None:
        self.start = 0
        """How many items come before the next window, from the first one that is kept."""
        self.fresh = False
        """An item has come that no window has had."""

    def full(self, items: Items) -> Iterable[tuple[int, int]]:
        self.fresh = len(items) > self.start
        if len(items) - self.start == self.window.size:
            dropped, self.start = self.start, self.window.slide
            self.fresh = False
            yield dropped, self.window.size

    def unneeded(self, items: Items) -> int:
        gone = min(self.start, len(items))
        self.start -= gone
        return gone

    def rest(self, items: Items) -> Iterable[tuple[int, int]]:
        if self.fresh and len(items) > self.start:
            yield self.start, len(items) - self.start


class _Timing:
    """Definition 3.8.14: W_j = the items with (j-1)μ ≤ t - t_1 < (j-1)μ + Δ."""

    def __init__(self, window: ast.DiffWindow, reference: Callable[[object], Any]) -> None:
        self.window = window
        self.reference = reference
        self.times: deque[Decimal] = deque()
        self.reset()

    def reset(self) -> None:
        self.times.clear()
        self.start: Decimal | None = None
        self.fired: Decimal | None = None

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
