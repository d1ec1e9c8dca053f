"""A started query, as its user sees it: wait for it, stop it, read its progress."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.time import INFINITY, Clock
from slackwater.physical.explain.words import described
from slackwater.run.arguments import Instant, instant_of, seconds_of
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.drive import Drive
from slackwater.run.notebook import table
from slackwater.run.progress import OperatorProgress, QueryProgress, at, explained_progress, format_watermark
from slackwater.run.query import Query
from slackwater.run.running import RunningQueries


@dataclass(slots=True, repr=False)
class Started:
    """A running graph. `with` stops it at the end of the block."""

    changes: RunningQueries
    """Its queries, and how they are changed."""
    drive: Drive
    folders: Folders
    clock: Clock
    follow: bool = True
    interval: str | None = None
    session: object = None
    """The session, whose folder for the files of runs lasts as long as it does."""
    exception: BaseException | None = None
    """The error that ended it, if there was one."""
    _thread: threading.Thread | None = None
    _begun: float = field(default_factory=time.monotonic)
    _ended: float | None = None

    def begin(self) -> Started:
        self._thread = threading.Thread(target=self._work, name="slackwater", daemon=True)
        self._thread.start()
        return self

    def _work(self) -> None:
        try:
            self.drive.run(self.folders, follow=self.follow, interval=self.interval)
        except BaseException as error:
            self.exception = error
        finally:
            self._ended = time.monotonic()

    @property
    def is_active(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def await_termination(self, timeout: float | None = None) -> bool:
        """Wait until it ends, or `timeout` seconds; returns whether it has ended. Raises its error."""
        assert self._thread is not None
        self._thread.join(seconds_of(timeout))
        if self.exception is not None:
            raise self.exception
        self.drive.notices.warn(is_over=not self._thread.is_alive())
        return not self._thread.is_alive()

    def await_instant(self, instant: Instant, timeout: float | None = 60.0) -> bool:
        """Wait until all before the instant is answered, or `timeout` seconds; returns whether it is."""
        chronon, patience = instant_of(instant, self.clock), seconds_of(timeout)
        until = time.monotonic() + (math.inf if patience is None else patience)
        runtime = self.drive.runtime
        while runtime.committed < chronon and time.monotonic() < until:
            if self.await_termination(0.05):
                break
        return runtime.committed >= chronon

    def stop(self) -> None:
        """Stop after the current epoch; starting again with the same checkpoint resumes after it.

        A sink may stop the query that calls it: the query ends after the epoch that is being delivered.
        """
        self.drive.stop()
        if self._thread is not None and not self.drive.is_inside:
            self._thread.join()
            if self.exception is None:
                self.drive.notices.warn(is_over=True)

    @property
    def queries(self) -> list[str]:
        """The names of its queries, in the order in which they were started and added."""
        return self.changes.names

    def add(self, *queries: Query) -> None:
        """Add queries, each with a sink, to the run: they are answered from the next epoch on.

        What the others answer does not change. A query begins with the current rows of its parts that the
        run computes already, and otherwise without rows that came before. It is part of the checkpoint once
        an epoch with it is committed.
        """
        self.changes.add(queries)

    def drop(self, query: Query | str) -> None:
        """Drop a query, or that of a name: it gets no further epoch, and its states and sinks are released.

        What the others answer does not change.
        """
        self.changes.drop(query)

    def __enter__(self) -> Started:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop; raises the error of the run, unless the block itself failed."""
        self.stop()
        if kind is None and self.exception is not None:
            raise self.exception

    @property
    def notices(self) -> list[str]:
        """What the answers do not include: late and malformed rows, files changed after they were read."""
        return list(self.drive.notices.texts.values())

    @property
    def progress(self) -> QueryProgress:
        """The progress so far."""
        runtime = self.drive.runtime
        last = runtime.progress[-1] if runtime.progress else None
        malformed = self.drive.aside.malformed if self.drive.aside else {}
        sources = runtime.tracker.snapshot(malformed, self.clock)
        seconds = (self._ended or time.monotonic()) - self._begun
        sizes = runtime.placement.sizes
        return QueryProgress(
            epochs=runtime.done,
            events=runtime.events,
            rate=runtime.events / seconds if seconds else 0.0,
            late=sum(runtime.epochs.late.values()),
            malformed=sum(malformed.values()),
            watermark=runtime.committed,
            watermark_text=format_watermark(runtime.committed, self.clock),
            state_rows=last.state_rows if last else 0,
            state_bytes=last.state_bytes if last else 0,
            operators=tuple(
                OperatorProgress(described(node.step, self.clock), rows, size)
                for place, node in enumerate(runtime.graph.nodes)
                for rows, size in [sizes.get(place, (0, 0))]
            ),
            sources=sources,
            placement=runtime.placement.where,
        )

    @property
    def remarks(self) -> list[Diagnostic]:
        """Notes on how it is computed; the answers are the same."""
        return list(self.drive.remarks)

    def explain(self) -> str:
        """The progress as text: each source, which one holds the others back, the state of the steps."""
        return "\n\n".join([explained_progress(self.progress), *map(str, self.remarks)])

    @property
    def state(self) -> str:
        """`running`, `failed`, `stopped`, or `ended` at the end of its input."""
        if self.is_active:
            return "running"
        if self.exception is not None:
            return "failed"
        return "ended" if self.drive.runtime.committed >= INFINITY else "stopped"

    def __repr__(self) -> str:
        runtime = self.drive.runtime
        watermark = format_watermark(runtime.committed, self.clock)
        return f"<run of {self.drive.name}: {self.state}, {runtime.events:,} events, watermark {watermark}>"

    def _repr_html_(self) -> str:
        heading = ("source", "events", "watermark", "last rows", "waiting", "late", "malformed")
        rows = [
            (
                source.name, f"{source.events:,}", source.watermark_text, at(source.last_seen),
                f"{source.waiting:,}", f"{source.late:,}", f"{source.malformed:,}",
            )
            for source in self.progress.sources
        ]  # fmt: skip
        return table(heading, rows, repr(self)[1:-1])
