"""Data windows over streams: items as they come, a window at a time (section 3.8.2.4).

`OnWindow` buffers no items: they are counted, copied, added to totals. `OnEach` buffers the items that a
later window still needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from slackwater.flux.compile.copies import Copy
from slackwater.flux.compile.flwor import compile_reference
from slackwater.flux.compile.names import fits
from slackwater.flux.plan import syntax as flux
from slackwater.flux.runtime.demands import Attributes, Demand, Enter, Leave
from slackwater.flux.runtime.windows import CountedWindows, TimedWindows
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.tree import Name
from slackwater.language.xquery import syntax as ast
from slackwater.schema import Automaton, Type

if TYPE_CHECKING:
    from slackwater.flux.compile.program import Program

Window = flux.OnWindow | flux.OnEach


class OnPath(Demand):
    """An element on the path to the items of windows."""

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
        self.steps = [fits(test.name, program.static) for test in handler.path]
        self.holds = program.test(handler.where)

    def children(self, place: int, name: Name) -> Iterable[Demand]:
        """The demands on a child of an element at this place of the path."""
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
        self.before = program.queries.compile(handler.before, program.static)
        self.after = program.queries.compile(handler.after, program.static)
        self.resets = program.resets_of(handler.variable)
        self.group = ("item", id(self))
        self.reset()

    def reset(self) -> None:
        self.seen = 0
        self.is_open = False

    def enter_item(self, _: Attributes) -> bool:
        """An item begins; True where it is in no window."""
        if self.holds is not None and not self.holds():
            return True
        place = self.seen
        self.seen = (place + 1) % self.window.slide
        if place >= self.window.size:
            return True
        if place == 0:
            for act in self.resets:
                act()
            self.is_open = True
            self.before()
        return False

    def leave_item(self, _: str) -> None:
        """An item of a window ends."""
        if self.seen == self.window.size % self.window.slide:
            self.finish()

    def finish(self) -> None:
        if self.is_open:
            self.is_open = False
            self.after()

    def item(self) -> Iterable[Demand]:
        program, handler = self.program, self.handler
        yield from program.variable_demands(handler.item)
        yield _EnterItem(self)
        yield from program.path_demands(handler.variable, self.group)
        yield _LeaveItem(self)
        if self.copied:
            yield Copy(handler.variable, program, None, group=self.group)


class _EnterItem(Demand):
    """The gate before an item: whether it is in a window."""

    rank = 1
    gate = True
    stays = False

    def __init__(self, windows: Streamed) -> None:
        self.windows = windows
        self.key = ("enter", id(windows))
        self.group = windows.group

    def enter(self, raw: str | None) -> Enter:
        return self.windows.enter_item


class _LeaveItem(Demand):
    rank = 3

    def __init__(self, windows: Streamed) -> None:
        self.windows = windows
        self.key = ("leave", id(windows))
        self.group = windows.group

    def leave(self, automaton: Automaton, state: int) -> Leave:
        return self.windows.leave_item


class Buffered(Windows):
    """Windows whose items are buffered: the query runs over each window when it is full."""

    def __init__(self, handler: flux.OnEach, program: Program) -> None:
        super().__init__(handler, program)
        self.env = program.scope.env
        self.slot = program.scope.slots[handler.variable].number
        self.items: deque[tuple[Any, int]] = deque()
        """The items that windows still need, with their sizes in the buffer."""
        self.buffer = program.window_buffer(handler.variable)
        self.body = program.queries.compile(handler.body, program.static)
        self.contents: CountedWindows | TimedWindows
        match handler.window:
            case ast.CountWindow():
                self.contents = CountedWindows(handler.window)
            case ast.DiffWindow():
                self.contents = TimedWindows(
                    handler.window, compile_reference(handler.window, program.static)
                )

    def reset(self) -> None:
        self._clear()
        self.contents.reset()

    def _clear(self) -> None:
        self.items.clear()
        self.size = self.buffer.size = 0

    def finish(self) -> None:
        self._fire(self.contents.rest(self.items))
        self.buffer.reading.measure()
        self._clear()

    def _fire(self, sizes: Iterable[tuple[int, int]]) -> None:
        """Runs windows, each given as the number of items to drop before it and the number of items in it."""
        for dropped, size in sizes:
            self._drop(dropped)
            self.env[self.slot] = [item for item, _ in list(self.items)[:size]]
            self.body()

    def _drop(self, count: int) -> None:
        if count:
            self.buffer.reading.measure()
        for _ in range(count):
            self.size -= self.items.popleft()[1]
        self.buffer.size = self.size

    def leave_item(self, _: str) -> None:
        """An item ends: it is buffered if it takes part, and the windows that it completes run."""
        buffer = self.buffer
        if self.holds is not None and not self.holds():
            buffer.size = self.size
            return
        self.items.append((buffer.env[buffer.slot], buffer.size - self.size))
        self.size = buffer.size
        try:
            self._fire(self.contents.full(self.items))
        except Wrong as wrong:
            raise wrong.at(self.handler.window.span) from None
        self._drop(self.contents.unneeded(self.items))

    def item(self) -> Iterable[Demand]:
        program, handler = self.program, self.handler
        yield from program.variable_demands(handler.item)
        yield from program.path_demands(handler.item)
        yield program.item_demand(handler.variable)
        yield _BufferItem(self)


class _BufferItem(Demand):
    rank = 3

    def __init__(self, windows: Buffered) -> None:
        self.windows = windows
        self.key = ("buffer", id(windows))

    def leave(self, automaton: Automaton, state: int) -> Leave:
        return self.windows.leave_item
