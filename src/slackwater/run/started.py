"""A query at work, as its user sees it: wait for it, stop it, ask how far it is."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from slackwater.base.time import INFINITY, Clock
from slackwater.run.arguments import Instant, instant_of, seconds_of
from slackwater.run.drive import Drive
from slackwater.run.explain import described


@dataclass(frozen=True, slots=True)
class OperatorProgress:
    """What one step of the plan keeps."""

    step: str
    state_rows: int
    state_bytes: int


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """How far a query is."""

    epochs: int
    events: int
    rate: float
    """Events a second, over the time that was spent computing."""
    late: int
    malformed: int
    heartbeat: int
    """Everything before this instant is answered."""
    heartbeat_text: str
    state_rows: int
    state_bytes: int
    operators: tuple[OperatorProgress, ...]


@dataclass(slots=True)
class Started:
    """A running graph. `with` stops it at the end of the block."""

    drive: Drive
    checkpoint: Path
    clock: Clock
    follow: bool = True
    interval: str | None = None
    exception: BaseException | None = None
    """Why it stopped, if something went wrong."""
    _thread: threading.Thread | None = None

    def begin(self) -> Started:
        self._thread = threading.Thread(target=self._work, name="slackwater", daemon=True)
        self._thread.start()
        return self

    def _work(self) -> None:
        try:
            self.drive.run(self.checkpoint, follow=self.follow, interval=self.interval)
        except BaseException as error:
            self.exception = error

    @property
    def is_active(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def await_(self, timeout: float | None = None) -> bool:
        """Wait until it ends, or so many seconds; whether it has ended. Raises what went wrong."""
        assert self._thread is not None
        self._thread.join(seconds_of(timeout))
        if self.exception is not None:
            raise self.exception
        return not self._thread.is_alive()

    def await_instant(self, instant: Instant, timeout: float | None = 60.0) -> bool:
        """Wait until everything before the instant is answered, or so many seconds; whether it is."""
        wanted, patience = instant_of(instant, self.clock), seconds_of(timeout)
        until = time.monotonic() + (math.inf if patience is None else patience)
        while self._committed < wanted and time.monotonic() < until:
            if self.await_(0.05):
                break
        return self._committed >= wanted

    @property
    def _committed(self) -> int:
        progress = self.drive.runtime.progress
        return progress[-1].hi if progress else 0

    def stop(self) -> None:
        """Stop after what is committed; starting again with the same checkpoint goes on from there.

        A target may stop the query that calls it: the query ends after the epoch that is being given.
        """
        self.drive.stop()
        if self._thread is not None and not self.drive.is_inside:
            self._thread.join()

    def __enter__(self) -> Started:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop; what went wrong is raised, unless the block itself failed."""
        self.stop()
        if kind is None and self.exception is not None:
            raise self.exception

    @property
    def progress(self) -> QueryProgress:
        """What has been done so far."""
        runtime = self.drive.runtime
        done = list(runtime.progress)
        seconds = sum(each.seconds for each in done)
        recent = sum(each.events for each in done)
        hi = done[-1].hi if done else runtime.epochs.now
        aside = self.drive.aside
        return QueryProgress(
            epochs=runtime.done,
            events=runtime.events,
            rate=recent / seconds if seconds else 0.0,
            late=sum(runtime.epochs.late.values()),
            malformed=sum(aside.malformed.values()) if aside else 0,
            heartbeat=hi,
            heartbeat_text="the end" if hi >= INFINITY else self.clock.written(hi),
            state_rows=done[-1].state_rows if done else 0,
            state_bytes=done[-1].state_bytes if done else 0,
            operators=tuple(
                OperatorProgress(described(node.step, self.clock), rows, size)
                for node, (rows, size) in zip(runtime.graph.nodes, runtime.machine.sizes, strict=True)
            ),
        )
